# SPDX-License-Identifier: Apache-2.0
"""Step 06, put and get: whole tensors, one call.

remote_load and remote_store move one tile. pld.tensor.put and pld.tensor.get move a tensor of any size: the compiler
streams it through a staging tile in the on-chip buffer. Without further words that tile is as big as the transfer.
chunk_rows and chunk_cols bound it, and pipeline=True takes two tiles so that storing one chunk overlaps loading the
next. The bytes on the wire are the same in every form; the time is not. Compare the cards:

    a2a3sim run examples/06_put_get.py --mode put -d 0,1,2             y[r] = x[r - 1], pushed by the left neighbour
    a2a3sim run examples/06_put_get.py --mode put_chunked -d 0,1,2
    a2a3sim run examples/06_put_get.py --mode get -d 0,1,2             y[r] = x[r + 1], pulled from the right
    a2a3sim run examples/06_put_get.py --mode get_pipelined -d 0,1,2

A put is complete for the sender only. The receiver learns of it by a signal, and only the two neighbours need to
talk: the one who writes notifies the one who is written to.
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir.distributed_compiled_program import DistributedConfig

ROWS = 8
SIZE = 64
COLS = (SIZE + 7) // 8 * 8  # tile rows are whole 32-byte blocks


def build_put(n_ranks, chunk_rows=0, chunk_cols=0, pipeline=False):
    """Every rank puts its x into its right neighbour's window."""
    assert n_ranks > 0, "a program needs at least one rank"

    @pl.program
    class Put:
        @pl.function(type=pl.FunctionType.InCore)
        def push(
            self,
            x: pl.Tensor[[ROWS, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[ROWS, SIZE], pl.FP32]],
            inbox: pl.InOut[pld.DistributedTensor[[ROWS, SIZE], pl.FP32]],
            arrived: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        ) -> pl.Tensor[[ROWS, SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(inbox)
            right = (pld.rank(ctx) + 1) % pld.nranks(ctx)

            pld.tensor.put(
                inbox, peer=right, src=x, chunk_rows=chunk_rows, chunk_cols=chunk_cols, pipeline=pipeline
            )
            pld.system.notify(arrived, peer=right, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)

            # My own inbox is filled by my left neighbour; its credit says when.
            pld.system.wait(arrived, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
            for row in pl.range(ROWS):
                t = pl.load(inbox, [row, 0], [1, COLS], valid_shape=[1, SIZE])
                y = pl.store(t, [row, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[ROWS, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[ROWS, SIZE], pl.FP32]],
            inbox: pl.InOut[pld.DistributedTensor[[ROWS, SIZE], pl.FP32]],
            arrived: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        ) -> pl.Tensor[[ROWS, SIZE], pl.FP32]:
            return self.push(x, y, inbox, arrived)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[n_ranks, ROWS, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[n_ranks, ROWS, SIZE], pl.FP32]],
        ) -> pl.Tensor[[n_ranks, ROWS, SIZE], pl.FP32]:
            inbox_buf = pld.alloc_window_buffer([ROWS, SIZE], dtype=pl.FP32)
            arrived_buf = pld.alloc_window_buffer(pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                inbox = pld.window(inbox_buf, [ROWS, SIZE], dtype=pl.FP32)
                arrived = pld.window(arrived_buf, [1, 1], dtype=pl.INT32)
                self.chip(x[r], y[r], inbox, arrived, device=r)
            return y

    return Put


def build_get(n_ranks, chunk_rows=0, chunk_cols=0, pipeline=False):
    """Every rank gets its right neighbour's x straight into its own y."""
    assert n_ranks > 0, "a program needs at least one rank"

    @pl.program
    class Get:
        @pl.function(type=pl.FunctionType.InCore)
        def pull(
            self,
            x: pl.Tensor[[ROWS, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[ROWS, SIZE], pl.FP32]],
            shelf: pl.InOut[pld.DistributedTensor[[ROWS, SIZE], pl.FP32]],
            ready: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        ) -> pl.Tensor[[ROWS, SIZE], pl.FP32]:
            ctx = pld.get_comm_ctx(shelf)
            my_rank = pld.rank(ctx)
            nranks = pld.nranks(ctx)
            right = (my_rank + 1) % nranks
            left = (my_rank + nranks - 1) % nranks

            for row in pl.range(ROWS):
                t = pl.load(x, [row, 0], [1, COLS], valid_shape=[1, SIZE])
                shelf = pl.store(t, [row, 0], shelf)

            # I tell the rank that reads me (left), and wait for the rank that I read (right).
            pld.system.notify(ready, peer=left, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
            pld.system.wait(ready, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
            y = pld.tensor.get(
                y, peer=right, src=shelf, chunk_rows=chunk_rows, chunk_cols=chunk_cols, pipeline=pipeline
            )
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip(
            self,
            x: pl.Tensor[[ROWS, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[ROWS, SIZE], pl.FP32]],
            shelf: pl.InOut[pld.DistributedTensor[[ROWS, SIZE], pl.FP32]],
            ready: pl.InOut[pld.DistributedTensor[[1, 1], pl.INT32]],
        ) -> pl.Tensor[[ROWS, SIZE], pl.FP32]:
            return self.pull(x, y, shelf, ready)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[n_ranks, ROWS, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[n_ranks, ROWS, SIZE], pl.FP32]],
        ) -> pl.Tensor[[n_ranks, ROWS, SIZE], pl.FP32]:
            shelf_buf = pld.alloc_window_buffer([ROWS, SIZE], dtype=pl.FP32)
            ready_buf = pld.alloc_window_buffer(pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                shelf = pld.window(shelf_buf, [ROWS, SIZE], dtype=pl.FP32)
                ready = pld.window(ready_buf, [1, 1], dtype=pl.INT32)
                self.chip(x[r], y[r], shelf, ready, device=r)
            return y

    return Get


MODES = {
    "put": lambda n: build_put(n),
    "put_chunked": lambda n: build_put(n, chunk_rows=2, chunk_cols=32),
    "put_pipelined": lambda n: build_put(n, chunk_rows=2, chunk_cols=32, pipeline=True),
    "get": lambda n: build_get(n),
    "get_chunked": lambda n: build_get(n, chunk_rows=2, chunk_cols=32),
    "get_pipelined": lambda n: build_get(n, chunk_rows=2, chunk_cols=32, pipeline=True),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1", help="comma separated device ids")
    parser.add_argument("--mode", default="put", choices=sorted(MODES))
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    n_ranks = len(device_ids)

    x = torch.arange(n_ranks * ROWS * SIZE, dtype=torch.float32).reshape(n_ranks, ROWS, SIZE).share_memory_()
    y = torch.zeros(n_ranks, ROWS, SIZE, dtype=torch.float32).share_memory_()
    compiled = ir.compile(
        MODES[args.mode](n_ranks),
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    compiled(x, y)

    golden = torch.roll(x, shifts=1 if args.mode.startswith("put") else -1, dims=0)
    assert torch.equal(y, golden)
    print("OK")


if __name__ == "__main__":
    main()
