# Every kind of statement and operation that works on boxes, tensors and matrices, in one exchange: each rank multiplies
# its matrix by its left neighbour's, pushes what it computed, and adds row sums.
import pypto.language as pl
import pypto.language.distributed as pld

N = 32
NR = pl.dynamic("NR")


@pl.jit.incore
def tour(x: pl.Tensor[[N, N], pl.FP32], y: pl.Out[pl.Tensor[[N, N], pl.FP32]],
         sums: pl.Out[pl.Tensor[[1, N], pl.FP32]], win: pld.DistributedTensor[[2 * N, N], pl.FP32],
         cell: pld.DistributedTensor[[2, 1], pl.INT32]):
    ctx = pld.get_comm_ctx(win)
    rank = pld.rank(ctx)
    ranks = pld.nranks(ctx)
    right = (rank + 1) % ranks

    # The doubled matrix goes right, in pieces, as a computed tensor.
    pieces = pl.array.create(4, pl.INT32)
    for i in pl.pipeline(4, stage=2):
        pieces[i] = 8 * i
    for (k,) in pl.while_(init_values=(0,)):
        pl.cond(k < 4)
        first = pieces[k]
        pld.tensor.remote_store(x[first:first + 8, :] + x[first:first + 8, :], target=win, peer=right,
                                offsets=[first, 0])
        k = pl.yield_(k + 1)
    pld.system.notify(cell[0], right, [0], 1, op=pld.NotifyOp.AtomicAdd)
    pld.system.wait(cell[0], [0], 1, cmp=pld.WaitCmp.Ge)

    # x times what came from the left, on the cube.
    a = pl.move(pl.load(x, [0, 0], [N, N], target_memory=pl.MemorySpace.Mat), target_memory=pl.MemorySpace.Left)
    b = pl.move(pl.load(win, [0, 0], [N, N], target_memory=pl.MemorySpace.Mat), target_memory=pl.MemorySpace.Right)
    win = pl.store(pl.matmul(a, b), [N, 0], win)
    y[:, :] = win[N:2 * N, :]

    # Row sums, with the last sixteen rows by way of a slice and an assembly.
    t = pl.load(y, [0, 0], [N + 8, N], clamp=True)
    tmp = pl.tile.create([N + 8, N], pl.FP32)
    s = pl.tile.row_sum(t, tmp)
    lower = pl.slice(t, [16, N], [16, 0])
    t = pl.assemble(t, lower, [0, 0])
    half = pl.tile.row_sum(t[0:16, :], tmp)
    sums = pl.store(pl.reshape(s[0:16, :], [1, 16]), [0, 0], sums)
    sums = pl.store(pl.reshape(half, [1, 16]), [0, 16], sums)
    return y, sums


@pl.jit
def chip(x: pl.Tensor[[N, N], pl.FP32], y: pl.Out[pl.Tensor[[N, N], pl.FP32]],
         sums: pl.Out[pl.Tensor[[1, N], pl.FP32]], win: pld.DistributedTensor[[2 * N, N], pl.FP32],
         cell: pld.DistributedTensor[[2, 1], pl.INT32]):
    y, sums = tour(x, y, sums, win, cell)
    return y, sums


@pl.jit.host
def host(x: pl.Tensor[[NR, N, N], pl.FP32], y: pl.Out[pl.Tensor[[NR, N, N], pl.FP32]],
         sums: pl.Out[pl.Tensor[[NR, 1, N], pl.FP32]]):
    win_buf = pld.alloc_window_buffer([2 * N, N], dtype=pl.FP32)
    cell_buf = pld.alloc_window_buffer([2, 1], dtype=pl.INT32)
    for r in pl.range(pld.world_size()):
        win = pld.window(win_buf, [2 * N, N], dtype=pl.FP32)
        cell = pld.window(cell_buf, [2, 1], dtype=pl.INT32)
        chip(x[r], y[r], sums[r], win, cell, device=r)
    return y
