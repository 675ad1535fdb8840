// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/op.hpp"
#include "ir/type.hpp"

namespace a2a3::ir::rules {

// One rule per row of the op table; see OpRule. Grouped by the file that holds them.

// load_store.cpp
Type tile_load(OpCall& call);
Type tile_store(OpCall& call);
// elementwise.cpp
Type elementwise(OpCall& call);
Type scalar_extremum(OpCall& call);
// cast.cpp
Type cast(OpCall& call);
// element_access.cpp
Type read(OpCall& call);
Type write(OpCall& call);
// creation.cpp
Type tile_create(OpCall& call);
Type tile_full(OpCall& call);
Type array_create(OpCall& call);
Type create_tensor(OpCall& call);
Type const_value(OpCall& call);
// views.cpp
Type tile_set_validshape(OpCall& call);
Type tile_fillpad(OpCall& call);
Type tensor_reshape(OpCall& call);
Type tensor_dim(OpCall& call);
// boxes.cpp
Type slice(OpCall& call);
Type assemble(OpCall& call);
Type tile_reshape(OpCall& call);
// cube.cpp
Type row_sum(OpCall& call);
Type tile_move(OpCall& call);
Type matmul(OpCall& call);
// rank_context.cpp
Type get_comm_ctx(OpCall& call);
Type rank(OpCall& call);
Type nranks(OpCall& call);
Type world_size(OpCall& call);
Type block_index(OpCall& call);
// windows.cpp
Type alloc_window_buffer(OpCall& call);
Type window(OpCall& call);
// signals.cpp
Type notify(OpCall& call);
Type wait(OpCall& call);
Type check_signal(OpCall& call);
Type check_count(OpCall& call);
// defer_wait.cpp
Type defer_wait(OpCall& call);
// remote_tile.cpp
Type remote_load(OpCall& call);
Type remote_load_padded(OpCall& call);
Type remote_store(OpCall& call);
// put_get.cpp
Type tensor_put(OpCall& call);
Type tensor_get(OpCall& call);
// tile_put_get.cpp
Type tile_put(OpCall& call);
Type tile_get(OpCall& call);
// collectives_signal.cpp
Type barrier(OpCall& call);
Type broadcast(OpCall& call);
// collectives_reduce.cpp
Type allreduce(OpCall& call);
Type reduce_scatter(OpCall& call);
// collectives_exchange.cpp
Type allgather(OpCall& call);
Type all_to_all(OpCall& call);
Type all_to_all_v(OpCall& call);

}  // namespace a2a3::ir::rules
