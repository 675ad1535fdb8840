// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/diagnostic.hpp"
#include "isa/array.hpp"

namespace a2a3::models {

/// How an output is held against its golden. NaN equals NaN, -0 equals 0, and an infinity only
/// itself in all modes; integers are always compared exactly, boolean as 0 and 1 are.
struct Comparison {
  enum class Mode : std::uint8_t {
    exact,
    tolerance,
    replay  ///< exactly; sums over the ranks were added in the order of the schedule
  };
  Mode mode = Mode::exact;
  double rtol = 1e-5;  ///< tolerance: |got - expected| <= atol + rtol * |expected|
  double atol = 1e-6;

  std::string order{};  ///< replay: the schedule that adds; empty: what the program claims or calls

  /// "exact", "tolerance(rtol=1e-05, atol=1e-06)", "replay", "replay(allreduce.ring)".
  [[nodiscard]] std::string text() const;
};

/// Reads "exact", "tolerance(rtol=1e-5, atol=1e-6)" or "replay(allreduce.ring)", all arguments
/// optional.
[[nodiscard]] std::optional<Comparison> parse_comparison(const std::string& text,
                                                         const std::string& shown_as,
                                                         ir::Diagnostics& diagnostics);

/// Where one rank's slice of an output differs from its golden.
struct SliceMismatch {
  std::uint32_t rank = 0;
  std::int64_t wrong = 0;  ///< elements that differ
  std::int64_t elements = 0;
  std::vector<std::int64_t> first_index;  ///< of the first one, inside the slice
  double got = 0;                         ///< there
  double expected = 0;
  std::string hint;          ///< what the wrong data looks like, in words; may be empty
  bool is_rounding = false;  ///< the hint is that all differences are as small as rounding
};

/// Compares the slices of all ranks; both arrays have the same dtype and shape. An output whose
/// leading dimension is not the rank count is one slice. Empty: equal.
[[nodiscard]] std::vector<SliceMismatch> compare_slices(const isa::Array& got,
                                                        const isa::Array& expected,
                                                        std::int64_t ranks,
                                                        const Comparison& comparison);

/// "y: rank 1: 64 of 256 elements wrong; at [0, 64] got 3, expected 7; it holds what rank 2 must
/// hold"
[[nodiscard]] std::string format_mismatch(std::string_view output, const SliceMismatch& mismatch);

}  // namespace a2a3::models
