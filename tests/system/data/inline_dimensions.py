# Dimensions made inside annotations: each annotation takes them from its argument.
import pypto.language as pl
import pypto.language.distributed as pld

SIZE = 64


@pl.program
class Doubled:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[pl.dynamic("ROWS"), SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[pl.dynamic("ROWS") * 2, SIZE], pl.FP32]],
        win: pl.InOut[pld.DistributedTensor[[pl.dynamic("ROWS"), SIZE], pl.FP32]],
        sig: pl.InOut[pld.DistributedTensor[[pl.dynamic("N"), 1], pl.INT32]],
    ) -> pl.Tensor[[pl.dynamic("ROWS") * 2, SIZE], pl.FP32]:
        for i in pl.range(pl.tensor.dim(x, 0)):
            win = pl.store(pl.load(x, [i, 0], [1, SIZE]), [i, 0], win)
        pld.tensor.allreduce(win, sig)
        rows = pl.tensor.dim(win, 0)
        for i in pl.range(rows):
            t = pl.load(win, [i, 0], [1, SIZE])
            y = pl.store(t, [i, 0], y)
            y = pl.store(t, [i + rows, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def chip(
        self,
        x: pl.Tensor[[pl.dynamic("R"), SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[pl.dynamic("R") * 2, SIZE], pl.FP32]],
        win: pl.InOut[pld.DistributedTensor[[pl.dynamic("R"), SIZE], pl.FP32]],
        sig: pl.InOut[pld.DistributedTensor[[pl.dynamic("N"), 1], pl.INT32]],
    ) -> pl.Tensor[[pl.dynamic("R") * 2, SIZE], pl.FP32]:
        return self.kernel(x, y, win, sig)

    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(
        self,
        x: pl.Tensor[[pl.dynamic("P"), 3, SIZE], pl.FP32],
        y: pl.Out[pl.Tensor[[pl.dynamic("P"), 6, SIZE], pl.FP32]],
    ):
        win_buf = pld.alloc_window_buffer([3, SIZE], dtype=pl.FP32)
        sig_buf = pld.alloc_window_buffer([pld.world_size(), 1], dtype=pl.INT32)
        for r in pl.range(pld.world_size()):
            win = pld.window(win_buf, [3, SIZE], dtype=pl.FP32)
            sig = pld.window(sig_buf, [pld.world_size(), 1], dtype=pl.INT32)
            self.chip(x[r], y[r], win, sig, device=r)
