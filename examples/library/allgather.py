# SPDX-License-Identifier: Apache-2.0
"""A library kernel: the allgather of step 13 for slices of any size.

Step 13 moves a slice as one tile, so it ends where the on-chip buffer does. Here a loop over columns moves at most
16 KiB at a time; phases, order and bytes are those of step 13, by hand and in one call. `a2a3sim compare allgather`
runs this file.

    a2a3sim run examples/library/allgather.py -d 0,1,2,3 --set SIZE=5000
    a2a3sim run examples/library/allgather.py -d 0-6 --mode builtin --set SIZE=5000
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir.distributed_compiled_program import DistributedConfig

SIZE = 64
CHUNK = min(4096, (SIZE + 7) // 8 * 8)  # columns of a tile: whole 32-byte blocks, at most 16 KiB


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
            for col in pl.range(0, SIZE, CHUNK):
                width = pl.min(CHUNK, SIZE - col)
                local = pl.load(x, [0, col], [1, CHUNK], valid_shape=[1, width])
                data = pl.store(local, [my_rank, col], data)

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
                for col in pl.range(0, SIZE, CHUNK):
                    width = pl.min(CHUNK, SIZE - col)
                    recv = pld.tile.remote_load(
                        data, peer=peer, offsets=[peer, col], shape=[1, CHUNK], valid_shape=[1, width]
                    )
                    y = pl.store(recv, [0, peer * SIZE + col], y)
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
                for col in pl.range(0, SIZE, CHUNK):
                    width = pl.min(CHUNK, SIZE - col)
                    row = pl.load(data, [src, col], [1, CHUNK], valid_shape=[1, width])
                    y = pl.store(row, [0, src * SIZE + col], y)
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
