# SPDX-License-Identifier: Apache-2.0
"""Sums of the same values by a mesh and by a ring: two orders of addition in one program."""

import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")
SIZE = 60


@pl.jit.incore
def both(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    z: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    first: pld.DistributedTensor[[1, SIZE], pl.FP32],
    second: pld.DistributedTensor[[1, SIZE], pl.FP32],
    mesh: pld.DistributedTensor[[NR, 1], pl.INT32],
    ring: pld.DistributedTensor[[2 * (NR - 1), NR], pl.INT32],
):
    for i in pl.range(SIZE):
        v = pl.read(x, [0, i])
        pl.write(first, [0, i], v)
        pl.write(second, [0, i], v)
    first = pld.tensor.allreduce(first, mesh, op=pld.ReduceOp.Sum)
    second = pld.tensor.allreduce(second, ring, op=pld.ReduceOp.Sum, mode="ring")
    for i in pl.range(SIZE):
        pl.write(y, [0, i], pl.read(first, [0, i]))
        pl.write(z, [0, i], pl.read(second, [0, i]))
    return y, z


@pl.jit
def chip(
    x: pl.Tensor[[1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    z: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    first: pld.DistributedTensor[[1, SIZE], pl.FP32],
    second: pld.DistributedTensor[[1, SIZE], pl.FP32],
    mesh: pld.DistributedTensor[[NR, 1], pl.INT32],
    ring: pld.DistributedTensor[[2 * (NR - 1), NR], pl.INT32],
):
    y, z = both(x, y, z, first, second, mesh, ring)
    return y, z


@pl.jit.host
def host(
    x: pl.Tensor[[NR, 1, SIZE], pl.FP32],
    y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
    z: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
):
    first_buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
    second_buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
    mesh_buf = pld.alloc_window_buffer([NR, 1], dtype=pl.INT32)
    ring_buf = pld.alloc_window_buffer([2 * (NR - 1), NR], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        first = pld.window(first_buf, [1, SIZE], dtype=pl.FP32)
        second = pld.window(second_buf, [1, SIZE], dtype=pl.FP32)
        mesh = pld.window(mesh_buf, [NR, 1], dtype=pl.INT32)
        ring = pld.window(ring_buf, [2 * (NR - 1), NR], dtype=pl.INT32)
        chip(x[r], y[r], z[r], first, second, mesh, ring, device=r)
    return y, z
