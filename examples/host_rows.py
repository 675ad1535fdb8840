# SPDX-License-Identifier: Apache-2.0
# HOST collectives on a window with a row per rank. publish fills a window, the host function calls the collective on
# it, and consume reads what it left. Sources are windows, too: a plain tensor is no operand here.
import pypto.language as pl
import pypto.language.distributed as pld

SIZE = 64
TILE = 4096
ROWS = pl.dynamic("ROWS")  # 1, or the number of ranks
NR = pl.dynamic("NR")


@pl.jit.incore
def publish_kernel(x: pl.Tensor[[ROWS, SIZE], pl.FP32], data: pld.DistributedTensor[[ROWS, SIZE], pl.FP32]):
    for row in pl.range(pl.tensor.dim(x, 0)):
        for col in pl.range(0, SIZE, TILE):
            width = pl.min(TILE, SIZE - col)
            data = pl.store(pl.load(x, [row, col], [1, TILE], valid_shape=[1, width]), [row, col], data)


@pl.jit
def publish(x: pl.Tensor[[ROWS, SIZE], pl.FP32], data: pld.DistributedTensor[[ROWS, SIZE], pl.FP32]):
    publish_kernel(x, data)


@pl.jit.incore
def consume_kernel(data: pld.DistributedTensor[[NR, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, SIZE], pl.FP32]]):
    for row in pl.range(pl.tensor.dim(y, 0)):
        for col in pl.range(0, SIZE, TILE):
            width = pl.min(TILE, SIZE - col)
            y = pl.store(pl.load(data, [row, col], [1, TILE], valid_shape=[1, width]), [row, col], y)


@pl.jit
def consume(data: pld.DistributedTensor[[NR, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, SIZE], pl.FP32]]):
    consume_kernel(data, y)


@pl.jit.incore
def consume_own_kernel(data: pld.DistributedTensor[[NR, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]):
    my_rank = pld.rank(pld.get_comm_ctx(data))
    for col in pl.range(0, SIZE, TILE):
        width = pl.min(TILE, SIZE - col)
        y = pl.store(pl.load(data, [my_rank, col], [1, TILE], valid_shape=[1, width]), [0, col], y)


@pl.jit
def consume_own(data: pld.DistributedTensor[[NR, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]):
    consume_own_kernel(data, y)


# Row q of every window becomes rank q's only row.
@pl.jit.host
def allgather_host(x: pl.Tensor[[NR, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, NR, SIZE], pl.FP32]]):
    n = pld.world_size()
    mine_buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
    mine = pld.window(mine_buf, [1, SIZE], dtype=pl.FP32)
    data_buf = pld.alloc_window_buffer([n, SIZE], dtype=pl.FP32)
    data = pld.window(data_buf, [n, SIZE], dtype=pl.FP32)
    signal_buf = pld.alloc_window_buffer([n], dtype=pl.INT32)
    signal = pld.window(signal_buf, [n], dtype=pl.INT32)
    for r in pl.range(n):
        publish(x[r], mine, device=r)
    pld.tensor.allgather(mine, data, signal)
    for r in pl.range(n):
        consume(data, y[r], device=r)


# Row q of rank r's window becomes row r of rank q's. The signal may have the shape of the kernel form, too.
@pl.jit.host
def all_to_all_host(x: pl.Tensor[[NR, NR, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, NR, SIZE], pl.FP32]]):
    n = pld.world_size()
    rows_buf = pld.alloc_window_buffer([n, SIZE], dtype=pl.FP32)
    rows = pld.window(rows_buf, [n, SIZE], dtype=pl.FP32)
    data_buf = pld.alloc_window_buffer([n, SIZE], dtype=pl.FP32)
    data = pld.window(data_buf, [n, SIZE], dtype=pl.FP32)
    signal_buf = pld.alloc_window_buffer([n, 1], dtype=pl.INT32)
    signal = pld.window(signal_buf, [n, 1], dtype=pl.INT32)
    for r in pl.range(n):
        publish(x[r], rows, device=r)
    pld.tensor.all_to_all(rows, data, signal)
    for r in pl.range(n):
        consume(data, y[r], device=r)


# Row r of rank r's window becomes the sum of all rows r; the other rows stay.
@pl.jit.host
def reduce_scatter_host(x: pl.Tensor[[NR, NR, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]]):
    n = pld.world_size()
    data_buf = pld.alloc_window_buffer([n, SIZE], dtype=pl.FP32)
    data = pld.window(data_buf, [n, SIZE], dtype=pl.FP32)
    signal_buf = pld.alloc_window_buffer([n], dtype=pl.INT32)
    signal = pld.window(signal_buf, [n], dtype=pl.INT32)
    for r in pl.range(n):
        publish(x[r], data, device=r)
    pld.tensor.reduce_scatter(data, signal, op=pld.ReduceOp.Sum)
    for r in pl.range(n):
        consume_own(data, y[r], device=r)
