# SPDX-License-Identifier: Apache-2.0
# HOST collectives: the collective is called between two dispatch loops of the host function.
import pypto.language as pl
import pypto.language.distributed as pld

SIZE = 64
TILE = 256


@pl.jit.incore
def publish_kernel(x: pl.Tensor[[1, SIZE], pl.FP32], data: pld.DistributedTensor[[1, SIZE], pl.FP32]):
    for col in pl.range(0, SIZE, TILE):
        width = pl.min(TILE, SIZE - col)
        data = pl.store(pl.load(x, [0, col], [1, TILE], valid_shape=[1, width]), [0, col], data)


@pl.jit
def publish(x: pl.Tensor[[1, SIZE], pl.FP32], data: pld.DistributedTensor[[1, SIZE], pl.FP32]):
    publish_kernel(x, data)


@pl.jit.incore
def consume_kernel(data: pld.DistributedTensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]):
    for col in pl.range(0, SIZE, TILE):
        width = pl.min(TILE, SIZE - col)
        y = pl.store(pl.load(data, [0, col], [1, TILE], valid_shape=[1, width]), [0, col], y)


@pl.jit
def consume(data: pld.DistributedTensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]):
    consume_kernel(data, y)


NR = pl.dynamic("NR")


@pl.jit.host
def allreduce_host(x: pl.Tensor[[NR, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]]):
    n = pld.world_size()
    data_buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
    data = pld.window(data_buf, [1, SIZE], dtype=pl.FP32)
    signal_buf = pld.alloc_window_buffer([n], dtype=pl.INT32)
    signal = pld.window(signal_buf, [n], dtype=pl.INT32)
    for r in pl.range(n):
        publish(x[r], data, device=r)
    pld.tensor.allreduce(data, signal, op=pld.ReduceOp.Sum)
    for r in pl.range(n):
        consume(data, y[r], device=r)


# The signal is made by the compiler.
@pl.jit.host
def no_signal_host(x: pl.Tensor[[NR, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]]):
    n = pld.world_size()
    data_buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
    data = pld.window(data_buf, [1, SIZE], dtype=pl.FP32)
    for r in pl.range(n):
        publish(x[r], data, device=r)
    pld.tensor.allreduce(data)
    for r in pl.range(n):
        consume(data, y[r], device=r)


@pl.jit.host
def broadcast_host(x: pl.Tensor[[NR, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]]):
    n = pld.world_size()
    data_buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
    data = pld.window(data_buf, [1, SIZE], dtype=pl.FP32)
    signal_buf = pld.alloc_window_buffer([n], dtype=pl.INT32)
    signal = pld.window(signal_buf, [n], dtype=pl.INT32)
    for r in pl.range(n):
        publish(x[r], data, device=r)
    pld.tensor.broadcast(data, signal, root=0)
    for r in pl.range(n):
        consume(data, y[r], device=r)
