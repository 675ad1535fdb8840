# SPDX-License-Identifier: Apache-2.0
# A HOST all_to_all_v: blocks of rows with a count for each peer. Rank r has (r + q) % (CAPACITY + 1) rows for rank q.
import pypto.language as pl
import pypto.language.distributed as pld

CAPACITY = 3  # rows in a block
WIDTH = 24


def build(n_ranks):
    rows = n_ranks * CAPACITY

    @pl.program
    class HostAllToAllV:
        @pl.function(type=pl.FunctionType.InCore)
        def publish_kernel(
            self,
            x: pl.Tensor[[rows, WIDTH], pl.FP32],
            blocks: pl.InOut[pld.DistributedTensor[[rows, WIDTH], pl.FP32]],
            send: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ):
            my_rank = pld.rank(pld.get_comm_ctx(blocks))
            for q in pl.range(n_ranks):
                block = pl.load(x, [q * CAPACITY, 0], [CAPACITY, WIDTH])
                blocks = pl.store(block, [q * CAPACITY, 0], blocks)
                pl.write(send, [q, 0], pl.cast((my_rank + q) % (CAPACITY + 1), pl.INT32))

        @pl.function(type=pl.FunctionType.Orchestration)
        def publish(
            self,
            x: pl.Tensor[[rows, WIDTH], pl.FP32],
            blocks: pl.InOut[pld.DistributedTensor[[rows, WIDTH], pl.FP32]],
            send: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
        ):
            self.publish_kernel(x, blocks, send)

        # Whole blocks arrive, whatever the counts are; the rows behind a count are not for this rank.
        @pl.function(type=pl.FunctionType.InCore)
        def consume_kernel(
            self,
            data: pl.InOut[pld.DistributedTensor[[rows, WIDTH], pl.FP32]],
            received: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
            y: pl.Out[pl.Tensor[[rows, WIDTH], pl.FP32]],
        ):
            for q in pl.range(n_ranks):
                count = pl.read(received, [q, 0])
                for i in pl.range(CAPACITY):
                    row = pl.tile.full([1, WIDTH], dtype=pl.FP32, value=0.0)
                    if i < count:
                        row = pl.load(data, [q * CAPACITY + i, 0], [1, WIDTH])
                    y = pl.store(row, [q * CAPACITY + i, 0], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def consume(
            self,
            data: pl.InOut[pld.DistributedTensor[[rows, WIDTH], pl.FP32]],
            received: pl.InOut[pld.DistributedTensor[[n_ranks, 1], pl.INT32]],
            y: pl.Out[pl.Tensor[[rows, WIDTH], pl.FP32]],
        ):
            self.consume_kernel(data, received, y)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[n_ranks, rows, WIDTH], pl.FP32],
            y: pl.Out[pl.Tensor[[n_ranks, rows, WIDTH], pl.FP32]],
        ):
            blocks_buf = pld.alloc_window_buffer([rows, WIDTH], dtype=pl.FP32)
            blocks = pld.window(blocks_buf, [rows, WIDTH], dtype=pl.FP32)
            data_buf = pld.alloc_window_buffer([rows, WIDTH], dtype=pl.FP32)
            data = pld.window(data_buf, [rows, WIDTH], dtype=pl.FP32)
            send_buf = pld.alloc_window_buffer([n_ranks, 1], dtype=pl.INT32)
            send = pld.window(send_buf, [n_ranks, 1], dtype=pl.INT32)
            received_buf = pld.alloc_window_buffer([n_ranks, 1], dtype=pl.INT32)
            received = pld.window(received_buf, [n_ranks, 1], dtype=pl.INT32)
            signal_buf = pld.alloc_window_buffer([n_ranks, 1], dtype=pl.INT32)
            signal = pld.window(signal_buf, [n_ranks, 1], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                self.publish(x[r], blocks, send, device=r)
            pld.tensor.all_to_all_v(blocks, data, signal, send, received)
            for r in pl.range(pld.world_size()):
                self.consume(data, received, y[r], device=r)

    return HostAllToAllV
