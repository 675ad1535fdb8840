# SPDX-License-Identifier: Apache-2.0
"""Step 11, the reveal: the allreduce in one call, and what is inside.

Steps 08 to 10 built an allreduce three times. pld.tensor.allreduce(data, signal, op=..., mode=...) is two of them: mode
"mesh" is step 08, mode "ring" is step 10. This file has all four programs side by side, so that they can be compared:

    mesh, ring             the call; the sum replaces the data in the window
    hand_mesh, hand_ring   the kernels of steps 08 and 10

What the calls do beyond the kernels by hand:

    in place    the mesh ends each chunk of 16 KiB with a barrier, since what it stores peers may still be reading; the
                kernel of step 08 writes to y and needs none
    the ring    has two barriers per piece instead of one per round: it takes no care of who reads what when
    clearing    every credit is taken back out at the end, so that the window can serve the next call
    rounding    the order of the additions is that of the kernels by hand: results agree to the last bit

The payload is the same, byte for byte: (P-1)*N for the mesh, 2*(P-1)/P*N for the ring. Only signals differ, and the
cost card shows how many.

The two layouts do not mix: the mesh counts in [nr, 1], the ring in [2*(nr-1), nr].

    a2a3sim run examples/11_allreduce_reveal.py --mode mesh -d 0,1,2,3
    a2a3sim run examples/11_allreduce_reveal.py --mode ring -d 0,1,2,3
    a2a3sim diff examples/11_allreduce_reveal.py --modes hand_mesh,mesh -d 0,1
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


def build_mesh(n_ranks):
    """The mesh allreduce in one call, for n_ranks ranks."""

    @pl.program
    class MeshAllReduce:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[1, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], DTYPE]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], DTYPE]:
            # Stage.
            for col in pl.range(0, SIZE, CHUNK):
                width = pl.min(CHUNK, SIZE - col)
                mine = pl.load(x, [0, col], [1, CHUNK], valid_shape=[1, width])
                data = pl.store(mine, [0, col], data)

            data = pld.tensor.allreduce(data, signal, op=pld.ReduceOp.Sum, mode="mesh")

            # The sum stands where the own data was.
            for col in pl.range(0, SIZE, CHUNK):
                width = pl.min(CHUNK, SIZE - col)
                total = pl.load(data, [0, col], [1, CHUNK], valid_shape=[1, width])
                y = pl.store(total, [0, col], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[1, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], DTYPE]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], DTYPE]:
            return self.step(x, y, data, signal)

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

    return MeshAllReduce


def build_ring(n_ranks):
    """The ring allreduce in one call, for n_ranks ranks."""
    rows = max(2 * (n_ranks - 1), 1)  # one rank alone has no rounds, and a window at least one row

    @pl.program
    class RingAllReduce:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[1, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], DTYPE]],
            signal: pl.InOut[pld.DistributedTensor[[rows, n_ranks], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], DTYPE]:
            # Stage.
            for col in pl.range(0, SIZE, CHUNK):
                width = pl.min(CHUNK, SIZE - col)
                mine = pl.load(x, [0, col], [1, CHUNK], valid_shape=[1, width])
                data = pl.store(mine, [0, col], data)

            data = pld.tensor.allreduce(data, signal, op=pld.ReduceOp.Sum, mode="ring")

            # The sum stands where the own data was.
            for col in pl.range(0, SIZE, CHUNK):
                width = pl.min(CHUNK, SIZE - col)
                total = pl.load(data, [0, col], [1, CHUNK], valid_shape=[1, width])
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
            return self.step(x, y, data, signal)

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


def build_hand_mesh(n_ranks):
    """The kernel of step 08."""

    @pl.program
    class HandMeshAllReduce:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
            self,
            x: pl.Tensor[[1, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], DTYPE]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], DTYPE]:
            ctx = pld.get_comm_ctx(data)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)

            # Phase 1: stage. The last chunk may be narrower than its tile; valid_shape says by how much.
            for col in pl.range(0, SIZE, CHUNK):
                width = pl.min(CHUNK, SIZE - col)
                mine = pl.load(x, [0, col], [1, CHUNK], valid_shape=[1, width])
                data = pl.store(mine, [0, col], data)

            # Phase 2: barrier. From here on every window holds its rank's x.
            for peer in pl.range(nranks):
                if peer != my_rank:
                    pld.system.notify(signal, peer=peer, offsets=[my_rank, 0], value=1, op=pld.NotifyOp.AtomicAdd)
            for src in pl.range(nranks):
                if src != my_rank:
                    pld.system.wait(signal, offsets=[src, 0], expected=1, cmp=pld.WaitCmp.Ge)

            # Phase 3: accumulate. acc is rebound in the loop and carries the sum from peer to peer.
            for col in pl.range(0, SIZE, CHUNK):
                width = pl.min(CHUNK, SIZE - col)
                acc = pl.load(x, [0, col], [1, CHUNK], valid_shape=[1, width])
                for peer in pl.range(nranks):
                    if peer != my_rank:
                        recv = pld.tile.remote_load(
                            data, peer=peer, offsets=[0, col], shape=[1, CHUNK], valid_shape=[1, width]
                        )
                        acc = pl.add(acc, recv)
                y = pl.store(acc, [0, col], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[1, SIZE], DTYPE],
            y: pl.Out[pl.Tensor[[1, SIZE], DTYPE]],
            data: pl.InOut[pld.DistributedTensor[[1, SIZE], DTYPE]],
            signal: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ) -> pl.Tensor[[1, SIZE], DTYPE]:
            return self.step(x, y, data, signal)

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

    return HandMeshAllReduce


def build_hand_ring(n_ranks):
    """The kernel of step 10."""
    rows = max(2 * (n_ranks - 1), 1)  # one rank alone has no rounds, and a window at least one row
    block = 32 // DTYPE.get_byte()  # elements in 32 bytes, the grain of a tile row
    longest = (SIZE + n_ranks - 1) // n_ranks  # elements in the longest segment
    chunk = min(16384 // DTYPE.get_byte(), (longest + block - 1) // block * block)

    @pl.program
    class HandRingAllReduce:
        @pl.function(type=pl.FunctionType.InCore)
        def step(
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
            return self.step(x, y, data, signal)

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

    return HandRingAllReduce


BUILDERS = {
    "mesh": build_mesh,
    "ring": build_ring,
    "hand_mesh": build_hand_mesh,
    "hand_ring": build_hand_ring,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1", help="comma separated device ids")
    parser.add_argument("--mode", default="mesh", choices=list(BUILDERS))
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    n_ranks = len(device_ids)

    # Small whole numbers: their sums are exact, in whatever order they are added.
    torch_dtype = torch.float16 if DTYPE == pl.FP16 else torch.float32
    x = torch.randint(1, 100, (n_ranks, 1, SIZE)).to(torch_dtype).share_memory_()
    y = torch.zeros(n_ranks, 1, SIZE, dtype=torch_dtype).share_memory_()
    compiled = ir.compile(
        BUILDERS[args.mode](n_ranks),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    compiled(x, y)

    assert torch.equal(y, x.sum(dim=0, keepdim=True).expand_as(y))
    print("OK")


if __name__ == "__main__":
    main()
