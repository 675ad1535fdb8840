# SPDX-License-Identifier: Apache-2.0
# A HOST allreduce as a ring. It cuts the data into as many segments as there are ranks, without a rest, and wants to
# know their length when it is compiled: the program comes from a factory that is given the number of ranks.
import pypto.language as pl
import pypto.language.distributed as pld

SIZE = 64  # elements in one segment
TILE = 4096


def build_ring(n_ranks):
    rounds = 2 * (n_ranks - 1)

    @pl.program
    class HostRing:
        @pl.function(type=pl.FunctionType.InCore)
        def publish_kernel(
            self,
            x: pl.Tensor[[n_ranks, SIZE], pl.FP32],
            data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], pl.FP32]],
        ):
            for row in pl.range(n_ranks):
                for col in pl.range(0, SIZE, TILE):
                    width = pl.min(TILE, SIZE - col)
                    mine = pl.load(x, [row, col], [1, TILE], valid_shape=[1, width])
                    data = pl.store(mine, [row, col], data)

        @pl.function(type=pl.FunctionType.Orchestration)
        def publish(
            self,
            x: pl.Tensor[[n_ranks, SIZE], pl.FP32],
            data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], pl.FP32]],
        ):
            self.publish_kernel(x, data)

        @pl.function(type=pl.FunctionType.InCore)
        def consume_kernel(
            self,
            data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], pl.FP32]],
            y: pl.Out[pl.Tensor[[n_ranks, SIZE], pl.FP32]],
        ):
            for row in pl.range(n_ranks):
                for col in pl.range(0, SIZE, TILE):
                    width = pl.min(TILE, SIZE - col)
                    total = pl.load(data, [row, col], [1, TILE], valid_shape=[1, width])
                    y = pl.store(total, [row, col], y)

        @pl.function(type=pl.FunctionType.Orchestration)
        def consume(
            self,
            data: pl.InOut[pld.DistributedTensor[[n_ranks, SIZE], pl.FP32]],
            y: pl.Out[pl.Tensor[[n_ranks, SIZE], pl.FP32]],
        ):
            self.consume_kernel(data, y)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(
            self,
            x: pl.Tensor[[n_ranks, n_ranks, SIZE], pl.FP32],
            y: pl.Out[pl.Tensor[[n_ranks, n_ranks, SIZE], pl.FP32]],
        ):
            data_buf = pld.alloc_window_buffer([n_ranks, SIZE], dtype=pl.FP32)
            data = pld.window(data_buf, [n_ranks, SIZE], dtype=pl.FP32)
            # A row of cells for each round, and one for the barrier at the end.
            signal_buf = pld.alloc_window_buffer([rounds + 1, n_ranks], dtype=pl.INT32)
            signal = pld.window(signal_buf, [rounds + 1, n_ranks], dtype=pl.INT32)
            for r in pl.range(pld.world_size()):
                self.publish(x[r], data, device=r)
            pld.tensor.allreduce(data, signal, op=pld.ReduceOp.Sum, mode="ring")
            for r in pl.range(pld.world_size()):
                self.consume(data, y[r], device=r)

    return HostRing
