# SPDX-License-Identifier: Apache-2.0
"""A host function with a scalar parameter and two outputs: y = a * x, z = x + a."""
import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")


@pl.jit.incore
def kernel(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
           z: pl.Out[pl.Tensor[[1, 8], pl.FP32]], a: pl.Scalar[pl.FP32]):
    t = pl.load(x, [0, 0], [1, 8])
    y = pl.store(pl.mul(t, a), [0, 0], y)
    z = pl.store(pl.add(t, a), [0, 0], z)
    return y


@pl.jit
def chip(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
         z: pl.Out[pl.Tensor[[1, 8], pl.FP32]], a: pl.Scalar[pl.FP32]):
    y = kernel(x, y, z, a)
    return y


@pl.jit.host
def host(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]],
         z: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]], a: pl.Scalar[pl.FP32]):
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], z[r], a, device=r)
    return y
