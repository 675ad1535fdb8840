# SPDX-License-Identifier: Apache-2.0
"""Step 14, reduce-scatter: the sum of all ranks, cut up; rank r ends with piece r.

Every rank has P rows of SIZE elements. Rank r wants row r, added up over the ranks:

    rank 0      rank 1      rank 2                    rank 0  a0 + b0 + c0
    a0          b0          c0                        rank 1  a1 + b1 + c1
    a1          b1          c1              ->        rank 2  a2 + b2 + c2
    a2          b2          c2

It is the first half of the two-phase allreduce of step 09; the allgather of step 13 is the second.

    1  stage    write my P rows into my own window
    2  barrier  one credit to every peer, one credit from every peer
    3  reduce   row my_rank of every rank, mine first and then the others in rank order

The row that a rank reads is its own number, at every peer: [my_rank, 0]. In the allgather it was the peer's number.

Cost: (P-1) * SIZE elements received, (P-1)/P of a rank's P * SIZE. The sum goes to y and not into the window, so
one barrier is enough; written back to row my_rank, it would be safe as well, since nobody else reads that row.

The builtin call works in place: the sum replaces row my_rank of the window, the other rows stay as they were. It has a
second barrier, behind the reading: when it returns, a rank may write into its window at once.

    a2a3sim run examples/14_reduce_scatter.py -d 0,1,2,3
    a2a3sim run examples/14_reduce_scatter.py -d 0,1,2,3 --mode builtin
    a2a3sim diff examples/14_reduce_scatter.py --modes hand,builtin -d 0,1
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir.distributed_compiled_program import DistributedConfig

SIZE = 64
DTYPE = pl.FP32  # or pl.FP16
BLOCK = 32 // DTYPE.get_byte()  # elements in 32 bytes, the grain of a tile row
CHUNK = min(16384 // DTYPE.get_byte(), (SIZE + BLOCK - 1) // BLOCK * BLOCK)


def build_hand(n_ranks):
    """The hand-written reduce-scatter for n_ranks ranks."""

    @pl.program
    class HandReduceScatter:
        @pl.function(type=pl.FunctionType.InCore)
        def hand_step(
            self,
            x: pl.Tensor[[n_ranks, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
            data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], DTYPE]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], DTYPE]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            # Phase 1: stage all rows; each peer will come for one of them.
            for row in pl.range(nranks):
                for col in pl.range(0, SIZE, CHUNK):
                    width = pl.min(CHUNK, SIZE - col)
                    mine = pl.load(x, [row, col], [1, CHUNK], valid_shape=[1, width])
                    data = pl.store(mine, [row, col], data)

            # Phase 2: barrier.
            for peer in pl.range(nranks):
                if peer != my_rank:
                    pld.system.notify(
                        signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
                    )
            for src in pl.range(nranks):
                if src != my_rank:
                    pld.system.wait(signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

            # Phase 3: reduce my row.
            for col in pl.range(0, SIZE, CHUNK):
                width = pl.min(CHUNK, SIZE - col)
                acc = pl.load(data, [my_rank, col], [1, CHUNK], valid_shape=[1, width])
                for peer in pl.range(nranks):
                    if peer != my_rank:
                        recv = pld.tile.remote_load(
                            data, peer=peer, offsets=[my_rank, col], shape=[1, CHUNK], valid_shape=[1, width]
                        )
                        acc = pl.add(acc, recv)
                y = pl.store(acc, [0, col], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[n_ranks, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
            data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], DTYPE]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], DTYPE]:
            y = self.hand_step(x, y, data, signal)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[n_ranks, n_ranks, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[n_ranks, 1, SIZE], DTYPE]],
        ) -> pl.Tensor[[n_ranks, 1, SIZE], DTYPE]:
            data_buf = pld.alloc_window_buffer(n_ranks * SIZE * DTYPE.get_byte())
            signal_buf = pld.alloc_window_buffer(n_ranks * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buf, [n_ranks, SIZE], dtype=DTYPE)
                signal = pld.window(signal_buf, [n_ranks, 1], dtype=pl.INT32)
                self.chip(x[r], y[r], data, signal, device=r)
            return y

    return HandReduceScatter


def build_builtin(n_ranks):
    """The reduce-scatter in one call for n_ranks ranks."""

    @pl.program
    class BuiltinReduceScatter:
        @pl.function(type=pl.FunctionType.InCore)
        def builtin_step(
            self,
            x: pl.Tensor[[n_ranks, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
            data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], DTYPE]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], DTYPE]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            # Stage all rows.
            for row in pl.range(nranks):
                for col in pl.range(0, SIZE, CHUNK):
                    width = pl.min(CHUNK, SIZE - col)
                    mine = pl.load(x, [row, col], [1, CHUNK], valid_shape=[1, width])
                    data = pl.store(mine, [row, col], data)

            data = pld.tensor.reduce_scatter(data, signal, op=pld.ReduceOp.Sum)

            # My row of my window is the sum.
            for col in pl.range(0, SIZE, CHUNK):
                width = pl.min(CHUNK, SIZE - col)
                total = pl.load(data, [my_rank, col], [1, CHUNK], valid_shape=[1, width])
                y = pl.store(total, [0, col], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[n_ranks, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
            data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], DTYPE]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], DTYPE]:
            y = self.builtin_step(x, y, data, signal)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[n_ranks, n_ranks, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[n_ranks, 1, SIZE], DTYPE]],
        ) -> pl.Tensor[[n_ranks, 1, SIZE], DTYPE]:
            data_buf = pld.alloc_window_buffer(n_ranks * SIZE * DTYPE.get_byte())
            signal_buf = pld.alloc_window_buffer(n_ranks * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buf, [n_ranks, SIZE], dtype=DTYPE)
                signal = pld.window(signal_buf, [n_ranks, 1], dtype=pl.INT32)
                self.chip(x[r], y[r], data, signal, device=r)
            return y

    return BuiltinReduceScatter


MODES = {"hand": build_hand, "builtin": build_builtin}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1", help="comma separated device ids")
    parser.add_argument("--mode", default="hand", choices=sorted(MODES))
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    n_ranks = len(device_ids)

    # Small whole numbers: their sums are exact, in whatever order they are added.
    torch_dtype = torch.float16 if DTYPE == pl.FP16 else torch.float32
    x = torch.randint(1, 100, (n_ranks, n_ranks, SIZE)).to(torch_dtype).share_memory_()
    y = torch.zeros(n_ranks, 1, SIZE, dtype=torch_dtype).share_memory_()
    compiled = ir.compile(
        MODES[args.mode](n_ranks),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    compiled(x, y)

    assert torch.equal(y, x.sum(dim=0).reshape(n_ranks, 1, SIZE))
    print("OK")


if __name__ == "__main__":
    main()
