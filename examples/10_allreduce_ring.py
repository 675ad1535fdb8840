# SPDX-License-Identifier: Apache-2.0
"""Step 10, allreduce as a ring: partial sums travel from neighbour to neighbour.

The bytes of step 09, but each rank only ever reads its left neighbour: the schedule for machines where neighbours
are well connected and the rest is not. The N elements are cut into P segments, and 2 * (P-1) rounds do the work:

    reduce   round s = 0 .. P-2    segment (r - s - 2) mod P:  mine = mine + left's
    gather   round s = 0 .. P-2    segment (r - s - 1) mod P:  mine = left's

Follow one segment, say i. In round 0 rank i+2 adds what rank i+1 holds of it, in round 1 rank i+3 adds the result,
and in the last reduce round it comes home to rank i, which then holds the whole sum of segment i. The gather sends it
round once more. Example for P = 3, segments that rank r works on:

    rank   reduce 0   reduce 1   gather 0   gather 1
    0      1          0          2          1
    1      2          1          0          2
    2      0          2          1          0

Every round begins with a barrier: left must have finished its last round, or it would hand out an old value. In no
round does a rank write the segment that its right neighbour reads, so there need not be a second barrier.

Each round has its own row of signal cells, [2 * (P-1), P], and a cell is used once: every wait is for 1. All peers
are notified, not only the neighbours; that keeps the ranks in step, and costs 2 * (P-1) * (P-1) signals.

Segments are cut as in step 09, at floor(N * i / P), and may be empty. Rank r receives 2N - c_(r-1) - c_r elements,
2 * (P-1)/P * N when P divides N.

    a2a3sim run examples/10_allreduce_ring.py -d 0,1,2,3
    a2a3sim run examples/10_allreduce_ring.py -d 0-6 --set SIZE=1000
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir.distributed_compiled_program import DistributedConfig

SIZE = 64
DTYPE = pl.FP32  # or pl.FP16


def build_ring(n_ranks):
    """The ring allreduce for n_ranks ranks."""
    rows = max(2 * (n_ranks - 1), 1)  # one rank alone has no rounds, and a window at least one row
    block = 32 // DTYPE.get_byte()  # elements in 32 bytes, the grain of a tile row
    longest = (SIZE + n_ranks - 1) // n_ranks  # elements in the longest segment
    chunk = min(16384 // DTYPE.get_byte(), (longest + block - 1) // block * block)

    @pl.program
    class RingAllReduce:
        @pl.function(type=pl.FunctionType.InCore)
        def ring(
            self,
            x: pl.Tensor[[1, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], DTYPE]],
            signal: pl.InOut[pld.DistributedTensor[[rows, n_ranks], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], DTYPE]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)
            left = (my_rank + nranks - 1) % nranks

            for col in pl.range(0, SIZE, chunk):
                width = pl.min(chunk, SIZE - col)
                mine = pl.load(x, [0, col], [1, chunk], valid_shape=[1, width])
                data = pl.store(mine, [0, col], data)

            # Reduce. 2 * nranks keeps the dividend of % positive; in a kernel it truncates as in C.
            for step in pl.range(nranks - 1):
                for peer in pl.range(nranks):
                    if peer != my_rank:
                        pld.system.notify(
                            signal, peer=peer, offsets=[step, my_rank], value=1, op=pld.NotifyOp.AtomicAdd
                        )
                for src in pl.range(nranks):
                    if src != my_rank:
                        pld.system.wait(signal, offsets=[step, src], expected=1, cmp=pld.WaitCmp.Ge)

                segment = (my_rank + 2 * nranks - step - 2) % nranks
                begin = SIZE * segment // nranks
                end = SIZE * (segment + 1) // nranks
                for col in pl.range(begin, end, chunk):
                    width = pl.min(chunk, end - col)
                    mine = pl.load(data, [0, col], [1, chunk], valid_shape=[1, width])
                    recv = pld.tile.remote_load(
                        data, peer=left, offsets=[0, col], shape=[1, chunk], valid_shape=[1, width]
                    )
                    data = pl.store(pl.add(mine, recv), [0, col], data)

            # Gather. The same walk, one segment further, and nothing is added any more.
            for step in pl.range(nranks - 1):
                row = nranks - 1 + step
                for peer in pl.range(nranks):
                    if peer != my_rank:
                        pld.system.notify(
                            signal, peer=peer, offsets=[row, my_rank], value=1, op=pld.NotifyOp.AtomicAdd
                        )
                for src in pl.range(nranks):
                    if src != my_rank:
                        pld.system.wait(signal, offsets=[row, src], expected=1, cmp=pld.WaitCmp.Ge)

                segment = (my_rank + nranks - step - 1) % nranks
                begin = SIZE * segment // nranks
                end = SIZE * (segment + 1) // nranks
                for col in pl.range(begin, end, chunk):
                    width = pl.min(chunk, end - col)
                    recv = pld.tile.remote_load(
                        data, peer=left, offsets=[0, col], shape=[1, chunk], valid_shape=[1, width]
                    )
                    data = pl.store(recv, [0, col], data)

            # My window now holds the whole sum.
            for col in pl.range(0, SIZE, chunk):
                width = pl.min(chunk, SIZE - col)
                total = pl.load(data, [0, col], [1, chunk], valid_shape=[1, width])
                y = pl.store(total, [0, col], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[1, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], DTYPE]],
            signal: pl.InOut[pld.DistributedTensor[[rows, n_ranks], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], DTYPE]:
            return self.ring(x, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[n_ranks, 1, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[n_ranks, 1, SIZE], DTYPE]],
        ) -> pl.Tensor[[n_ranks, 1, SIZE], DTYPE]:
            data_buf = pld.alloc_window_buffer(SIZE * DTYPE.get_byte())
            signal_buf = pld.alloc_window_buffer(rows * n_ranks * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buf, [1, SIZE], dtype=DTYPE)
                signal = pld.window(signal_buf, [rows, n_ranks], dtype=pl.INT32)
                self.chip(x[r], y[r], data, signal, device=r)
            return y

    return RingAllReduce


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1", help="comma separated device ids")
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    n_ranks = len(device_ids)

    # Small whole numbers: their sums are exact, in whatever order they are added.
    torch_dtype = torch.float16 if DTYPE == pl.FP16 else torch.float32
    x = torch.randint(1, 100, (n_ranks, 1, SIZE)).to(torch_dtype).share_memory_()
    y = torch.zeros(n_ranks, 1, SIZE, dtype=torch_dtype).share_memory_()
    compiled = ir.compile(
        build_ring(n_ranks),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    compiled(x, y)

    assert torch.equal(y, x.sum(dim=0, keepdim=True).expand_as(y))
    print("OK")


if __name__ == "__main__":
    main()
