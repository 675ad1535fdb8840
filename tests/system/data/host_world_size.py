# SPDX-License-Identifier: Apache-2.0
"""A HOST allreduce on a window whose shape holds the number of ranks."""
import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")
ROWS = pl.dynamic("ROWS")


@pl.jit.incore
def fill_kernel(x: pl.Tensor[[1, 64], pl.FP32], data: pl.InOut[pld.DistributedTensor[[ROWS, 64], pl.FP32]]):
    t = pl.load(x, [0, 0], [1, 64])
    for i in pl.range(pl.tensor.dim(data, 0)):
        pl.store(t, [i, 0], data)


@pl.jit
def fill(x: pl.Tensor[[1, 64], pl.FP32], data: pl.InOut[pld.DistributedTensor[[ROWS, 64], pl.FP32]]):
    fill_kernel(x, data)


@pl.jit.incore
def read_kernel(data: pld.DistributedTensor[[ROWS, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]]):
    last = pl.tensor.dim(data, 0) - 1
    y = pl.store(pl.load(data, [last, 0], [1, 64]), [0, 0], y)
    return y


@pl.jit
def read(data: pld.DistributedTensor[[ROWS, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]]):
    y = read_kernel(data, y)
    return y


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 64], pl.FP32]]):
    n = pld.world_size()
    buf = pld.alloc_window_buffer([n, 64], dtype=pl.FP32)
    data = pld.window(buf, [n, 64], dtype=pl.FP32)
    for r in pl.range(n):
        fill(x[r], data, device=r)
    pld.tensor.allreduce(data)
    for r in pl.range(n):
        read(data, y[r], device=r)
    return y
