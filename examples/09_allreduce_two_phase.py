# SPDX-License-Identifier: Apache-2.0
"""Step 09, allreduce in two phases: each rank reduces one slice for all, then everybody gathers the slices.

In the mesh of step 08 every rank computes the whole sum, P times the same work. Here the N elements are cut into P
slices, and rank r is the only one to reduce slice r:

    1  stage     write my x into my own window
    2  barrier   everybody has staged
    3  reduce    slice r of every rank, added up and written back into slice r of my own window
    4  barrier   everybody has reduced its slice
    5  gather    slice p of rank p for every p: together the whole sum

Phases 2 and 3 are a reduce-scatter (step 14), 4 and 5 an allgather (step 13).

Writing back into the window needs no barrier of its own: slice r of my window is read by me alone until barrier 4.
Barrier 4 counts on in the same cells, so it waits for 2. With 1 it would be over before it began.

N need not be a multiple of P. Rank r owns elements floor(N * r / P) up to floor(N * (r + 1) / P): the slices join
without gap, differ by at most one element, and with N < P some are empty. Whoever owns nothing moves nothing, and
still takes part in both barriers.

Cost: N + (P-2) * c_r elements received, c_r being the own slice; 2 * (P-1)/P * N when P divides N. The gather reads the
own slice like the others, which counts as local.

    a2a3sim run examples/09_allreduce_two_phase.py -d 0,1,2,3
    a2a3sim run examples/09_allreduce_two_phase.py -d 0,1,2,3 --set SIZE=5
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir.distributed_compiled_program import DistributedConfig

SIZE = 64
DTYPE = pl.FP32  # or pl.FP16


def build_two_phase(n_ranks):
    """The two-phase allreduce for n_ranks ranks."""
    block = 32 // DTYPE.get_byte()  # elements in 32 bytes, the grain of a tile row
    longest = (SIZE + n_ranks - 1) // n_ranks  # elements in the longest slice
    chunk = min(16384 // DTYPE.get_byte(), (longest + block - 1) // block * block)

    @pl.program
    class TwoPhaseAllReduce:
        @pl.function(type=pl.FunctionType.InCore)
        def reduce_and_gather(
            self,
            x: pl.Tensor[[1, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], DTYPE]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], DTYPE]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            # Phase 1: stage everything, since every peer wants its slice of it.
            for col in pl.range(0, SIZE, chunk):
                width = pl.min(chunk, SIZE - col)
                mine = pl.load(x, [0, col], [1, chunk], valid_shape=[1, width])
                data = pl.store(mine, [0, col], data)

            # Phase 2: barrier.
            for peer in pl.range(nranks):
                if peer != my_rank:
                    pld.system.notify(
                        signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
                    )
            for src in pl.range(nranks):
                if src != my_rank:
                    pld.system.wait(signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

            # Phase 3: reduce my slice. For an empty one the loop runs zero times.
            begin = SIZE * my_rank // nranks
            end = SIZE * (my_rank + 1) // nranks
            for col in pl.range(begin, end, chunk):
                width = pl.min(chunk, end - col)
                acc = pl.load(data, [0, col], [1, chunk], valid_shape=[1, width])
                for peer in pl.range(nranks):
                    if peer != my_rank:
                        recv = pld.tile.remote_load(
                            data, peer=peer, offsets=[0, col], shape=[1, chunk], valid_shape=[1, width]
                        )
                        acc = pl.add(acc, recv)
                data = pl.store(acc, [0, col], data)

            # Phase 4: barrier. The same cells, the second credit.
            for peer in pl.range(nranks):
                if peer != my_rank:
                    pld.system.notify(
                        signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
                    )
            for src in pl.range(nranks):
                if src != my_rank:
                    pld.system.wait(signal, offsets=[src, 0], expected=2, cmp=pld.WaitCmp.Ge)

            # Phase 5: gather. The sum of slice p lies in the window of rank p and nowhere else.
            for peer in pl.range(nranks):
                first = SIZE * peer // nranks
                last = SIZE * (peer + 1) // nranks
                for col in pl.range(first, last, chunk):
                    width = pl.min(chunk, last - col)
                    recv = pld.tile.remote_load(
                        data, peer=peer, offsets=[0, col], shape=[1, chunk], valid_shape=[1, width]
                    )
                    y = pl.store(recv, [0, col], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[1, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], DTYPE]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], DTYPE]:
            return self.reduce_and_gather(x, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[n_ranks, 1, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[n_ranks, 1, SIZE], DTYPE]],
        ) -> pl.Tensor[[n_ranks, 1, SIZE], DTYPE]:
            data_buf = pld.alloc_window_buffer(SIZE * DTYPE.get_byte())
            signal_buf = pld.alloc_window_buffer(n_ranks * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buf, [1, SIZE], dtype=DTYPE)
                signal = pld.window(signal_buf, [n_ranks, 1], dtype=pl.INT32)
                self.chip(x[r], y[r], data, signal, device=r)
            return y

    return TwoPhaseAllReduce


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
        build_two_phase(n_ranks),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    compiled(x, y)

    assert torch.equal(y, x.sum(dim=0, keepdim=True).expand_as(y))
    print("OK")


if __name__ == "__main__":
    main()
