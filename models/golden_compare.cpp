// SPDX-License-Identifier: Apache-2.0
#include "models/golden_compare.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/vocabulary.hpp"
#include "models/golden/call_text.hpp"
#include "models/traffic/reduction_order.hpp"

namespace a2a3::models {
namespace {

/// One array read slice by slice.
class Slices {
 public:
  Slices(const isa::Array& array, std::int64_t count)
      : array_(array), elements_(count == 0 ? 0 : array.elements() / count) {}

  [[nodiscard]] std::int64_t elements() const { return elements_; }
  [[nodiscard]] isa::DType dtype() const { return array_.dtype; }
  /// The element's bytes in memory.
  [[nodiscard]] std::span<const std::byte> bytes(std::int64_t slice, std::int64_t index) const {
    const auto size = static_cast<std::size_t>(isa::size_of(array_.dtype));
    return std::span(array_.bytes)
        .subspan(static_cast<std::size_t>(slice * elements_ + index) * size, size);
  }
  [[nodiscard]] double at(std::int64_t slice, std::int64_t index) const {
    return array_.at(slice * elements_ + index);
  }

 private:
  const isa::Array& array_;
  std::int64_t elements_;
};

bool is_close(double got, double expected, const Comparison& comparison) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected);
  if (comparison.mode != Comparison::Mode::tolerance || std::isinf(got) || std::isinf(expected)) {
    return got == expected;
  }
  return std::abs(got - expected) <= comparison.atol + comparison.rtol * std::abs(expected);
}

/// The tolerance that differences of a few roundings stay within; nothing for integers.
std::optional<Comparison> rounding_of(isa::DType dtype) {
  Comparison comparison{Comparison::Mode::tolerance};
  switch (dtype) {
    case isa::DType::fp32:
      return comparison;
    case isa::DType::fp16:
      comparison.rtol = 2e-3;
      comparison.atol = 2e-4;
      return comparison;
    case isa::DType::bf16:
      comparison.rtol = 2e-2;
      comparison.atol = 2e-3;
      return comparison;
    default:
      return std::nullopt;
  }
}

/// True when an element of the output is what an element of the golden says.
using Equal = std::function<bool(std::int64_t rank, std::int64_t index, std::int64_t golden_rank,
                                 std::int64_t golden_index)>;

Equal equality(const Slices& got, const Slices& expected, const Comparison& comparison) {
  if (isa::is_integer(got.dtype())) {
    return [&](std::int64_t rank, std::int64_t index, std::int64_t golden_rank,
               std::int64_t golden_index) {
      return std::ranges::equal(got.bytes(rank, index), expected.bytes(golden_rank, golden_index));
    };
  }
  const Comparison limits = isa::is_float(got.dtype()) ? comparison : Comparison{};
  return [&got, &expected, limits](std::int64_t rank, std::int64_t index, std::int64_t golden_rank,
                                   std::int64_t golden_index) {
    return is_close(got.at(rank, index), expected.at(golden_rank, golden_index), limits);
  };
}

std::vector<std::int64_t> unflatten(std::int64_t flat, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    index[i] = flat % shape[i];
    flat /= shape[i];
  }
  return index;
}

struct MismatchHint {
  std::string text;
  bool is_rounding = false;
};

/// Looks for a pattern in a wrong slice that tells what went wrong.
class Hints {
 public:
  Hints(const Slices& got, const Slices& expected, std::int64_t ranks, const Equal& equal)
      : got_(got), expected_(expected), ranks_(ranks), equal_(equal) {}

