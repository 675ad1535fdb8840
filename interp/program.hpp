// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "interp/site.hpp"
#include "ir/module.hpp"

namespace a2a3::interp {

/// What a flat op does. Everything before `finish` touches scalar registers and the program counter
/// only and is executed by advance(); the rest is handled by whoever runs the program.
enum class OpCode : std::uint8_t {
  // dst = a (op b) on 64-bit integers, wrapped to `dtype`.
  move,
  add,
  subtract,
  multiply,
  divide,        ///< toward zero
  modulo,        ///< sign of the dividend
  divide_floor,  ///< toward minus infinity
  modulo_floor,  ///< sign of the divisor
  shift_left,
  shift_right,
  minimum,
  maximum,
  negate,
  invert,
  logical_not,
  logical_and,
  logical_or,
  equal,
  not_equal,
  less,
  less_equal,
  // The same on floating point, rounded to `dtype`.
  float_add,
  float_subtract,
  float_multiply,
  float_divide,
  float_minimum,
  float_maximum,
  float_negate,
  float_equal,
  float_not_equal,
  float_less,
  float_less_equal,
  // Conversions to `dtype`.
  to_integer,        ///< integer or boolean a
  fit_integer,       ///< the same, where no pl.cast asks for it
  integer_to_float,  ///< integer a
  float_to_integer,  ///< float a, toward zero
  to_float,          ///< float a
  move_reference,
  // Control. `target` is an index into Program::ops.
  jump,
  branch_false,  ///< to target when a is 0
  loop_begin,    ///< a = counter (start already in it), b = stop, c = step, dst = loop variable; to
                 ///< target when there is no iteration
  loop_next,     ///< the same registers; to target when there is another iteration
  // Effects. `site` is an index into the site table of the op's kind.
  finish,     ///< Program::results
  move_tile,  ///< dst, a: tile registers
  release,    ///< frees the tiles of Program::releases[site], those that hold one
  rank,       ///< dst = rank in the domain of reference a
  nranks,
  load,   ///< Program::loads
  store,  ///< Program::stores
  transfer,
  notify,
  wait,
  tile_binary,         ///< Program::binaries
  tile_binary_scalar,  ///< Program::binaries
  tile_cast,           ///< Program::casts
  tile_copy,           ///< Program::casts; dst takes the place of an operand that dies
  tile_create,         ///< Program::tiles
  tile_fill,           ///< Program::tiles
  read,                ///< Program::elements
  write,
  world_size,
  alloc_window,  ///< Program::shapes
  window,
  create_tensor,
  assemble,         ///< the box Program::views of reference a becomes what reference b is
  set_valid_shape,  ///< dst, a: tiles; b, c: scalar registers of the valid rows and columns
  fill_padding,     ///< dst, a: tiles; Program::tiles holds the value
  reshape,          ///< dst = reference a with the shape of Program::shapes
  view,             ///< dst = box of reference a, Program::views
  tile_reshape,     ///< dst = tile a with the shape of Program::tiles
  tile_slice,       ///< dst = copy of the box Program::boxes of tile a
  tile_insert,      ///< dst = tile a, the box Program::boxes of which becomes tile b
  tile_move,        ///< dst = copy of tile a in the memory of Program::boxes
  row_sum,          ///< dst = row sums of tile a, with tile b as scratch
  matmul,           ///< dst, of dtype, = tile a * tile b
  array_create,     ///< dst (reference) = array of as many zeros as scalar a says
  array_load,       ///< dst = element b of array (reference) a
  array_store,      ///< element b of array (reference) a = c
  extent,           ///< dst = extent of reference a in dimension b
  check_signal,     ///< Program::signal_checks
  block_index,      ///< dst = block of the launch that runs here
  block_count,      ///< dst = number of blocks of the launch
  spmd_begin,       ///< the calls up to spmd_end are one launch of a blocks
  spmd_end,
  check_count,       ///< a, b: scalar registers of a row count and the rank it is for
  begin_collective,  ///< Program::collectives
  defer_wait,        ///< Program::signals
  task_begin,        ///< the calls up to task_end are a task that waits for those of
                     ///< Program::task_dependences
  task_end,          ///< dst = the task
  manual_begin,      ///< the calls up to manual_end are ordered by task dependences alone
  manual_end,
  call,  ///< Program::calls
};

/// One op of a flattened function.
struct Op {
  OpCode code = OpCode::move;
  isa::DType dtype = isa::DType::index;  ///< of dst
  std::uint8_t scalar_ops = 0;           ///< scalar-unit operations it stands for
  Register dst = kNoRegister;
  Register a = kNoRegister;
  Register b = kNoRegister;
  Register c = kNoRegister;
  union {
    std::uint32_t target = 0;
    std::uint32_t site;
  };
  isa::SourceId source = 0;
};

/// A function as a linear program. Registers come in three files: scalars (integers, or the bits of
/// a double), references (tensors, windows and communication contexts, as handles of whoever runs
/// the program) and tiles. A source variable has one register in each file that it ever needs.
struct Program {
  const ir::Function* function = nullptr;
  std::vector<Op> ops;

  std::vector<std::int64_t> scalars;  ///< initial content: constants, zero elsewhere
  std::int32_t references = 0;
  std::vector<std::string> tile_names;  ///< by tile register; empty for intermediate results

  std::vector<TypedRegister> parameters;                 ///< in the function's order
  std::vector<std::pair<std::uint32_t, Register>> dims;  ///< DynamicDim id -> scalar register
  std::vector<std::vector<TypedRegister>> results;       ///< one entry per return statement
  std::vector<std::vector<Register>> releases;
  std::vector<std::vector<Register>> task_dependences;

  std::vector<LoadSite> loads;
  std::vector<StoreSite> stores;
  std::vector<TransferSite> transfers;
  std::vector<SignalSite> signals;
  std::vector<BinarySite> binaries;
  std::vector<CastSite> casts;
  std::vector<TileSite> tiles;
  std::vector<ElementSite> elements;
  std::vector<ViewSite> views;
  std::vector<TileBoxSite> boxes;
  std::vector<ShapeSite> shapes;
  std::vector<SignalCheckSite> signal_checks;
  std::vector<CollectiveSite> collectives;
  std::vector<CallSite> calls;
};

}  // namespace a2a3::interp
