# SPDX-License-Identifier: Apache-2.0
# A matrix product that is cut along K: each rank multiplies its columns of a by its rows of w on the cube, and an
# allreduce adds the partial products.
import pypto.language as pl
import pypto.language.distributed as pld

M = 16
K = 32
N = 64
NR = pl.dynamic("NR")


@pl.jit.incore
def multiply(
    a: pl.Tensor[[M, K], pl.FP32],
    w: pl.Tensor[[K, N], pl.FP32],
    y: pl.Out[pl.Tensor[[M, N], pl.FP32]],
    part: pld.DistributedTensor[[M, N], pl.FP32],
    signal: pld.DistributedTensor[[NR, 1], pl.INT32],
):
    # Global memory to L1, L1 to the two operand buffers, product in the accumulator.
    a_l1 = pl.load(a, [0, 0], [M, K], target_memory=pl.MemorySpace.Mat)
    w_l1 = pl.load(w, [0, 0], [K, N], target_memory=pl.MemorySpace.Mat)
    left = pl.move(a_l1, target_memory=pl.MemorySpace.Left)
    right = pl.move(w_l1, target_memory=pl.MemorySpace.Right)
    product = pl.matmul(left, right)
    part = pl.store(product, [0, 0], part)

    part = pld.tensor.allreduce(part, signal, op=pld.ReduceOp.Sum)
    y = pl.store(pl.load(part, [0, 0], [M, N]), [0, 0], y)
    return y


@pl.jit
def chip(
    a: pl.Tensor[[M, K], pl.FP32],
    w: pl.Tensor[[K, N], pl.FP32],
    y: pl.Out[pl.Tensor[[M, N], pl.FP32]],
    part: pld.DistributedTensor[[M, N], pl.FP32],
    signal: pld.DistributedTensor[[NR, 1], pl.INT32],
):
    y = multiply(a, w, y, part, signal)
    return y


@pl.jit.host
def matmul(
    a: pl.Tensor[[NR, M, K], pl.FP32],
    w: pl.Tensor[[NR, K, N], pl.FP32],
    y: pl.Out[pl.Tensor[[NR, M, N], pl.FP32]],
):
    part_buf = pld.alloc_window_buffer([M, N], dtype=pl.FP32)
    signal_buf = pld.alloc_window_buffer([NR, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        part = pld.window(part_buf, [M, N], dtype=pl.FP32)
        signal = pld.window(signal_buf, [NR, 1], dtype=pl.INT32)
        chip(a[r], w[r], y[r], part, signal, device=r)
    return y