  [[nodiscard]] MismatchHint of(std::int64_t rank) const {
    const std::int64_t n = got_.elements();
    if (const auto rounding = rounding_of(got_.dtype())) {
      const auto near = [&](std::int64_t i) {
        return is_close(got_.at(rank, i), expected_.at(rank, i), *rounding);
      };
      std::int64_t i = 0;
      while (i < n && near(i))
        ++i;
      if (i == n)
        return {fmt::format("all differences are as small as rounding: --compare '{}' allows them",
                            rounding->text()),
                true};
    }
    if (zeros(rank, n)) return {"every wrong element is 0: never written?"};
    for (std::int64_t other = 0; other < ranks_; ++other) {
      if (other != rank && same(rank, 0, other, 0, n)) {
        return {fmt::format("it holds what rank {} must hold", other)};
      }
    }
    if (std::string found = blocks(rank, n); !found.empty()) return {std::move(found)};
    std::string roundings = roundings_of_the_largest(rank, n);
    const bool is_rounding = !roundings.empty();
    return {std::move(roundings), is_rounding};
  }

 private:
  [[nodiscard]] bool zeros(std::int64_t rank, std::int64_t n) const {
    for (std::int64_t i = 0; i < n; ++i) {
      if (got_.at(rank, i) != 0 && !equal_(rank, i, rank, i)) return false;
    }
    return true;
  }
  /// True when `count` elements of a rank's output equal those of another place of the golden.
  [[nodiscard]] bool same(std::int64_t rank, std::int64_t at, std::int64_t golden_rank,
                          std::int64_t golden_at, std::int64_t count) const {
    for (std::int64_t i = 0; i < count; ++i) {
      if (!equal_(rank, at + i, golden_rank, golden_at + i)) return false;
    }
    return count > 0;
  }

  /// Sums of products may cancel: then a small element is as wrong as a large one is rounded.
  [[nodiscard]] std::string roundings_of_the_largest(std::int64_t rank, std::int64_t n) const {
    std::optional<Comparison> limits = rounding_of(got_.dtype());
    if (!limits) return {};
    double largest = 0;
    double difference = 0;
    bool whole = true;  // whole numbers add up exactly
    for (std::int64_t i = 0; i < n; ++i) {
      const double expected = expected_.at(rank, i);
      if (!std::isfinite(expected) || !std::isfinite(got_.at(rank, i))) return {};
      whole = whole && expected == std::floor(expected);
      largest = std::max(largest, std::abs(expected));
      difference = std::max(difference, std::abs(got_.at(rank, i) - expected));
    }
    // A tenth of the relative tolerance: a few units in the last place of the largest element.
    if (whole || difference == 0 || difference > limits->rtol / 10 * largest) return {};
    limits->atol = std::pow(10, std::floor(std::log10(difference)) + 1);
    return fmt::format(
        "all differences are as small as the rounding of the largest element: --compare '{}' "
        "allows them",
        limits->text());
  }

  /// A gather of P equal blocks whose wrong blocks are in each other's place.
  [[nodiscard]] std::string blocks(std::int64_t rank, std::int64_t n) const {
    if (ranks_ < 2 || n % ranks_ != 0) return {};
    const std::int64_t size = n / ranks_;
    for (std::int64_t block = 0; block < ranks_; ++block) {
      if (same(rank, block * size, rank, block * size, size)) continue;
      for (std::int64_t other = 0; other < ranks_; ++other) {
        if (other != block && same(rank, block * size, rank, other * size, size)) {
          return fmt::format(
              "elements {} to {} (block {} of {}) hold what block {} must hold: wrong order?",
              block * size, block * size + size - 1, block, ranks_, other);
        }
      }
      return {};
    }
    return {};
  }

  const Slices& got_;
  const Slices& expected_;
  std::int64_t ranks_;
  const Equal& equal_;
};

std::optional<Comparison> read_replay(const CallText& call, ir::Diagnostics& diagnostics) {
  Comparison comparison{Comparison::Mode::replay};
  if (call.arguments.empty()) return comparison;
  const CallArgument& schedule = call.arguments.front();
  const std::vector<std::string>& known = reduction_names();
  const bool is_one = call.arguments.size() == 1 && schedule.name.empty() && schedule.text;
  if (is_one && std::ranges::find(known, *schedule.text) != known.end()) {
    comparison.order = *schedule.text;
    return comparison;
  }
  diagnostics
      .error(schedule.location,
             is_one ? fmt::format("replay: no schedule that adds is called '{}'{}", *schedule.text,
                                  ir::suggestion(*schedule.text, known))
                    : "replay takes the name of one schedule, as in replay(allreduce.ring)")
      .notes.push_back({fmt::format("schedules that add: {}", fmt::join(known, ", ")), {}});
  return std::nullopt;
}

}  // namespace

