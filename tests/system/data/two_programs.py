"""Two host functions in one file: which one to run must be said."""
import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def copy_kernel(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    y = pl.store(pl.load(x, [0, 0], [1, 8]), [0, 0], y)
    return y


@pl.jit.incore
def double_kernel(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    t = pl.load(x, [0, 0], [1, 8])
    y = pl.store(t + t, [0, 0], y)
    return y


@pl.jit
def copy_chip(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    y = copy_kernel(x, y)
    return y


@pl.jit
def double_chip(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    y = double_kernel(x, y)
    return y


@pl.jit.host
def copy_all(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        copy_chip(x[r], y[r], device=r)
    return y


@pl.jit.host
def double_all(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        double_chip(x[r], y[r], device=r)
    return y
