#!/usr/bin/env python3
"""A kernel in function style as it stands in somebody's repository: argparse, helpers and tests around it."""
from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field

import pypto.language as pl
import pypto.language.distributed as pld
import pytest
import torch
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

M, K = 2, 4
WIDTH = 32
TOTAL = WIDTH * 2 - WIDTH
NR = pl.dynamic("NR")


@dataclass
class Settings:
    platform: str = "a2a3sim"
    devices: list[int] = field(default_factory=lambda: [0, 1])

    @property
    def count(self) -> int:
        return len(self.devices)


def parse_arguments(argv=None):
    parser = argparse.ArgumentParser(description=f"{__doc__!r}")
    parser.add_argument("-d", "--device", default="0,1")
    try:
        args = parser.parse_args(argv)
    except SystemExit as stop:
        raise RuntimeError(f"bad arguments: {stop}") from stop
    return Settings(devices=[int(x) for x in args.device.split(",") if x.strip()])


@pl.jit.incore
def double_and_send(
    src: pl.Tensor[[1, WIDTH], pl.FP32],
    dst: pl.Out[pl.Tensor[[1, WIDTH], pl.FP32]],
    win: pld.DistributedTensor[[1, WIDTH], pl.FP32],
    cell: pld.DistributedTensor[[1, 1], pl.INT32],
):
    """Neighbour exchange by push; the receiver doubles."""
    c = pld.get_comm_ctx(win)
    right = (pld.rank(c) + 1) % pld.nranks(c)
    pld.tensor.put(win, right, src)
    pld.system.notify(cell, peer=right, offsets=[0, 0], value=1, op=pld.NotifyOp.AtomicAdd)
    pld.system.wait(cell, offsets=[0, 0], expected=1, cmp=pld.WaitCmp.Ge)
    t = pl.load(win, [0, 0], [1, TOTAL])
    dst = pl.store(pl.add(t, t), [0, 0], dst)
    return dst


def golden(x: torch.Tensor) -> torch.Tensor:
    return 2 * torch.roll(x, shifts=1, dims=0)


@pl.jit
def wrapper(
    src: pl.Tensor[[1, WIDTH], pl.FP32],
    dst: pl.Out[pl.Tensor[[1, WIDTH], pl.FP32]],
    win: pld.DistributedTensor[[1, WIDTH], pl.FP32],
    cell: pld.DistributedTensor[[1, 1], pl.INT32],
):
    dst = double_and_send(src, dst, win, cell)
    return dst


@pl.jit.host
def exchange(
    x: pl.Tensor[[NR, 1, WIDTH], pl.FP32],
    y: pl.Out[pl.Tensor[[NR, 1, WIDTH], pl.FP32]],
):
    win_buf = pld.alloc_window_buffer([1, WIDTH], dtype=pl.FP32)
    cell_buf = pld.alloc_window_buffer(pl.INT32.get_byte())
    for r in pl.range(pld.world_size()):
        win = pld.window(win_buf, [1, WIDTH], dtype=pl.FP32)
        cell = pld.window(cell_buf, [1, 1], dtype=pl.INT32)
        wrapper(x[r], y[r], win, cell, device=r)
    return y


@pytest.fixture(scope="module")
def settings():
    yield Settings()


@pytest.mark.parametrize("seed", [1, 2, 3], ids=lambda s: f"seed{s}")
def test_exchange(settings, seed):
    torch.manual_seed(seed)
    x = torch.randn(settings.count, 1, WIDTH).share_memory_()
    y = torch.zeros_like(x).share_memory_()
    config = RunConfig(
        platform=settings.platform,
        distributed_config=DistributedConfig(device_ids=settings.devices, num_sub_workers=0),
    )
    exchange.compile(x, y, config=config)(x, y)
    assert torch.equal(y, golden(x)), {k: v for k, v in zip("xy", (x.shape, y.shape), strict=True)}


if __name__ == "__main__":
    if (options := parse_arguments(sys.argv[1:])).count < 2:
        print("at least two devices", file=sys.stderr)
        raise SystemExit(1)
    while True:
        test_exchange(options, 1)
        print("OK")
        break
