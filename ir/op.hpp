// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace a2a3::ir {

/// Every operation of the kernel language that has a meaning at run time. Control forms (pl.range,
/// pl.at, pl.yield_ ...) are statements, not operations.
enum class OpId : std::uint16_t {
  // Local data (kernel_language 4.1)
  tile_load,
  tile_store,
  add,
  sub,
  mul,
  div,
  maximum,
  minimum,
  scalar_min,
  scalar_max,
  cast,
  read,
  write,
  tile_create,
  tile_full,
  tile_set_validshape,
  tile_fillpad,
  tensor_reshape,
  tensor_dim,
  slice,
  assemble,
  tile_reshape,
  row_sum,
  tile_move,
  matmul,
  array_create,
  create_tensor,
  const_value,
  get_byte,
  // Rank context (4.2)
  get_comm_ctx,
  rank,
  nranks,
  world_size,
  get_block_idx,
  get_block_num,
  // Windows (1.4)
  alloc_window_buffer,
  window,
  // Signals (4.3)
  notify,
  wait,
  defer_wait,
  check_signal,
  check_count,
  // One-sided transfers (4.4)
  remote_load,
  remote_load_padded,
  remote_store,
  tensor_put,
  tensor_get,
  tile_put,
  tile_get,
  // Collectives (4.5): lowered to the operations above before a program runs
  barrier,
  broadcast,
  allreduce,
  allgather,
  reduce_scatter,
  all_to_all,
  all_to_all_v,
};

/// A collective operation, which ir/passes lowers.
[[nodiscard]] constexpr bool is_collective(OpId id) {
  return id >= OpId::barrier && id <= OpId::all_to_all_v;
}

/// At which level of the program an operation may stand; a bit set.
enum class Level : std::uint8_t { kernel = 1, chip = 2, host = 4 };

struct OpParameter {
  std::string_view name;
  bool required = true;
  bool keyword_only = false;
  std::string_view default_value = {};  ///< as the language writes it, "None" for example
};

struct Call;
struct Expr;
struct Type;
class OpCall;

/// The type rule and verification of an operation: reports what is wrong with the call and returns
/// its result type (unknown when that cannot be told).
using OpRule = Type (*)(OpCall&);

/// One row of the op table.
struct OpInfo {
  OpId id;
  std::string_view name;                      ///< canonical dotted name, e.g. "pld.tensor.put"
  std::span<const std::string_view> aliases;  ///< other spellings, e.g. "pl.tile.load"
  std::span<const OpParameter> parameters;
  std::uint8_t levels;           ///< bit set of Level
  std::string_view instruction;  ///< mnemonic it becomes, or "-"
  std::string_view summary;      ///< one sentence for the coverage table
  OpRule rule;
};

/// An operation of the language that is refused by name so far.
struct UnsupportedOp {
  std::string_view name;
  std::string_view summary;
};

/// The whole table, in the order of OpId.
[[nodiscard]] std::span<const OpInfo> op_table();
[[nodiscard]] const OpInfo& op_info(OpId id);
/// Looks a dotted name up, canonical or alias; nullptr when there is no such operation.
[[nodiscard]] const OpInfo* find_op(std::string_view dotted_name);

/// Operations and control forms that exist in the language but not here.
[[nodiscard]] std::span<const UnsupportedOp> unsupported_ops();
[[nodiscard]] const UnsupportedOp* find_unsupported_op(std::string_view dotted_name);

/// The index of the operand of that name; the number of operands when there is none.
[[nodiscard]] std::size_t operand_index(const OpInfo& op, std::string_view name);
/// What a checked call gives for the operand of that name; nullptr when it is absent or None.
[[nodiscard]] const Expr* named_operand(const Call& call, std::string_view name);

/// `pld.system.wait(signal, offsets, expected, *, cmp)`.
[[nodiscard]] std::string signature(const OpInfo& op);

}  // namespace a2a3::ir
