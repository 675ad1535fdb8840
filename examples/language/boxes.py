# SPDX-License-Identifier: Apache-2.0
# Slices, assemblies and subscripts: of tensors, of tiles, and of arrays.
import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")


# A slice of a tensor is a view: nothing moves until something reads it. Arithmetic on tensors reads it.
@pl.jit.incore
def tensors_kernel(x: pl.Tensor[[4, 64], pl.FP32], y: pl.Out[pl.Tensor[[4, 64], pl.FP32]]):
    top = x[0:2, :]
    low = pl.slice(x, [2, 64], [2, 0])
    y[0:2, :] = top + low
    y[2:4, 0:32] = low[:, 32:64] * 2.0
    y[2:4, 32:64] = x[0:2, 0:32]
    y[3, 63] = x[0, 0]


# A slice of a tile is a copy; an assembly gives the tile with a box overwritten.
@pl.jit.incore
def tiles_kernel(x: pl.Tensor[[4, 64], pl.FP32], y: pl.Out[pl.Tensor[[4, 64], pl.FP32]]):
    t = pl.load(x, [0, 0], [4, 64])
    low = t[2:4, :]
    t = pl.assemble(t, pl.add(t[0:2, :], low), [0, 0])
    t[2:4, 0:32] = pl.mul(low[:, 32:64], 2.0)
    t[2:4, 32:64] = pl.load(x, [0, 0], [2, 32])
    pl.write(t, [3, 63], pl.read(x, [0, 0]))
    y = pl.store(t, [0, 0], y)


# An array holds scalars of a kernel: here the row that each row of y comes from, the last first.
@pl.jit.incore
def arrays_kernel(x: pl.Tensor[[4, 64], pl.FP32], y: pl.Out[pl.Tensor[[4, 64], pl.FP32]]):
    source = pl.array.create(4, pl.INT32)
    for i in pl.range(4):
        source[i] = 3 - i
    for i in pl.range(4):
        row = pl.load(x, [source[i], 0], [1, 64])
        y = pl.store(row, [i, 0], y)


@pl.jit
def tensors_chip(x, y):
    tensors_kernel(x, y)


@pl.jit
def tiles_chip(x, y):
    tiles_kernel(x, y)


@pl.jit
def arrays_chip(x, y):
    arrays_kernel(x, y)


@pl.jit.host
def tensors(x: pl.Tensor[[NR, 4, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 4, 64], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        tensors_chip(x[r], y[r], device=r)


@pl.jit.host
def tiles(x: pl.Tensor[[NR, 4, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 4, 64], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        tiles_chip(x[r], y[r], device=r)


@pl.jit.host
def arrays(x: pl.Tensor[[NR, 4, 64], pl.FP32], y: pl.Out[pl.Tensor[[NR, 4, 64], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        arrays_chip(x[r], y[r], device=r)
