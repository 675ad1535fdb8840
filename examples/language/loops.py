# SPDX-License-Identifier: Apache-2.0
# The loops of a kernel. Every kernel adds the ROWS rows of x, counts its rounds, and gives the same result.
import pypto.language as pl
import pypto.language.distributed as pld

ROWS = 6
COLS = 64
NR = pl.dynamic("NR")


# A name that is rebound in a loop is carried from round to round, and visible behind it.
@pl.jit.incore
def carried_kernel(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[1, COLS], pl.FP32]],
                   rounds: pl.Out[pl.Tensor[[1, 1], pl.INT32]]):
    acc = pl.load(x, [0, 0], [1, COLS])
    n = pl.const(1, pl.INT32)
    for i in pl.range(1, ROWS):
        acc = pl.add(acc, pl.load(x, [i, 0], [1, COLS]))
        n = n + 1
    y = pl.store(acc, [0, 0], y)
    pl.write(rounds, [0, 0], n)


# The same with the carried values written out: init_values go in, pl.yield_ hands them on.
@pl.jit.incore
def yield_kernel(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[1, COLS], pl.FP32]],
                 rounds: pl.Out[pl.Tensor[[1, 1], pl.INT32]]):
    first = pl.load(x, [0, 0], [1, COLS])
    one = pl.const(1, pl.INT32)
    for i, (acc, n) in pl.range(1, ROWS, init_values=(first, one)):
        row = pl.load(x, [i, 0], [1, COLS])
        total, count = pl.yield_(pl.add(acc, row), n + 1)
    y = pl.store(total, [0, 0], y)
    pl.write(rounds, [0, 0], count)


# while: in the natural form, and with init_values.
@pl.jit.incore
def while_kernel(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[1, COLS], pl.FP32]],
                 rounds: pl.Out[pl.Tensor[[1, 1], pl.INT32]]):
    acc = pl.load(x, [0, 0], [1, COLS])
    i = 1
    while i < ROWS:
        acc = pl.add(acc, pl.load(x, [i, 0], [1, COLS]))
        i = i + 1
    y = pl.store(acc, [0, 0], y)

    one = pl.const(1, pl.INT32)
    for (n,) in pl.while_(init_values=(one,)):
        pl.cond(n < ROWS)
        n = pl.yield_(n + 1)
    pl.write(rounds, [0, 0], n)


# unroll repeats its body for bounds that are literals; parallel and pipeline are hints to the real compiler.
@pl.jit.incore
def hints_kernel(x: pl.Tensor[[ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[1, COLS], pl.FP32]],
                 rounds: pl.Out[pl.Tensor[[1, 1], pl.INT32]]):
    acc = pl.tile.full([1, COLS], dtype=pl.FP32, value=0.0)
    n = pl.const(0, pl.INT32)
    for i in pl.unroll(2):
        acc = pl.add(acc, pl.load(x, [i, 0], [1, COLS]))
        n = n + 1
    for i in pl.pipeline(2, ROWS - 1, stage=2):
        acc = pl.add(acc, pl.load(x, [i, 0], [1, COLS]))
        n = n + 1
    for i in pl.parallel(ROWS - 1, ROWS):
        acc = pl.add(acc, pl.load(x, [i, 0], [1, COLS]))
        n = n + 1
    y = pl.store(acc, [0, 0], y)
    pl.write(rounds, [0, 0], n)


@pl.jit
def carried_chip(x, y, rounds):
    carried_kernel(x, y, rounds)


@pl.jit
def yield_chip(x, y, rounds):
    yield_kernel(x, y, rounds)


@pl.jit
def while_chip(x, y, rounds):
    while_kernel(x, y, rounds)


@pl.jit
def hints_chip(x, y, rounds):
    hints_kernel(x, y, rounds)


@pl.jit.host
def carried(x: pl.Tensor[[NR, ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, COLS], pl.FP32]],
            rounds: pl.Out[pl.Tensor[[NR, 1, 1], pl.INT32]]):
    for r in pl.range(pld.world_size()):
        carried_chip(x[r], y[r], rounds[r], device=r)


@pl.jit.host
def yielded(x: pl.Tensor[[NR, ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, COLS], pl.FP32]],
            rounds: pl.Out[pl.Tensor[[NR, 1, 1], pl.INT32]]):
    for r in pl.range(pld.world_size()):
        yield_chip(x[r], y[r], rounds[r], device=r)


@pl.jit.host
def while_host(x: pl.Tensor[[NR, ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, COLS], pl.FP32]],
               rounds: pl.Out[pl.Tensor[[NR, 1, 1], pl.INT32]]):
    for r in pl.range(pld.world_size()):
        while_chip(x[r], y[r], rounds[r], device=r)


@pl.jit.host
def hints(x: pl.Tensor[[NR, ROWS, COLS], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, COLS], pl.FP32]],
          rounds: pl.Out[pl.Tensor[[NR, 1, 1], pl.INT32]]):
    for r in pl.range(pld.world_size()):
        hints_chip(x[r], y[r], rounds[r], device=r)