std::string Comparison::text() const {
  switch (mode) {
    case Mode::exact:
      return "exact";
    case Mode::tolerance:
      return fmt::format("tolerance(rtol={}, atol={})", rtol, atol);
    case Mode::replay:
      break;
  }
  return order.empty() ? "replay" : fmt::format("replay({})", order);
}

std::optional<Comparison> parse_comparison(const std::string& text, const std::string& shown_as,
                                           ir::Diagnostics& diagnostics) {
  const std::optional<CallText> call = parse_call(
      std::make_shared<const ir::SourceFile>(shown_as, text), {}, diagnostics, CallNames::texts);
  if (!call) return std::nullopt;
  Comparison comparison;
  if (call->function == "replay") return read_replay(*call, diagnostics);
  if (call->function == "exact") {
    if (!call->take({}, diagnostics)) return std::nullopt;
    return comparison;
  }
  if (call->function == "tolerance") {
    comparison.mode = Comparison::Mode::tolerance;
    if (!call->take({{"rtol", &comparison.rtol}, {"atol", &comparison.atol}}, diagnostics)) {
      return std::nullopt;
    }
    if (comparison.rtol >= 0 && comparison.atol >= 0) return comparison;
    diagnostics.error(call->location, "a tolerance cannot be negative");
    return std::nullopt;
  }
  diagnostics.error(call->location,
                    fmt::format("unknown comparison '{}': expected exact, replay or "
                                "tolerance(rtol=1e-5, atol=1e-6)",
                                call->function));
  return std::nullopt;
}

std::vector<SliceMismatch> compare_slices(const isa::Array& got, const isa::Array& expected,
                                          std::int64_t ranks, const Comparison& comparison) {
  const bool by_rank = !got.shape.empty() && got.shape[0] == ranks;
  const std::int64_t count = by_rank ? ranks : 1;
  const std::vector<std::int64_t> slice_shape(got.shape.begin() + (by_rank ? 1 : 0),
                                              got.shape.end());
  const Slices got_slices(got, count);
  const Slices expected_slices(expected, count);
  const Equal equal = equality(got_slices, expected_slices, comparison);
  const Hints hints(got_slices, expected_slices, count, equal);
  std::vector<SliceMismatch> mismatches;
  if (got.bytes == expected.bytes) return mismatches;
  for (std::int64_t rank = 0; rank < count; ++rank) {
    SliceMismatch mismatch;
    mismatch.rank = static_cast<std::uint32_t>(rank);
    mismatch.elements = got_slices.elements();
    for (std::int64_t i = 0; i < mismatch.elements; ++i) {
      if (equal(rank, i, rank, i) || mismatch.wrong++ != 0) continue;
      mismatch.first_index = unflatten(i, slice_shape);
      mismatch.got = got_slices.at(rank, i);
      mismatch.expected = expected_slices.at(rank, i);
    }
    if (mismatch.wrong == 0) continue;
    MismatchHint hint = hints.of(rank);
    mismatch.hint = std::move(hint.text);
    mismatch.is_rounding = hint.is_rounding;
    mismatches.push_back(std::move(mismatch));
  }
  return mismatches;
}

std::string format_mismatch(std::string_view output, const SliceMismatch& mismatch) {
  return fmt::format(
      "{}: rank {}: {} of {} elements wrong; at [{}] got {:.9g}, expected {:.9g}{}{}", output,
      mismatch.rank, mismatch.wrong, mismatch.elements, fmt::join(mismatch.first_index, ", "),
      mismatch.got, mismatch.expected, mismatch.hint.empty() ? "" : "; ", mismatch.hint);
}

}  // namespace a2a3::models
