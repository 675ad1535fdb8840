// SPDX-License-Identifier: Apache-2.0
// Where tiles lie, and which tensors can become tiles.
#include <algorithm>

#include "ir/ops/region.hpp"

namespace a2a3::ir {
namespace {

struct Space {
  std::string_view member;
  isa::MemorySpace space;
};
constexpr Space kSpaces[] = {{"DDR", isa::MemorySpace::gm},    {"Vec", isa::MemorySpace::ub},
                             {"Mat", isa::MemorySpace::l1},    {"Left", isa::MemorySpace::l0a},
                             {"Right", isa::MemorySpace::l0b}, {"Acc", isa::MemorySpace::l0c}};

std::string list_of(const std::vector<std::string_view>& members) {
  std::string text;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i > 0) text += i + 1 == members.size() ? " or " : ", ";
    text += "MemorySpace." + std::string(members[i]);
  }
  return text;
}

}  // namespace

std::string_view member_of(isa::MemorySpace space) {
  const auto* found = std::find_if(std::begin(kSpaces), std::end(kSpaces),
                                   [&](const Space& s) { return s.space == space; });
  return found->member;
}

std::optional<isa::MemorySpace> target_memory(OpCall& call, std::size_t operand,
                                              const std::string& name,
                                              std::initializer_list<std::string_view> members,
                                              const std::string& advice) {
  const auto member = call.member(operand, "MemorySpace", "Vec",
                                  name + " target_memory must be a pl.MemorySpace member");
  if (!member) return std::nullopt;
  if (std::find(members.begin(), members.end(), member->member) == members.end()) {
    call.error(operand, name + " target_memory must be " + list_of(members) + ", got MemorySpace." +
                            member->member + advice);
    return std::nullopt;
  }
  const auto* found = std::find_if(std::begin(kSpaces), std::end(kSpaces),
                                   [&](const Space& s) { return s.member == member->member; });
  return found->space;
}

bool is_in_memory(FunctionChecker& checker, const Expr& operand, const std::string& name,
                  std::initializer_list<isa::MemorySpace> spaces) {
  const Type& type = operand.type;
  if (type.kind != TypeKind::tile) return true;
  if (std::find(spaces.begin(), spaces.end(), type.space) != spaces.end()) return true;
  std::vector<std::string_view> members;
  for (const isa::MemorySpace space : spaces)
    members.push_back(member_of(space));
  checker.error(operand.location, name + " takes a tile in " + list_of(members) + ", got " +
                                      checker.module().describe(type) + " in MemorySpace." +
                                      std::string(member_of(type.space)));
  return false;
}

bool is_loadable(FunctionChecker& checker, const Expr& tensor, const std::string& name) {
  const Type& type = tensor.type;
  if (!is_wholly_valid(checker, tensor, "The operator " + name)) return false;
  for (std::size_t i = 0; i < type.shape.size(); ++i) {
    if (type.shape[i].is_constant()) continue;
    checker
        .error(tensor.location, "The operator " + name + " takes the whole of " +
                                    checker.module().describe(type) + " into a tile: dimension " +
                                    std::to_string(i) + " must be known before the run")
        .notes.push_back({"take a box of a static size first, x[i:i + 1, 0:64] for example", {}});
    return false;
  }
  return is_aligned_tile(checker, Type::tile(type.dtype, type.shape), tensor.location);
}

bool is_packed(OpCall& call, std::size_t operand, const std::string& what) {
  if (!call.has(operand) || !call.origin(operand).gaps) return true;
  call.error(operand, what +
                          " shape reinterpret requires a packed source: this slice has gaps "
                          "between its rows; slice whole rows, or store the slice into a window "
                          "of its own first");
  return false;
}

bool is_wholly_valid(FunctionChecker& checker, const Expr& tensor, const std::string& name) {
  if (!tensor.type.is_partly_valid()) return true;
  checker.unsupported(
      tensor.location,
      name + " of a slice with a valid_shape (" + checker.module().describe(tensor.type) + ") is",
      "such a slice can be loaded, stored, read and written, and be the target of "
      "pld.tensor.allreduce; slice the valid part alone for anything else");
  return false;
}

bool kind_fits_spelling(OpCall& call, std::size_t operand) {
  const std::string spelled = call.spelled();
  const Type& type = call.type(operand);
  const bool is_tensor = type.kind == TypeKind::tensor || type.kind == TypeKind::distributed_tensor;
  const bool wrong = spelled.starts_with("pl.tile.")     ? is_tensor
                     : spelled.starts_with("pl.tensor.") ? type.kind == TypeKind::tile
                                                         : false;
  if (!wrong) return true;
  const std::string other = is_tensor ? "pl.tensor" : "pl.tile";
  call.error(operand, "The operator " + spelled.substr(3) + " requires " + call.parameter(operand) +
                          " to be a " +
                          (is_tensor ? "TileType" : "TensorType or DistributedTensorType") +
                          ", but got " + call.shown_type(operand) + "; see " + other +
                          spelled.substr(spelled.rfind('.')));
  return false;
}

}  // namespace a2a3::ir
