# SPDX-License-Identifier: Apache-2.0
"""Step 04, the barrier: notify every peer, wait for every peer.

A signal window is an INT32 window with one cell per rank, [nr, 1]. Cell q of MY copy counts what rank q told ME:

    notify(signal, peer=p, offsets=[my_rank, 0], +1)     my mark, on every peer's copy, in my cell
    wait(signal, offsets=[q, 0], Ge 1)                   every peer's mark, on my own copy

Each cell has a single writer, so no credit can hide another. Notify first, wait after: turned round, everybody
waits for a mark that nobody has sent yet. A rank does not notify itself, and its own cell stays 0; the tally that
each rank writes out shows it: a one for every peer and a zero for oneself.

The builtin call pld.tensor.barrier(signal) does the same, and then takes its credits back out: P-1 signals to oneself
that subtract what the peers added. So the window can serve the next call, and the tally is all zero.

    a2a3sim run examples/04_barrier.py -d 0,1,2,3
    a2a3sim run examples/04_barrier.py -d 0,1,2,3 --mode builtin
    a2a3sim diff examples/04_barrier.py --modes hand,builtin -d 0,1
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir.distributed_compiled_program import DistributedConfig


def build_hand(n_ranks):
    """The program for n_ranks ranks; the hand-written barrier."""

    @pl.program
    class HandBarrier:
        @pl.function(type=pl.FunctionType.InCore)
        def meet(
            self,
            tally: pl.Out[pl.Tensor[[1, n_ranks], pl.INT32]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, n_ranks], pl.INT32]:
            ctx = pld.get_comm_ctx(signal)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            for peer in pl.range(nranks):
                if peer != my_rank:
                    pld.system.notify(
                        signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
                    )
            for src in pl.range(nranks):
                if src != my_rank:
                    pld.system.wait(signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

            # A signal column is too narrow for a tile (4 bytes a row): read and write the cells one by one.
            for src in pl.range(nranks):
                credit = pl.read(signal, [src, 0])
                pl.write(tally, [0, src], credit)
            return tally

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            tally: pl.Out[pl.Tensor[[1, n_ranks], pl.INT32]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, n_ranks], pl.INT32]:
            return self.meet(tally, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            tally: pl.Out[pl.Tensor[[n_ranks, 1, n_ranks], pl.INT32]],
        ) -> pl.Tensor[[n_ranks, 1, n_ranks], pl.INT32]:
            signal_buf = pld.alloc_window_buffer(n_ranks * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                signal = pld.window(signal_buf, [n_ranks, 1], dtype=pl.INT32)
                self.chip(tally[r], signal, device=r)
            return tally

    return HandBarrier


def build_builtin(n_ranks):
    """The program for n_ranks ranks; the barrier in one call."""

    @pl.program
    class BuiltinBarrier:
        @pl.function(type=pl.FunctionType.InCore)
        def meet(
            self,
            tally: pl.Out[pl.Tensor[[1, n_ranks], pl.INT32]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, n_ranks], pl.INT32]:
            nranks = pld.nranks(pld.get_comm_ctx(signal))

            signal = pld.tensor.barrier(signal)

            # A signal column is too narrow for a tile (4 bytes a row): read and write the cells one by one.
            for src in pl.range(nranks):
                credit = pl.read(signal, [src, 0])
                pl.write(tally, [0, src], credit)
            return tally

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            tally: pl.Out[pl.Tensor[[1, n_ranks], pl.INT32]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, n_ranks], pl.INT32]:
            return self.meet(tally, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            tally: pl.Out[pl.Tensor[[n_ranks, 1, n_ranks], pl.INT32]],
        ) -> pl.Tensor[[n_ranks, 1, n_ranks], pl.INT32]:
            signal_buf = pld.alloc_window_buffer(n_ranks * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                signal = pld.window(signal_buf, [n_ranks, 1], dtype=pl.INT32)
                self.chip(tally[r], signal, device=r)
            return tally

    return BuiltinBarrier


BUILDERS = {"hand": build_hand, "builtin": build_builtin}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1", help="comma separated device ids")
    parser.add_argument("--mode", default="hand", choices=list(BUILDERS))
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    n_ranks = len(device_ids)

    tally = torch.zeros(n_ranks, 1, n_ranks, dtype=torch.int32).share_memory_()
    compiled = ir.compile(
        BUILDERS[args.mode](n_ranks),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    compiled(tally)

    golden = 1 - torch.eye(n_ranks, dtype=torch.int32)
    if args.mode == "builtin":
        golden = torch.zeros(n_ranks, n_ranks, dtype=torch.int32)
    assert torch.equal(tally.reshape(n_ranks, n_ranks), golden)
    print("OK")


if __name__ == "__main__":
    main()
