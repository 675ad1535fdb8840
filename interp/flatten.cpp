// SPDX-License-Identifier: Apache-2.0
#include "interp/flatten.hpp"

#include <algorithm>
#include <bit>

#include "interp/flattener.hpp"
#include "interp/liveness.hpp"

namespace a2a3::interp {

RegisterFile register_file(const ir::Type& type) {
  switch (type.kind) {
    case ir::TypeKind::tile:
      return RegisterFile::tile;
    case ir::TypeKind::tensor:
      return type.is_computed_tensor() ? RegisterFile::tile : RegisterFile::reference;
    case ir::TypeKind::distributed_tensor:
    case ir::TypeKind::ptr:
    case ir::TypeKind::comm_ctx:
    case ir::TypeKind::array:
      return RegisterFile::reference;
    default:
      return RegisterFile::scalar;
  }
}

bool has_register(const ir::Type& type) {
  switch (type.kind) {
    case ir::TypeKind::scalar:
    case ir::TypeKind::tile:
    case ir::TypeKind::tensor:
    case ir::TypeKind::distributed_tensor:
    case ir::TypeKind::ptr:
    case ir::TypeKind::comm_ctx:
    case ir::TypeKind::task:
    case ir::TypeKind::array:
      return true;
    default:
      return false;
  }
}

Flattener::Flattener(const ir::Function& function, SourceTable& sources,
                     ir::Diagnostics& diagnostics)
    : function_(function), sources_(sources), diagnostics_(diagnostics) {
  program_.function = &function;
  slots_.resize(std::max(function.slot_names.size(), function.parameters.size()),
                {kNoRegister, kNoRegister, kNoRegister});
}

Program Flattener::run() {
  for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
    const ir::Type& type = function_.parameters[i].type;
    const RegisterFile file = register_file(type);
    program_.parameters.push_back(
        {file, type.dtype, slot_register(static_cast<ir::Slot>(i), file)});
  }
  block(function_.body);
  emit(OpCode::finish, function_.location).site =
      static_cast<std::uint32_t>(program_.results.size());
  program_.results.emplace_back();
  insert_releases(program_);
  return std::move(program_);
}

Op& Flattener::emit(OpCode code, const ir::SourceLocation& where, unsigned scalar_ops) {
  Op& op = program_.ops.emplace_back();
  op.code = code;
  op.scalar_ops = static_cast<std::uint8_t>(scalar_ops);
  op.source = sources_.intern(where);
  return op;
}

void Flattener::patch(const std::vector<std::size_t>& jumps, std::uint32_t target) {
  for (const std::size_t jump : jumps)
    program_.ops[jump].target = target;
}

void Flattener::unsupported(const ir::SourceLocation& where, const std::string& what) {
  diagnostics_.error(where, what + " is not supported here");
}

Register Flattener::new_scalar() {
  program_.scalars.push_back(0);
  return static_cast<Register>(program_.scalars.size() - 1);
}

Register Flattener::temporary_scalar() {
  Register result = kNoRegister;
  if (free_temporaries_.empty()) {
    result = new_scalar();
  } else {
    result = free_temporaries_.back();
    free_temporaries_.pop_back();
  }
  used_temporaries_.push_back(result);
  return result;
}

Register Flattener::temporary_tile() {
  Register result = kNoRegister;
  if (free_tiles_.empty()) {
    result = static_cast<Register>(program_.tile_names.size());
    program_.tile_names.emplace_back();
  } else {
    result = free_tiles_.back();
    free_tiles_.pop_back();
  }
  used_tiles_.push_back(result);
  return result;
}

void Flattener::end_statement() {
  free_temporaries_.insert(free_temporaries_.end(), used_temporaries_.begin(),
                           used_temporaries_.end());
  used_temporaries_.clear();
  free_tiles_.insert(free_tiles_.end(), used_tiles_.begin(), used_tiles_.end());
  used_tiles_.clear();
}

Register Flattener::scalar_constant(std::int64_t bits) {
  const auto [place, is_new] = constants_.try_emplace(bits, kNoRegister);
  if (is_new) {
    place->second = new_scalar();
    program_.scalars.back() = bits;
  }
  return place->second;
}

Register Flattener::dim_register(std::uint32_t dim) {
  for (const auto& [id, index] : program_.dims) {
    if (id == dim) return index;
  }
  program_.dims.emplace_back(dim, new_scalar());
  return program_.dims.back().second;
}

Register Flattener::slot_register(ir::Slot slot, RegisterFile file) {
  const auto index = static_cast<std::size_t>(slot);
  if (slot < 0) return kNoRegister;
  if (index >= slots_.size()) slots_.resize(index + 1, {kNoRegister, kNoRegister, kNoRegister});
  Register& result = slots_[index][static_cast<std::size_t>(file)];
  if (result != kNoRegister) return result;
  switch (file) {
    case RegisterFile::scalar:
      result = new_scalar();
      break;
    case RegisterFile::reference:
      result = program_.references++;
      break;
    case RegisterFile::tile:
      result = static_cast<Register>(program_.tile_names.size());
      program_.tile_names.push_back(
          index < function_.slot_names.size() ? function_.slot_names[index] : std::string{});
      break;
  }
  return result;
}

Value Flattener::new_value(const ir::Type& type, Value target) {
  const RegisterFile file = register_file(type);
  if (target.index != kNoRegister && target.file == file) return {file, type.dtype, target.index};
  switch (file) {
    case RegisterFile::scalar:
      return {file, type.dtype, temporary_scalar()};
    case RegisterFile::reference:
      return {file, type.dtype, program_.references++};
    case RegisterFile::tile:
      return {file, type.dtype, temporary_tile()};
  }
  return {};
}

void Flattener::copy(Value from, Value to, const ir::SourceLocation& where) {
  if (from.index == to.index || from.index == kNoRegister || from.file != to.file) return;
  const OpCode code = from.file == RegisterFile::scalar      ? OpCode::move
                      : from.file == RegisterFile::reference ? OpCode::move_reference
                                                             : OpCode::move_tile;
  Op& op = emit(code, where);
  op.dtype = from.dtype;
  op.dst = to.index;
  op.a = from.index;
}

Program flatten(const ir::Function& function, SourceTable& sources, ir::Diagnostics& diagnostics) {
  return Flattener(function, sources, diagnostics).run();
}

const Program& ProgramCache::get(const ir::Function& function) {
  std::unique_ptr<Program>& program = programs_[&function];
  if (!program) program = std::make_unique<Program>(flatten(function, sources_, diagnostics_));
  return *program;
}

}  // namespace a2a3::interp
