# SPDX-License-Identifier: Apache-2.0
"""Publishes into a window again and again, with a broadcast after each. The barrier keeps a publisher back until all peers
have copied: the dispatches before and behind it have its signal, although their kernels have no use for it."""

import pypto.language as pl
import pypto.language.distributed as pld

NR = pl.dynamic("NR")
SIZE = 17


@pl.jit.incore
def publish_kernel(x: pl.Tensor[[1, SIZE], pl.FP32], data: pld.DistributedTensor[[1, SIZE], pl.FP32]):
    pld.tensor.put(data, peer=pld.rank(pld.get_comm_ctx(data)), src=x)


@pl.jit.incore
def consume_kernel(data: pld.DistributedTensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]]):
    pld.tensor.get(y, peer=pld.rank(pld.get_comm_ctx(data)), src=data)


@pl.jit
def publish(x: pl.Tensor[[1, SIZE], pl.FP32], data: pld.DistributedTensor[[1, SIZE], pl.FP32],
            meet: pld.DistributedTensor[[NR], pl.INT32]):
    publish_kernel(x, data)


@pl.jit
def consume(data: pld.DistributedTensor[[1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
            meet: pld.DistributedTensor[[NR], pl.INT32]):
    consume_kernel(data, y)


@pl.jit.host
def main(x: pl.Tensor[[NR, 1, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]]):
    n = pld.world_size()
    data_buf = pld.alloc_window_buffer([1, SIZE], dtype=pl.FP32)
    data = pld.window(data_buf, [1, SIZE], dtype=pl.FP32)
    signal_buf = pld.alloc_window_buffer([n], dtype=pl.INT32)
    signal = pld.window(signal_buf, [n], dtype=pl.INT32)
    meet_buf = pld.alloc_window_buffer([n], dtype=pl.INT32)
    meet = pld.window(meet_buf, [n], dtype=pl.INT32)
    for i in pl.range(3):
        for r in pl.range(n):
            publish(x[r], data, meet, device=r)
        pld.tensor.broadcast(data, signal, root=0)
        for r in pl.range(n):
            consume(data, y[r], meet, device=r)
        pld.tensor.barrier(meet)
