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


# Four vector cores of each device take the tiles in turn, each with a column of cells of its own.
@pl.jit.host
def cores_host(x: pl.Tensor[[NR, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]]):
    n = pld.world_size()
    data_buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
    data = pld.window(data_buf, [1, SIZE], dtype=pl.FP32)
    signal_buf = pld.alloc_window_buffer([n, 4], dtype=pl.INT32)
    signal = pld.window(signal_buf, [n, 4], dtype=pl.INT32)
    for r in pl.range(n):
        publish(x[r], data, device=r)
    pld.tensor.allreduce(data, signal, op=pld.ReduceOp.Max, core_num=4)
    for r in pl.range(n):
        consume(data, y[r], device=r)


@pl.jit.incore
def push_kernel(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    inbox: pld.DistributedTensor[[1, SIZE], pl.FP32],
    meet: pld.DistributedTensor[[NR], pl.INT32],
):
    ctx = pld.get_comm_ctx(inbox)
    right = (pld.rank(ctx) + 1) % pld.nranks(ctx)
    pld.tensor.put(inbox, right, x, chunk_rows=1, chunk_cols=TILE)


@pl.jit
def push(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    inbox: pld.DistributedTensor[[1, SIZE], pl.FP32],
    meet: pld.DistributedTensor[[NR], pl.INT32],
):
    push_kernel(x, inbox, meet)


@pl.jit.incore
def read_kernel(
    inbox: pld.DistributedTensor[[1, SIZE], pl.FP32],
    meet: pld.DistributedTensor[[NR], pl.INT32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
):
    for col in pl.range(0, SIZE, TILE):
        width = pl.min(TILE, SIZE - col)
        y = pl.store(pl.load(inbox, [0, col], [1, TILE], valid_shape=[1, width]), [0, col], y)


@pl.jit
def read(
    inbox: pld.DistributedTensor[[1, SIZE], pl.FP32],
    meet: pld.DistributedTensor[[NR], pl.INT32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
):
    read_kernel(inbox, meet, y)


# The kernels push to their neighbours by themselves, and a barrier keeps the readers back. It has no data of its own:
# the kernels take its signal, unused, to be ordered before and behind it.
@pl.jit.host
def barrier_host(x: pl.Tensor[[NR, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]]):
    n = pld.world_size()
    inbox_buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
    inbox = pld.window(inbox_buf, [1, SIZE], dtype=pl.FP32)
    meet_buf = pld.alloc_window_buffer([n], dtype=pl.INT32)
    meet = pld.window(meet_buf, [n], dtype=pl.INT32)
    for r in pl.range(n):
        push(x[r], inbox, meet, device=r)
    pld.tensor.barrier(meet)
    for r in pl.range(n):
        read(inbox, meet, y[r], device=r)
