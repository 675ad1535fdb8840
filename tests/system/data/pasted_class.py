# pyright: reportUndefinedVariable=false
"""A program class built by a factory, in the middle of a test file."""

import argparse

import numpy as np
import pypto.language as pl
import pypto.language.distributed as pld
import pytest
import torch
from pypto import ir
from pypto.ir.distributed_compiled_program import DistributedConfig

DTYPE = pl.FP32
COLS = 16


def reference(x: np.ndarray) -> np.ndarray:
    total = np.zeros_like(x[0])
    for part in x:
        total += part
    return np.stack([total for _ in range(x.shape[0])])


def build_sum(n_ranks: int, dtype=DTYPE, scale=1):
    """Every rank pulls every peer's row and adds them up."""
    rows = n_ranks * scale
    if scale < 1:
        raise ValueError(f"scale must be positive, got {scale}")

    @pl.program
    class SumProgram:
        """Stage, meet, add."""

        @pl.function(type=pl.FunctionType.InCore)
        def kernel(
            self,
            x: pl.Tensor[[1, COLS], dtype],
            y: pl.Out[pl.Tensor[[1, COLS], dtype]],
            data: pl.InOut[pld.DistributedTensor[[1, COLS], dtype]],
            signal: pl.InOut[pld.DistributedTensor[[rows, 1], pl.INT32]],
        ) -> pl.Tensor[[1, COLS], dtype]:
            ctx = pld.get_comm_ctx(data)
            me = pld.rank(ctx)
            n = pld.nranks(ctx)
            mine = pl.load(x, [0, 0], [1, COLS])
            data = pl.store(mine, [0, 0], data)
            for p in pl.range(n):
                if p != me:
                    pld.system.notify(
                        target=signal, peer=p, offsets=[me, 0], value=1, op=pld.NotifyOp.AtomicAdd
                    )
            for p in pl.range(n):
                if p != me:
                    pld.system.wait(signal=signal, offsets=[p, 0], expected=1, cmp=pld.WaitCmp.Ge)
            acc = pl.load(x, [0, 0], [1, COLS])
            for p in pl.range(n):
                if p != me:
                    theirs = pld.tile.remote_load(data, peer=p, offsets=[0, 0], shape=[1, COLS])
                    acc = pl.add(acc, theirs)
            y = pl.store(acc, [0, 0], y)
            return y

        @pl.function(type=pl.FunctionType.Orchestration)
        def chip_orch(
            self,
            x: pl.Tensor[[1, COLS], dtype],
            y: pl.Out[pl.Tensor[[1, COLS], dtype]],
            data: pl.InOut[pld.DistributedTensor[[1, COLS], dtype]],
            signal: pl.InOut[pld.DistributedTensor[[rows, 1], pl.INT32]],
        ) -> pl.Tensor[[1, COLS], dtype]:
            return self.kernel(x, y, data, signal)

        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host_orch(
            self,
            x: pl.Tensor[[n_ranks, 1, COLS], dtype],
            y: pl.Out[pl.Tensor[[n_ranks, 1, COLS], dtype]],
        ) -> pl.Tensor[[n_ranks, 1, COLS], dtype]:
            data_buf = pld.alloc_window_buffer(COLS * dtype.get_byte())
            signal_buf = pld.alloc_window_buffer(rows * pl.INT32.get_byte())
            for r in pl.range(pld.world_size()):
                data = pld.window(data_buf, [1, COLS], dtype=dtype)
                signal = pld.window(signal_buf, [rows, 1], dtype=pl.INT32)
                self.chip_orch(x[r], y[r], data, signal, device=r)
            return y

    return SumProgram


class TestSum:
    """pytest class: not a program."""

    PLATFORMS = ("a2a3sim", "a2a3")

    @staticmethod
    def device_ids(request) -> list[int]:
        return [int(x) for x in request.config.getoption("--device").split(",")]

    @pytest.mark.parametrize("n_ranks", [2, 4])
    def test_sum(self, request, n_ranks):
        ids = self.device_ids(request)
        if len(ids) < n_ranks:
            pytest.skip(f"needs {n_ranks} devices")
        with torch.no_grad():
            x = torch.randn(n_ranks, 1, COLS).share_memory_()
            y = torch.zeros_like(x).share_memory_()
        program = ir.compile(build_sum(n_ranks), platform=self.PLATFORMS[0],
                             distributed_config=DistributedConfig(device_ids=ids[:n_ranks], num_sub_workers=0))
        program(x, y)
        np.testing.assert_allclose(y.numpy(), reference(x.numpy()), rtol=1e-6)


def main() -> int:
    argparse.ArgumentParser(description=__doc__).parse_args()
    return pytest.main([__file__, "-q", *[]])


if __name__ == "__main__":
    raise SystemExit(main())
