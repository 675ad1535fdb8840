// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
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
  create_tensor,
  const_value,
  get_byte,
  // Rank context (4.2)
  get_comm_ctx,
  rank,
  nranks,
  world_size,
  // Windows (1.4)
  alloc_window_buffer,
  window,
  // Signals (4.3)
  notify,
  wait,
  // One-sided transfers (4.4)
  remote_load,
  remote_store,
  tensor_put,
  tensor_get,
  tile_put,
  tile_get,
};

/// At which level of the program an operation may stand; a bit set.
enum class Level : std::uint8_t { kernel = 1, chip = 2, host = 4 };

struct OpParameter {
  std::string_view name;
  bool required = true;
  bool keyword_only = false;
};

/// One row of the op table.
struct OpInfo {
  OpId id;
  std::string_view name;                      ///< canonical dotted name, e.g. "pld.tensor.put"
  std::span<const std::string_view> aliases;  ///< other spellings, e.g. "pl.tile.load"
  std::span<const OpParameter> parameters;
  std::uint8_t levels;           ///< bit set of Level
  std::string_view instruction;  ///< mnemonic it becomes, or "-"
  std::string_view summary;      ///< one sentence for the coverage table
};

/// The whole table, in the order of OpId.
[[nodiscard]] std::span<const OpInfo> op_table();
[[nodiscard]] const OpInfo& op_info(OpId id);
/// Looks a dotted name up, canonical or alias; nullptr when there is no such operation.
[[nodiscard]] const OpInfo* find_op(std::string_view dotted_name);

}  // namespace a2a3::ir
