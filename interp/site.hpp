// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/collective_note.hpp"
#include "ir/signal_layout.hpp"
#include "ir/source.hpp"
#include "isa/instruction.hpp"

namespace a2a3::ir {
struct Function;
}

namespace a2a3::interp {

/// Index into one of a program's register files.
using Register = std::int32_t;
inline constexpr Register kNoRegister = -1;

enum class RegisterFile : std::uint8_t { scalar, reference, tile };

struct TypedRegister {
  RegisterFile file = RegisterFile::scalar;
  isa::DType dtype = isa::DType::index;  ///< of a scalar
  Register index = kNoRegister;
};

/// Scalar registers that hold one number per tensor dimension; only the first `rank` count.
struct RegisterList {
  std::uint8_t rank = 0;
  std::array<Register, isa::kBoxDims> index{};

  [[nodiscard]] bool empty() const { return rank == 0; }
};

// The operands of effects: one struct per kind, in the order of the kernel language's arguments.

/// pl.load and pld.tile.remote_load.
struct LoadSite {
  Register tile = kNoRegister;
  Register tensor = kNoRegister;
  Register peer = kNoRegister;  ///< kNoRegister for a plain load
  RegisterList offsets;
  RegisterList shape;
  RegisterList valid_shape;  ///< empty: the whole shape
  bool padded = false;       ///< may read up to the end of a 32-byte block behind the tensor
  bool clamp = false;        ///< leaves out what lies behind the tensor's end
  isa::MemorySpace space = isa::MemorySpace::ub;  ///< where the tile is made
};

/// pl.store and pld.tile.remote_store.
struct StoreSite {
  Register tile = kNoRegister;
  Register tensor = kNoRegister;
  Register peer = kNoRegister;
  RegisterList offsets;
  RegisterList shape;  ///< the box in the tensor; empty: the tile's own shape
  bool atomic_add = false;
};

/// pld.tensor.put / get (stage made here) and pld.tile.put / get (stage given).
struct TransferSite {
  bool get = false;
  Register dst = kNoRegister;
  Register src = kNoRegister;
  Register peer = kNoRegister;
  RegisterList dst_offsets;  ///< empty, like the next two: the full slice
  RegisterList src_offsets;
  RegisterList shape;
  bool atomic_add = false;
  Register chunk_rows = kNoRegister;  ///< scalar register; kNoRegister or 0: all
  Register chunk_cols = kNoRegister;
  bool pipeline = false;
  Register stage = kNoRegister;  ///< tile registers of the lowered form
  Register stage2 = kNoRegister;
};

/// pld.system.notify and wait.
struct SignalSite {
  Register tensor = kNoRegister;
  Register peer = kNoRegister;  ///< notify only
  RegisterList offsets;
  Register value = kNoRegister;  ///< added, set or expected
  isa::NotifyOp op = isa::NotifyOp::atomic_add;
  isa::WaitCmp cmp = isa::WaitCmp::ge;
};

/// Elementwise arithmetic: `rhs` is a tile register, or a scalar register in the tile-scalar form.
struct BinarySite {
  isa::BinaryOp op = isa::BinaryOp::add;
  Register lhs = kNoRegister;
  Register rhs = kNoRegister;
  isa::DType scalar_dtype = isa::DType::index;
  bool scalar_first = false;
  bool lhs_dies = false;  ///< by liveness: nothing reads the operand's value afterwards
  bool rhs_dies = false;
};

struct CastSite {
  Register src = kNoRegister;
  isa::DType dtype = isa::DType::fp32;
  isa::RoundMode mode = isa::RoundMode::round;
  bool src_dies = false;
};

/// pl.tile.create and pl.tile.full; the shape of pl.tile.reshape.
struct TileSite {
  RegisterList shape;
  isa::DType dtype = isa::DType::fp32;
  TypedRegister value;  ///< full only
  isa::MemorySpace space = isa::MemorySpace::ub;
};

/// The box of a tensor that a slice shows or an assembly overwrites; dropped axes have extent 1. An
/// assembly of orchestration may leave trailing extents out: they are those of its source.
struct ViewSite {
  RegisterList offsets;
  RegisterList shape;
  std::array<bool, isa::kBoxDims> dropped{};
};

/// A box of a tile of one or two dimensions: what a slice copies or an assembly overwrites. A move
/// between memories takes the whole tile to `space`.
struct TileBoxSite {
  RegisterList offsets;
  RegisterList shape;
  std::array<bool, isa::kBoxDims> dropped{};
  isa::MemorySpace space = isa::MemorySpace::ub;
};

/// pl.read and pl.write: one element of a tensor (reference register) or of a tile.
struct ElementSite {
  TypedRegister object;
  RegisterList index;
  TypedRegister value;
};

/// Host and chip: alloc_window_buffer, window and create_tensor.
struct ShapeSite {
  RegisterList list;  ///< shape; alloc_window_buffer in bytes leaves it empty
  isa::DType dtype = isa::DType::fp32;
  std::string name;  ///< of the variable that takes a window buffer or a tensor
};

/// pld.system.check_signal: a window that a collective named so will use in a layout.
struct SignalCheckSite {
  Register signal = kNoRegister;
  std::string collective;
  ir::SignalLayout layout = ir::SignalLayout::mesh;
  std::optional<std::int64_t> elements;  ///< of the target, when the layout depends on them
};

/// The lowering of a collective begins: `target` says for which shape and ranks.
struct CollectiveSite {
  Register target = kNoRegister;
  const ir::CollectiveNote* note = nullptr;  ///< of the module
};

/// A call of another function of the module.
struct CallSite {
  const ir::Function* function = nullptr;
  std::vector<TypedRegister> arguments;
  std::vector<TypedRegister> results;
  Register device = kNoRegister;  ///< scalar register of device=
};

}  // namespace a2a3::interp
