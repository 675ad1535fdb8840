# SPDX-License-Identifier: Apache-2.0
"""Step 02, the programming model: three levels of functions, and what each may do.

    kernel  (InCore)          runs on one AI core: loads tiles, computes, stores tiles
    chip    (Orchestration)   runs per device: calls kernels, one after the other
    host    (HOST)            runs once: hands each rank its slices and starts the chip functions, device=r

y = 2 * x + 1 in two kernels, on every rank's own row, without a byte crossing a link. The chip function keeps the
product in a tensor of its own; the second kernel starts when the first is done because it reads what that one wrote.

A tile row must be a whole number of 32-byte blocks. COLS is SIZE rounded up to that; valid_shape says how much of
the tile is real, and only that part is read, computed and written. So any SIZE works.

    a2a3sim run examples/02_programming_model.py -d 0,1
    a2a3sim run examples/02_programming_model.py -d 0,1,2 --set SIZE=17
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto import ir
from pypto.ir.distributed_compiled_program import DistributedConfig

SIZE = 64
COLS = (SIZE + 7) // 8 * 8  # 8 FP32 fill 32 bytes
NR = pl.dynamic("NR")


@pl.program
class ProgrammingModel:
    """Every method of a program class is a function of one of the three levels."""

    @pl.function(type=pl.FunctionType.InCore)
    def scale(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        doubled: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    ) -> pl.Tensor[[1, SIZE], pl.FP32]:
        t = pl.load(x, [0, 0], [1, COLS], valid_shape=[1, SIZE])
        t = pl.mul(t, 2.0)
        return pl.store(t, [0, 0], doubled)

    @pl.function(type=pl.FunctionType.InCore)
    def shift(
        self,
        doubled: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    ) -> pl.Tensor[[1, SIZE], pl.FP32]:
        t = pl.load(doubled, [0, 0], [1, COLS], valid_shape=[1, SIZE])
        y = pl.store(pl.add(t, 1.0), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        x: pl.Tensor[[1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[1, SIZE], pl.FP32]],
    ) -> pl.Tensor[[1, SIZE], pl.FP32]:
        doubled = pl.create_tensor([1, SIZE], dtype=pl.FP32)
        doubled = self.scale(x, doubled)
        y = self.shift(doubled, y)
        return y

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[NR, 1, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[NR, 1, SIZE], pl.FP32]],
    ) -> pl.Tensor[[NR, 1, SIZE], pl.FP32]:
        for r in pl.range(pld.world_size()):
            self.chip(x[r], y[r], device=r)
        return y


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1", help="comma separated device ids")
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    n_ranks = len(device_ids)

    x = torch.arange(n_ranks * SIZE, dtype=torch.float32).reshape(n_ranks, 1, SIZE).share_memory_()
    y = torch.zeros(n_ranks, 1, SIZE, dtype=torch.float32).share_memory_()
    compiled = ir.compile(
        ProgrammingModel,
        platform=args.platform,
        distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
    )
    compiled(x, y)

    assert torch.equal(y, 2 * x + 1)
    print("OK")


if __name__ == "__main__":
    main()
