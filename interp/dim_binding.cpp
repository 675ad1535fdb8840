// SPDX-License-Identifier: Apache-2.0
#include "interp/dim_binding.hpp"

#include <set>

namespace a2a3::interp {
namespace {

void collect_unknowns(const ir::Module& module, const ir::Dim& dim, const ir::DimBindings& bindings,
                      std::set<ir::Dim::Symbol>& unknowns) {
  (void)dim.evaluate([&](ir::Dim::Symbol symbol) -> std::optional<std::int64_t> {
    if (symbol > ir::Dim::kFirstOpaque) {
      const ir::OpaqueSymbol& opaque = module.opaque_symbols.at(symbol - ir::Dim::kFirstOpaque - 1);
      if (!opaque.dividend || !opaque.divisor) {
        unknowns.insert(symbol);
      } else {
        collect_unknowns(module, *opaque.dividend, bindings, unknowns);
        collect_unknowns(module, *opaque.divisor, bindings, unknowns);
      }
    } else if (symbol == ir::Dim::kFirstOpaque ? !bindings.world_size
                                               : !bindings.dims.contains(symbol)) {
      unknowns.insert(symbol);
    }
    return 1;
  });
}

/// Binds `symbol` to the only value >= 0 that makes the dimension `actual`. Dimensions grow with
/// their symbols, so bisection finds it.
Unified solve(const ir::Module& module, const ir::Dim& dim, ir::Dim::Symbol symbol,
              std::int64_t actual, ir::DimBindings& bindings) {
  ir::DimBindings trial = bindings;
  const auto value_at = [&](std::int64_t candidate) {
    trial.dims[symbol] = candidate;
    return ir::evaluate(module, dim, trial);
  };
  std::int64_t low = 0;
  std::int64_t high = 1;
  const auto below = [&](std::int64_t candidate) {
    const auto value = value_at(candidate);
    return value && *value < actual;
  };
  while (below(high) && high < (std::int64_t{1} << 40))
    high *= 2;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (below(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (value_at(low) != actual) return Unified::different;
  if (value_at(low + 1) == actual) return Unified::ambiguous;
  bindings.dims[symbol] = low;
  return Unified::bound;
}

}  // namespace

Unified unify(const ir::Module& module, const ir::Dim& dim, std::int64_t actual,
              ir::DimBindings& bindings) {
  if (const auto value = ir::evaluate(module, dim, bindings)) {
    return *value == actual ? Unified::equal : Unified::different;
  }
  std::set<ir::Dim::Symbol> unknowns;
  collect_unknowns(module, dim, bindings, unknowns);
  if (unknowns.size() != 1 || *unknowns.begin() >= ir::Dim::kFirstOpaque) return Unified::unknown;
  return solve(module, dim, *unknowns.begin(), actual, bindings);
}

std::optional<std::uint64_t> tensor_bytes(const std::vector<std::int64_t>& shape,
                                          isa::DType dtype) {
  std::int64_t bytes = isa::size_of(dtype);
  for (const std::int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes) || bytes > kMaxTensorBytes) {
      return std::nullopt;
    }
  }
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace a2a3::interp
