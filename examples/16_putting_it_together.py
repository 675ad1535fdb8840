# SPDX-License-Identifier: Apache-2.0
"""Step 16, putting it together: broadcast, allreduce and allgather in one kernel.

Real models call more than one collective: weights are broadcast, activations are allreduced, results are allgathered.
Here, with a weight row w and one slice x per rank:

    1  broadcast   the root's w reaches every rank
    2  allreduce   every rank gets the sum of all slices
    3  allgather   every rank gets all slices, in rank order
    4  local       each gathered slice is scaled by w

Each call takes a signal window in which it counts credits, and takes its credits back out before it ends. So the cells
are zero again when the next call starts: three windows are not needed, they only keep the three barriers apart for a
reader of the lowered program. Mode one_signal gives all three calls the same window.

What one window must not do is serve two layouts: mesh calls count in [nr, 1], the ring in [2*(nr-1), nr].

Cost per rank, with V bytes per slice: the broadcast brings V to each rank but the root, the mesh allreduce (P-1)*V, the
allgather (P-1)*V.

    a2a3sim run examples/16_putting_it_together.py -d 0,1
    a2a3sim run examples/16_putting_it_together.py -d 0,1,2,3
    a2a3sim run examples/16_putting_it_together.py -d 0,1,2,3 --mode one_signal
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir.distributed_compiled_program import DistributedConfig

SIZE = 64
COLS = (SIZE + 7) // 8 * 8  # columns of a tile: rows are whole 32-byte blocks, valid_shape gives the real size
ROOT_RANK = 0


def build_compose(n_ranks):
    """The kernel of the page: one signal window per collective."""

    @pl.program
    class Compose:
        @pl.function(type=pl.FunctionType.InCore)
        def compose_step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            w_in: pl.Tensor[[1, SIZE], pl.FP32],
            allred: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            gathered: pl.Out[pl.Tensor[[1, n_ranks * SIZE], pl.FP32]],
            w_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            ar_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            ag_data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], pl.FP32]],
            sig_bcast: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
            sig_ar: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
            sig_ag: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, n_ranks * SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(w_data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            # 1: broadcast. The root stages its weights; the call brings them to every rank.
            if my_rank == ROOT_RANK:
                local_w = pl.load(w_in, [0, 0], [1, COLS], valid_shape=[1, SIZE])
                w_data = pl.store(local_w, [0, 0], w_data)
            w_data = pld.tensor.broadcast(w_data, sig_bcast, root=ROOT_RANK)
            w = pl.load(w_data, [0, 0], [1, COLS], valid_shape=[1, SIZE])

            # 2: allreduce. Every rank ends with the element-wise sum.
            local_x = pl.load(x, [0, 0], [1, COLS], valid_shape=[1, SIZE])
            ar_data = pl.store(local_x, [0, 0], ar_data)
            ar_data = pld.tensor.allreduce(ar_data, sig_ar, op=pld.ReduceOp.Sum, mode="mesh")
            total = pl.load(ar_data, [0, 0], [1, COLS], valid_shape=[1, SIZE])
            allred = pl.store(total, [0, 0], allred)

            # 3: allgather. The source is the plain tensor x: the call pushes it to every rank itself.
            ag_data = pld.tensor.allgather(x, ag_data, sig_ag)

            # 4: local. Scale the gathered slices by the shared weights.
            for src in pl.range(nranks):
                chunk = pl.load(ag_data, [src, 0], [1, COLS], valid_shape=[1, SIZE])
                chunk = pl.mul(chunk, w)
                gathered = pl.store(chunk, [0, src * SIZE], gathered)
            return gathered

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            w_in: pl.Tensor[[1, SIZE], pl.FP32],
            allred: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            gathered: pl.Out[pl.Tensor[[1, n_ranks * SIZE], pl.FP32]],
            w_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            ar_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            ag_data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], pl.FP32]],
            sig_bcast: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
            sig_ar: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
            sig_ag: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, n_ranks * SIZE], pl.FP32]:
            gathered = self.compose_step(
                x, w_in, allred, gathered, w_data, ar_data, ag_data, sig_bcast, sig_ar, sig_ag
            )
            return gathered

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[n_ranks, 1, SIZE], pl.FP32],
            w_in: pl.Tensor[[n_ranks, 1, SIZE], pl.FP32],
            allred: pl.Out[pl.Tensor[[n_ranks, 1, SIZE], pl.FP32]],
            gathered: pl.Out[pl.Tensor[[n_ranks, 1, n_ranks * SIZE], pl.FP32]],
        ) -> pl.Tensor[[n_ranks, 1, n_ranks * SIZE], pl.FP32]:
            w_buf = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            ar_buf = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            ag_buf = pld.alloc_window_buffer(n_ranks * SIZE * pl.FP32.get_byte())
            sig_bcast_buf = pld.alloc_window_buffer(n_ranks * pl.INT32.get_byte())
            sig_ar_buf = pld.alloc_window_buffer(n_ranks * pl.INT32.get_byte())
            sig_ag_buf = pld.alloc_window_buffer(n_ranks * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                w_data = pld.window(w_buf, [1, SIZE], dtype=pl.FP32)
                ar_data = pld.window(ar_buf, [1, SIZE], dtype=pl.FP32)
                ag_data = pld.window(ag_buf, [n_ranks, SIZE], dtype=pl.FP32)
                sig_bcast = pld.window(sig_bcast_buf, [n_ranks, 1], dtype=pl.INT32)
                sig_ar = pld.window(sig_ar_buf, [n_ranks, 1], dtype=pl.INT32)
                sig_ag = pld.window(sig_ag_buf, [n_ranks, 1], dtype=pl.INT32)
                self.chip(
                    x[r], w_in[r], allred[r], gathered[r], w_data, ar_data, ag_data, sig_bcast, sig_ar, sig_ag, device=r
                )
            return gathered

    return Compose


def build_one_signal(n_ranks):
    """The same three calls on one signal window."""

    @pl.program
    class ComposeOneSignal:
        @pl.function(type=pl.FunctionType.InCore)
        def compose_step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            w_in: pl.Tensor[[1, SIZE], pl.FP32],
            allred: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            gathered: pl.Out[pl.Tensor[[1, n_ranks * SIZE], pl.FP32]],
            w_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            ar_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            ag_data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], pl.FP32]],
            sig: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, n_ranks * SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(w_data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            # 1: broadcast. The root stages its weights; the call brings them to every rank.
            if my_rank == ROOT_RANK:
                local_w = pl.load(w_in, [0, 0], [1, COLS], valid_shape=[1, SIZE])
                w_data = pl.store(local_w, [0, 0], w_data)
            w_data = pld.tensor.broadcast(w_data, sig, root=ROOT_RANK)
            w = pl.load(w_data, [0, 0], [1, COLS], valid_shape=[1, SIZE])

            # 2: allreduce. Every rank ends with the element-wise sum.
            local_x = pl.load(x, [0, 0], [1, COLS], valid_shape=[1, SIZE])
            ar_data = pl.store(local_x, [0, 0], ar_data)
            ar_data = pld.tensor.allreduce(ar_data, sig, op=pld.ReduceOp.Sum, mode="mesh")
            total = pl.load(ar_data, [0, 0], [1, COLS], valid_shape=[1, SIZE])
            allred = pl.store(total, [0, 0], allred)

            # 3: allgather. The source is the plain tensor x: the call pushes it to every rank itself.
            ag_data = pld.tensor.allgather(x, ag_data, sig)

            # 4: local. Scale the gathered slices by the shared weights.
            for src in pl.range(nranks):
                chunk = pl.load(ag_data, [src, 0], [1, COLS], valid_shape=[1, SIZE])
                chunk = pl.mul(chunk, w)
                gathered = pl.store(chunk, [0, src * SIZE], gathered)
            return gathered

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            w_in: pl.Tensor[[1, SIZE], pl.FP32],
            allred: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            gathered: pl.Out[pl.Tensor[[1, n_ranks * SIZE], pl.FP32]],
            w_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            ar_data: pl.InOut[pld.DistributedTensor[[1, SIZE], pl.FP32]],
            ag_data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], pl.FP32]],
            sig: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, n_ranks * SIZE], pl.FP32]:
            gathered = self.compose_step(
                x, w_in, allred, gathered, w_data, ar_data, ag_data, sig
            )
            return gathered

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[n_ranks, 1, SIZE], pl.FP32],
            w_in: pl.Tensor[[n_ranks, 1, SIZE], pl.FP32],
            allred: pl.Out[pl.Tensor[[n_ranks, 1, SIZE], pl.FP32]],
            gathered: pl.Out[pl.Tensor[[n_ranks, 1, n_ranks * SIZE], pl.FP32]],
        ) -> pl.Tensor[[n_ranks, 1, n_ranks * SIZE], pl.FP32]:
            w_buf = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            ar_buf = pld.alloc_window_buffer(SIZE * pl.FP32.get_byte())
            ag_buf = pld.alloc_window_buffer(n_ranks * SIZE * pl.FP32.get_byte())
            sig_buf = pld.alloc_window_buffer(n_ranks * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                w_data = pld.window(w_buf, [1, SIZE], dtype=pl.FP32)
                ar_data = pld.window(ar_buf, [1, SIZE], dtype=pl.FP32)
                ag_data = pld.window(ag_buf, [n_ranks, SIZE], dtype=pl.FP32)
                sig = pld.window(sig_buf, [n_ranks, 1], dtype=pl.INT32)
                self.chip(
                    x[r], w_in[r], allred[r], gathered[r], w_data, ar_data, ag_data, sig, device=r
                )
            return gathered

    return ComposeOneSignal


BUILDERS = {"default": build_compose, "one_signal": build_one_signal}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1", help="comma separated device ids")
    parser.add_argument("--mode", default="default", choices=list(BUILDERS))
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    n_ranks = len(device_ids)

    x = torch.arange(n_ranks * SIZE, dtype=torch.float32).reshape(n_ranks, 1, SIZE).share_memory_()
    w_in = torch.randint(1, 5, (n_ranks, 1, SIZE)).to(torch.float32).share_memory_()
    allred = torch.zeros(n_ranks, 1, SIZE, dtype=torch.float32).share_memory_()
    gathered = torch.zeros(n_ranks, 1, n_ranks * SIZE, dtype=torch.float32).share_memory_()
    compiled = ir.compile(
        BUILDERS[args.mode](n_ranks),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    compiled(x, w_in, allred, gathered)

    assert torch.equal(allred, x.sum(dim=0, keepdim=True).expand_as(allred))
    scaled = (x * w_in[ROOT_RANK]).reshape(1, 1, n_ranks * SIZE)
    assert torch.equal(gathered, scaled.expand_as(gathered))
    print("OK")


if __name__ == "__main__":
    main()
