// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

namespace a2a3::models {

/// Converts to anything; only for unevaluated initialisers.
struct AnyMember {
  template <typename T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};

template <typename Aggregate, typename Sequence>
inline constexpr bool kTakes = false;
template <typename Aggregate, std::size_t... I>
inline constexpr bool kTakes<Aggregate, std::index_sequence<I...>> = requires {
  Aggregate{(void(I), AnyMember{})...};
};

/// Number of members of an aggregate, so that a list of descriptors can be proved complete when it
/// compiles.
template <typename Aggregate, std::size_t Count = 0>
constexpr std::size_t member_count() {
  if constexpr (kTakes<Aggregate, std::make_index_sequence<Count + 1>>) {
    return member_count<Aggregate, Count + 1>();
  } else {
    return Count;
  }
}

}  // namespace a2a3::models
