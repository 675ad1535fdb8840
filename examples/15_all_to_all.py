# SPDX-License-Identifier: Apache-2.0
"""Step 15, all-to-all: every rank has a row for every rank.

Row q of rank r goes to rank q and arrives there as row r. Seen as a P x P matrix of rows, it is a transposition:

    rank 0      rank 1      rank 2              rank 0      rank 1      rank 2
    a0          b0          c0                  a0          a1          a2
    a1          b1          c1        ->        b0          b1          b2
    a2          b2          c2                  c0          c1          c2

This time the data is pushed, as in mode store of step 05: the sender writes into the receiver's window. No staging,
since the source is plain x; and the barrier changes sides:

    1  push     row q of x into row my_rank of rank q's window, for every q
    2  barrier  one credit to every peer, one credit from every peer: now all rows for me have arrived
    3  read     my own window

Row my_rank belongs to me in every window, so no two ranks write the same bytes. A notify is sent when all earlier work
of the core is complete: that is why the credit may speak for the data.

Cost: (P-1) * SIZE elements sent and as many received. The row to oneself takes the same way and counts as local.

The builtin call pushes too: a put per peer where this kernel has load and remote_store, and the same barrier behind it.

    a2a3sim run examples/15_all_to_all.py -d 0,1,2,3
    a2a3sim run examples/15_all_to_all.py -d 0,1,2,3 --mode builtin
    a2a3sim diff examples/15_all_to_all.py --modes hand,builtin -d 0,1
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
    """The hand-written all-to-all for n_ranks ranks."""

    @pl.program
    class HandAllToAll:
        @pl.function(type=pl.FunctionType.InCore)
        def hand_step(
            self,
            x: pl.Tensor[[n_ranks, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[n_ranks, SIZE], DTYPE]],
            data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], DTYPE]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[n_ranks, SIZE], DTYPE]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            # Phase 1: push. The last chunk of a row may be narrower than its tile; only its valid part travels.
            for peer in pl.range(nranks):
                for col in pl.range(0, SIZE, CHUNK):
                    width = pl.min(CHUNK, SIZE - col)
                    row = pl.load(x, [peer, col], [1, CHUNK], valid_shape=[1, width])
                    pld.tile.remote_store(row, target=data, peer=peer, offsets=[my_rank, col])

            # Phase 2: barrier.
            for peer in pl.range(nranks):
                if peer != my_rank:
                    pld.system.notify(
                        signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd
                    )
            for src in pl.range(nranks):
                if src != my_rank:
                    pld.system.wait(signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

            # Phase 3: read what has arrived. Row src is rank src's row for me.
            for src in pl.range(nranks):
                for col in pl.range(0, SIZE, CHUNK):
                    width = pl.min(CHUNK, SIZE - col)
                    arrived = pl.load(data, [src, col], [1, CHUNK], valid_shape=[1, width])
                    y = pl.store(arrived, [src, col], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[n_ranks, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[n_ranks, SIZE], DTYPE]],
            data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], DTYPE]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[n_ranks, SIZE], DTYPE]:
            return self.hand_step(x, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[n_ranks, n_ranks, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[n_ranks, n_ranks, SIZE], DTYPE]],
        ) -> pl.Tensor[[n_ranks, n_ranks, SIZE], DTYPE]:
            data_buf = pld.alloc_window_buffer(n_ranks * SIZE * DTYPE.get_byte())
            signal_buf = pld.alloc_window_buffer(n_ranks * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buf, [n_ranks, SIZE], dtype=DTYPE)
                signal = pld.window(signal_buf, [n_ranks, 1], dtype=pl.INT32)
                self.chip(x[r], y[r], data, signal, device=r)
            return y

    return HandAllToAll


def build_builtin(n_ranks):
    """The all-to-all in one call for n_ranks ranks."""

    @pl.program
    class BuiltinAllToAll:
        @pl.function(type=pl.FunctionType.InCore)
        def builtin_step(
            self,
            x: pl.Tensor[[n_ranks, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[n_ranks, SIZE], DTYPE]],
            data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], DTYPE]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[n_ranks, SIZE], DTYPE]:
            nranks = pld.nranks(pld.get_comm_ctx(data))

            # Push and barrier. The source is the plain tensor x.
            data = pld.tensor.all_to_all(x, data, signal)

            # Row src of my window is rank src's row for me.
            for src in pl.range(nranks):
                for col in pl.range(0, SIZE, CHUNK):
                    width = pl.min(CHUNK, SIZE - col)
                    arrived = pl.load(data, [src, col], [1, CHUNK], valid_shape=[1, width])
                    y = pl.store(arrived, [src, col], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[n_ranks, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[n_ranks, SIZE], DTYPE]],
            data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], DTYPE]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[n_ranks, SIZE], DTYPE]:
            return self.builtin_step(x, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[n_ranks, n_ranks, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[n_ranks, n_ranks, SIZE], DTYPE]],
        ) -> pl.Tensor[[n_ranks, n_ranks, SIZE], DTYPE]:
            data_buf = pld.alloc_window_buffer(n_ranks * SIZE * DTYPE.get_byte())
            signal_buf = pld.alloc_window_buffer(n_ranks * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buf, [n_ranks, SIZE], dtype=DTYPE)
                signal = pld.window(signal_buf, [n_ranks, 1], dtype=pl.INT32)
                self.chip(x[r], y[r], data, signal, device=r)
            return y

    return BuiltinAllToAll


MODES = {"hand": build_hand, "builtin": build_builtin}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1", help="comma separated device ids")
    parser.add_argument("--mode", default="hand", choices=sorted(MODES))
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    n_ranks = len(device_ids)

    torch_dtype = torch.float16 if DTYPE == pl.FP16 else torch.float32
    x = torch.randint(1, 100, (n_ranks, n_ranks, SIZE)).to(torch_dtype).share_memory_()
    y = torch.zeros(n_ranks, n_ranks, SIZE, dtype=torch_dtype).share_memory_()
    compiled = ir.compile(
        MODES[args.mode](n_ranks),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    compiled(x, y)

    assert torch.equal(y, x.transpose(0, 1))
    print("OK")


if __name__ == "__main__":
    main()
