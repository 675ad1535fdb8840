// SPDX-License-Identifier: Apache-2.0
#include "ir/check/flow.hpp"

#include <algorithm>

namespace a2a3::ir {
namespace {

bool shapes_fit(const std::vector<Dim>& a, const std::vector<Dim>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].is_constant() && b[i].is_constant() && !(a[i] == b[i])) return false;
  }
  return true;
}

Variable merged(const Variable& a, const Variable& b, Module& module) {
  Variable result = a.assigned == Assigned::no ? b : a;
  if (a.assigned != b.assigned) result.assigned = Assigned::maybe;
  if (a.assigned == Assigned::no || b.assigned == Assigned::no) {
    result.order = 0;
    return result;
  }
  if (auto type = join(a.type, b.type, module)) {
    result.type = std::move(*type);
    if (!result.other_type) result.other_type = b.other_type;
  } else {
    result.other_type = b.type;
  }
  if (a.value != b.value) result.value.reset();
  if (!(a.origin == b.origin)) result.origin = {};
  result.order = std::min(a.order, b.order);
  return result;
}

}  // namespace

const Variable& Variables::operator[](Slot slot) const {
  static const Variable absent;
  const auto index = static_cast<std::size_t>(slot);
  if (index / kChunk >= chunks_.size() || chunks_[index / kChunk] == nullptr) return absent;
  return (*chunks_[index / kChunk])[index % kChunk];
}

Variable& Variables::change(Slot slot) {
  const auto index = static_cast<std::size_t>(slot);
  return own(index / kChunk)[index % kChunk];
}

Variables::Chunk& Variables::own(std::size_t chunk) {
  if (chunk >= chunks_.size()) chunks_.resize(chunk + 1);
  std::shared_ptr<Chunk>& pointer = chunks_[chunk];
  if (pointer == nullptr) {
    pointer = std::make_shared<Chunk>();
  } else if (pointer.use_count() > 1) {
    pointer = std::make_shared<Chunk>(*pointer);
  }
  return *pointer;
}

void Variables::merge(const Variables& other, Module& module) {
  chunks_.resize(std::max(chunks_.size(), other.chunks_.size()));
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const auto from = i < other.chunks_.size() ? other.chunks_[i] : nullptr;
    if (chunks_[i] == from) continue;
    const Chunk nothing;
    Chunk& into = own(i);
    for (std::size_t k = 0; k < kChunk; ++k)
      into[k] = merged(into[k], from != nullptr ? (*from)[k] : nothing[k], module);
  }
}

std::optional<Type> join(const Type& a, const Type& b, Module& module) {
  if (a == b) return a;
  if (a.kind == TypeKind::unknown || b.kind == TypeKind::unknown) return Type{};
  if (a.kind != b.kind) return std::nullopt;
  if (a.kind == TypeKind::scalar) {
    if (a.dtype == b.dtype) return a;
    if (isa::is_integer(a.dtype) && isa::is_integer(b.dtype)) {
      return Type::scalar(isa::DType::index);
    }
    return std::nullopt;
  }
  if (a.dtype != b.dtype || !shapes_fit(a.shape, b.shape)) return std::nullopt;
  Type result = a;
  for (std::size_t i = 0; i < result.shape.size(); ++i) {
    if (b.shape[i].is_constant()) result.shape[i] = b.shape[i];
  }
  for (std::size_t i = 0; i < result.valid_shape.size() && i < b.valid_shape.size(); ++i) {
    if (!(a.valid_shape[i] == b.valid_shape[i])) result.valid_shape[i] = module.add_opaque("?");
  }
  return result;
}

void merge(Flow& into, const Flow& other, Module& module) {
  if (!other.reachable) return;
  if (!into.reachable) {
    into = other;
    return;
  }
  into.variables.merge(other.variables, module);
}

}  // namespace a2a3::ir
