# SPDX-License-Identifier: Apache-2.0
# A ring whose tasks are held back by waiter tasks, three laps.
import pypto.language as pl
import pypto.language.distributed as pld
NR = pl.dynamic("NR")


@pl.program
class Program:
    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x: pl.Tensor[[1, 17], pl.INT32], y: pl.Out[pl.Tensor[[1, 17], pl.INT32]],
             inbox: pl.InOut[pld.DistributedTensor[[3, 17], pl.INT32]],
             cells: pl.InOut[pld.DistributedTensor[[3, 1], pl.INT32]]):
        m = pl.create_tensor([1, 17], dtype=pl.INT32)
        with pl.at(level=pl.Level.CORE_GROUP):
            m = pl.store(pl.load(x, [0, 0], [1, 24], valid_shape=[1, 17]), [0, 0], m)
        with pl.at(level=pl.Level.CORE_GROUP):
            c = pld.get_comm_ctx(inbox)
            right = (pld.rank(c) + 1) % pld.nranks(c)
            t = pl.load(m, [0, 0], [1, 24], valid_shape=[1, 17])
            inbox = pld.tile.remote_store(t, target=inbox, peer=right, offsets=[0, 0])
            pld.system.notify(cells, peer=right, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
        with pl.at(level=pl.Level.CORE_GROUP) as arrived:
            pld.system.defer_wait(cells, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
        with pl.at(level=pl.Level.CORE_GROUP, deps=[arrived]):
            t = pl.load(inbox, [0, 0], [1, 24], valid_shape=[1, 17])
            m = pl.store(pl.add(t, 1), [0, 0], m)
        with pl.at(level=pl.Level.CORE_GROUP):
            c = pld.get_comm_ctx(inbox)
            right = (pld.rank(c) + 1) % pld.nranks(c)
            t = pl.load(m, [0, 0], [1, 24], valid_shape=[1, 17])
            inbox = pld.tile.remote_store(t, target=inbox, peer=right, offsets=[1, 0])
            pld.system.notify(cells, peer=right, offsets=[1, 0], value=1, op=pld.NotifyOp.AtomicAdd)
        with pl.at(level=pl.Level.CORE_GROUP) as arrived:
            pld.system.defer_wait(cells, offsets=[1, 0], expected=1, cmp=pld.WaitCmp.Ge)
        with pl.at(level=pl.Level.CORE_GROUP, deps=[arrived]):
            t = pl.load(inbox, [1, 0], [1, 24], valid_shape=[1, 17])
            m = pl.store(pl.add(t, 1), [0, 0], m)
        with pl.at(level=pl.Level.CORE_GROUP):
            c = pld.get_comm_ctx(inbox)
            right = (pld.rank(c) + 1) % pld.nranks(c)
            t = pl.load(m, [0, 0], [1, 24], valid_shape=[1, 17])
            inbox = pld.tile.remote_store(t, target=inbox, peer=right, offsets=[2, 0])
            pld.system.notify(cells, peer=right, offsets=[2, 0], value=1, op=pld.NotifyOp.AtomicAdd)
        with pl.at(level=pl.Level.CORE_GROUP) as arrived:
            pld.system.defer_wait(cells, offsets=[2, 0], expected=1, cmp=pld.WaitCmp.Ge)
        with pl.at(level=pl.Level.CORE_GROUP, deps=[arrived]):
            t = pl.load(inbox, [2, 0], [1, 24], valid_shape=[1, 17])
            m = pl.store(pl.add(t, 1), [0, 0], m)
        with pl.at(level=pl.Level.CORE_GROUP):
            y = pl.store(pl.load(m, [0, 0], [1, 24], valid_shape=[1, 17]), [0, 0], y)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, 1, 17], pl.INT32], y: pl.Out[pl.Tensor[[NR, 1, 17], pl.INT32]]):
        inbox_buf = pld.alloc_window_buffer([3, 17], dtype=pl.INT32)
        cell_buf = pld.alloc_window_buffer([3, 1], dtype=pl.INT32)
        for r in pl.range(pld.world_size()):
            inbox = pld.window(inbox_buf, [3, 17], dtype=pl.INT32)
            cells = pld.window(cell_buf, [3, 1], dtype=pl.INT32)
            self.chip(x[r], y[r], inbox, cells, device=r)
