# A kernel as a tutorial page prints it: no parameter annotations below the host function.
import pypto.language as pl
import pypto.language.distributed as pld

SIZE = 32
NR = pl.dynamic("NR")


@pl.program
class ReverseOrder:
    @pl.function(type=pl.FunctionType.InCore)
    def step(self, x, y, data, signal):
        ctx = pld.get_comm_ctx(data)
        me = pld.rank(ctx)
        n = pld.nranks(ctx)

        mine = pl.load(x, [0, 0], [1, SIZE])
        data = pl.store(mine, [me, 0], data)
        for peer in pl.range(n):
            if peer != me:
                pld.system.notify(signal, peer=peer, offsets=[me, 0],
                                  value=1, op=pld.NotifyOp.AtomicAdd)
        for src in pl.range(n):
            if src != me:
                pld.system.wait(signal, offsets=[src, 0], expected=1,
                                cmp=pld.WaitCmp.Ge)
        other = n - 1 - me
        recv = pld.tile.remote_load(data, peer=other, offsets=[other, 0], shape=[1, SIZE])
        y = pl.store(recv, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(self, x, y, data, signal):
        return self.step(x, y, data, signal)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]]):
        data_buf = pld.alloc_window_buffer(NR * SIZE * pl.FP32.get_byte())
        signal_buf = pld.alloc_window_buffer([NR, 1], dtype=pl.INT32)
        for r in pl.range(pld.world_size()):
            data = pld.window(data_buf, [NR, SIZE], dtype=pl.FP32)
            signal = pld.window(signal_buf, [NR, 1], dtype=pl.INT32)
            self.chip(x[r], y[r], data, signal, device=r)
        return y
