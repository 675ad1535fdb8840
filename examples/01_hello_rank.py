# SPDX-License-Identifier: Apache-2.0
"""Step 01, hello rank: who am I, and how many are we?

One kernel source runs on every device. The only thing that tells the copies apart is the rank, and the rank
belongs to a communication domain: the devices that share a window buffer. So even this first program allocates a
(tiny) window, asks it for its context, and reads rank and rank count from there.

The two numbers are written out as one-element INT32 tensors with pl.write, the scalar store. The smallest tile row
is 32 bytes, so a lone INT32 never travels through pl.store.

    a2a3sim run examples/01_hello_rank.py -d 0,1,2,3
"""

import argparse

import pypto.language as pl
import pypto.language.distributed as pld
import torch
from pypto.ir.distributed_compiled_program import DistributedConfig
from pypto.runtime import RunConfig

NR = pl.dynamic("NR")  # the number of ranks, bound when the program is called


@pl.jit.incore
def hello_kernel(
    whoami: pl.Out[pl.Tensor[[1, 1], pl.INT32]],
    how_many: pl.Out[pl.Tensor[[1, 1], pl.INT32]],
    token: pld.DistributedTensor[[1, 1], pl.INT32],
):
    ctx = pld.get_comm_ctx(token)
    my_rank = pld.rank(ctx)
    nranks = pld.nranks(ctx)
    pl.write(whoami, [0, 0], my_rank)
    pl.write(how_many, [0, 0], nranks)


@pl.jit
def hello_chip(
    whoami: pl.Out[pl.Tensor[[1, 1], pl.INT32]],
    how_many: pl.Out[pl.Tensor[[1, 1], pl.INT32]],
    token: pld.DistributedTensor[[1, 1], pl.INT32],
):
    hello_kernel(whoami, how_many, token)


@pl.jit.host
def hello(
    whoami: pl.Out[pl.Tensor[[NR, 1, 1], pl.INT32]],
    how_many: pl.Out[pl.Tensor[[NR, 1, 1], pl.INT32]],
):
    # Sizes of this form are bytes: one INT32 here. What makes the ranks a domain is that each is given a view of it.
    token_buf = pld.alloc_window_buffer(pl.INT32.get_byte())
    for r in pl.range(pld.world_size()):
        token = pld.window(token_buf, [1, 1], dtype=pl.INT32)
        hello_chip(whoami[r], how_many[r], token, device=r)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-p", "--platform", default="a2a3sim")
    parser.add_argument("-d", "--device", default="0,1", help="comma separated device ids")
    args = parser.parse_args()
    device_ids = [int(d) for d in args.device.split(",")]
    n_ranks = len(device_ids)

    whoami = torch.zeros(n_ranks, 1, 1, dtype=torch.int32).share_memory_()
    how_many = torch.zeros(n_ranks, 1, 1, dtype=torch.int32).share_memory_()
    compiled = hello.compile(
        whoami,
        how_many,
        config=RunConfig(
            platform=args.platform,
            distributed_config=DistributedConfig(device_ids=device_ids, num_sub_workers=0),
        ),
    )
    compiled(whoami, how_many)

    assert torch.equal(whoami.flatten(), torch.arange(n_ranks, dtype=torch.int32))
    assert torch.equal(how_many.flatten(), torch.full((n_ranks,), n_ranks, dtype=torch.int32))
    print("OK")


if __name__ == "__main__":
    main()
