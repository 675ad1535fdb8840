# SPDX-License-Identifier: Apache-2.0
# Tiles of which a part is real: a tile row is a whole number of 32-byte blocks, valid_shape says how much of it counts.
import pypto.language as pl
import pypto.language.distributed as pld

SIZE = 1000
CHUNK = 1024
ROWS = 8
NR = pl.dynamic("NR")


# The last chunk is narrower than its tile. Only the valid box is read, added and written.
@pl.jit.incore
def double_kernel(x: pl.Tensor[[ROWS, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[ROWS, SIZE], pl.FP32]],
                  sums: pl.Out[pl.Tensor[[1, ROWS], pl.FP32]]):
    total = pl.tile.full([ROWS, 1], dtype=pl.FP32, value=0.0)
    tmp = pl.tile.create([ROWS, CHUNK], pl.FP32)
    for col in pl.range(0, SIZE, CHUNK):
        width = pl.min(CHUNK, SIZE - col)
        t = pl.load(x, [0, col], [ROWS, CHUNK], valid_shape=[ROWS, width])
        y = pl.store(pl.add(t, t), [0, col], y)
        total = pl.add(total, pl.tile.row_sum(t, tmp))
    sums = pl.store(pl.reshape(total, [1, ROWS]), [0, 0], sums)


@pl.jit
def chip(x, y, sums):
    double_kernel(x, y, sums)


@pl.jit.host
def partial_tiles(x: pl.Tensor[[NR, ROWS, SIZE], pl.FP32], y: pl.Out[pl.Tensor[[NR, ROWS, SIZE], pl.FP32]],
                  sums: pl.Out[pl.Tensor[[NR, 1, ROWS], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        chip(x[r], y[r], sums[r], device=r)
