# SPDX-License-Identifier: Apache-2.0
"""Step 13, allgather: every rank ends with the slices of all ranks, in rank order.

Each rank owns one slice of SIZE elements. The window has a row per rank, [nr, SIZE], and three phases do the rest:

    1  stage    write my slice into row my_rank of my own window
    2  barrier  one credit to every peer, one credit from every peer
    3  gather   read row p of rank p for every p, and store it at p * SIZE of the output

The gather does not skip the own rank: that row is read back the same way and counts as a local transfer. So every
rank receives (P-1)/P of the output over the links, and serves as much to its peers.

The builtin call does the same in one line, the other way round: every rank pushes its slice into row my_rank of every
peer, and the barrier comes after the transfers, because there it tells that all rows have come in.

Order is the contract: slot p holds rank p's slice. Storing it at p + 1 instead would give every rank the same wrong
answer, and only the golden notices.

    a2a3sim run examples/13_allgather.py -d 0,1
    a2a3sim run examples/13_allgather.py -d 0,1,2,3
    a2a3sim run examples/13_allgather.py -d 0,1,2,3 --mode builtin
    a2a3sim diff examples/13_allgather.py --modes hand,builtin -d 0,1
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir.distributed_compiled_program import DistributedConfig

SIZE = 64
COLS = (SIZE + 7) // 8 * 8  # columns of a tile: rows are whole 32-byte blocks, valid_shape gives the real size


def build_hand(n_ranks):
    """The hand-written allgather for n_ranks ranks."""

    @pl.program
    class HandAllGather:
        @pl.function(type=pl.FunctionType.InCore)
        def hand_step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, n_ranks * SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, n_ranks * SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            # Phase 1: stage. Row my_rank is mine alone, so no two ranks ever write the same bytes.
            local = pl.load(x, [0, 0], [1, COLS], valid_shape=[1, SIZE])
            data = pl.store(local, [my_rank, 0], data)

            # Phase 2: barrier. The credits go out first; then wait until every peer has staged.
            for peer in pl.range(nranks):
                if peer != my_rank:
                    pld.system.notify(
                        signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
                    )
            for src in pl.range(nranks):
                if src != my_rank:
                    pld.system.wait(signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

            # Phase 3: gather. Rank p's slice lies in row p of rank p's window and belongs at p * SIZE.
            for peer in pl.range(nranks):
                recv = pld.tile.remote_load(
                    data, peer=peer, offsets=[peer, 0], shape=[1, COLS], valid_shape=[1, SIZE]
                )
                y = pl.store(recv, [0, peer * SIZE], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, n_ranks * SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, n_ranks * SIZE], pl.FP32]:
            y = self.hand_step(x, y, data, signal)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[n_ranks, 1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[n_ranks, 1, n_ranks * SIZE], pl.FP32]],
        ) -> pl.Tensor[[n_ranks, 1, n_ranks * SIZE], pl.FP32]:
            data_buf = pld.alloc_window_buffer(n_ranks * SIZE * pl.FP32.get_byte())
            signal_buf = pld.alloc_window_buffer(n_ranks * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buf, [n_ranks, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buf, [n_ranks, 1], dtype=pl.INT32)
                self.chip(x[r], y[r], data, signal, device=r)
            return y

    return HandAllGather


def build_builtin(n_ranks):
    """The allgather in one call, for n_ranks ranks."""

    @pl.program
    class BuiltinAllGather:
        @pl.function(type=pl.FunctionType.InCore)
        def builtin_step(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, n_ranks * SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, n_ranks * SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(data)
            nranks = pld.nranks(ctx)

            # Push and barrier. The source is the plain tensor x, not the window: the call stages it itself.
            data = pld.tensor.allgather(x, data, signal)

            # Every row is here: these are local reads.
            for src in pl.range(nranks):
                chunk = pl.load(data, [src, 0], [1, COLS], valid_shape=[1, SIZE])
                y = pl.store(chunk, [0, src * SIZE], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[1, n_ranks * SIZE], pl.FP32]],
            data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], pl.FP32]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, n_ranks * SIZE], pl.FP32]:
            y = self.builtin_step(x, y, data, signal)
            return y

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[n_ranks, 1, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[n_ranks, 1, n_ranks * SIZE], pl.FP32]],
        ) -> pl.Tensor[[n_ranks, 1, n_ranks * SIZE], pl.FP32]:
            data_buf = pld.alloc_window_buffer(n_ranks * SIZE * pl.FP32.get_byte())
            signal_buf = pld.alloc_window_buffer(n_ranks * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buf, [n_ranks, SIZE], dtype=pl.FP32)
                signal = pld.window(signal_buf, [n_ranks, 1], dtype=pl.INT32)
                self.chip(x[r], y[r], data, signal, device=r)
            return y

    return BuiltinAllGather


BUILDERS = {"hand": build_hand, "builtin": build_builtin}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1", help="comma separated device ids")
    parser.add_argument("--mode", default="hand", choices=list(BUILDERS))
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    n_ranks = len(device_ids)

    x = torch.arange(n_ranks * SIZE, dtype=torch.float32).reshape(n_ranks, 1, SIZE).share_memory_()
    y = torch.zeros(n_ranks, 1, n_ranks * SIZE, dtype=torch.float32).share_memory_()
    compiled = ir.compile(
        BUILDERS[args.mode](n_ranks),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    compiled(x, y)

    golden = x.reshape(1, 1, n_ranks * SIZE).expand(n_ranks, 1, n_ranks * SIZE)
    assert torch.equal(y, golden)
    print("OK")


if __name__ == "__main__":
    main()
