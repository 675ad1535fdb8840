// SPDX-License-Identifier: Apache-2.0
#include "models/config/quantity.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "ir/vocabulary.hpp"

namespace a2a3::models {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr double kKi = 1024;

constexpr std::array kBytes = {Unit{"TiB", kKi* kKi* kKi* kKi},
                               Unit{"GiB", kKi* kKi* kKi},
                               Unit{"MiB", kKi* kKi},
                               Unit{"KiB", kKi},
                               Unit{"B", 1},
                               Unit{"TB", 1e12},
                               Unit{"GB", 1e9},
                               Unit{"MB", 1e6},
                               Unit{"kB", 1e3}};
constexpr std::array kTime = {Unit{"ns", 1e-9}, Unit{"us", 1e-6}, Unit{"ms", 1e-3}, Unit{"s", 1},
                              Unit{"ps", 1e-12}};
constexpr std::array kFrequency = {Unit{"GHz", 1e9}, Unit{"MHz", 1e6}, Unit{"kHz", 1e3},
                                   Unit{"Hz", 1}};
constexpr std::array kBandwidth = {Unit{"TB/s", 1e12},
                                   Unit{"GB/s", 1e9},
                                   Unit{"MB/s", 1e6},
                                   Unit{"kB/s", 1e3},
                                   Unit{"B/s", 1},
                                   Unit{"TiB/s", kKi* kKi* kKi* kKi},
                                   Unit{"GiB/s", kKi* kKi* kKi},
                                   Unit{"MiB/s", kKi* kKi},
                                   Unit{"KiB/s", kKi}};
constexpr std::array kCycles = {Unit{"cycles", 1}, Unit{"cycle", 1}};
constexpr std::array kCyclesPerRepeat = {Unit{"cycles/repeat", 1}};
constexpr std::array kBytesPerCycle = {Unit{"B/cycle", 1}};

struct QuantityInfo {
  std::string_view description;
  std::string_view example;
  std::span<const Unit> units;
  bool whole;

  /// The unit of 0 and of values below 1 in every unit.
  [[nodiscard]] const Unit& small_unit() const {
    const auto found = std::find_if(units.begin(), units.end(), [](const Unit& unit) {
      return unit.name == "ns" || unit.factor == 1;
    });
    return found == units.end() ? units.back() : *found;
  }
};

const QuantityInfo& info(Quantity quantity) {
  static const std::array<QuantityInfo, 9> table = {{
      {"a whole number without a unit", "48", {}, true},
      {"a number without a unit", "0.93", {}, false},
      {"a number of bytes", "192 KiB", kBytes, true},
      {"a time", "160 ns", kTime, false},
      {"a frequency", "1.85 GHz", kFrequency, false},
      {"a bandwidth", "28 GB/s", kBandwidth, false},
      {"a number of cycles", "264 cycles", kCycles, false},
      {"cycles per vector repeat", "2.11 cycles/repeat", kCyclesPerRepeat, false},
      {"bytes per cycle", "128 B/cycle", kBytesPerCycle, false},
  }};
  return table.at(static_cast<std::size_t>(quantity));
}

std::vector<std::string> names(std::span<const Unit> units) {
  std::vector<std::string> result;
  for (const Unit& unit : units)
    result.emplace_back(unit.name);
  return result;
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

/// Wrong capital letters are the most frequent slip: gb/s, KHZ.
std::string suggest_unit(std::string_view written, std::span<const Unit> units) {
  const auto same = std::find_if(units.begin(), units.end(), [written](const Unit& unit) {
    return same_letters(unit.name, written);
  });
  if (same != units.end()) return fmt::format("; did you mean '{}'?", same->name);
  return ir::suggestion(written, names(units));
}

std::size_t skip_spaces(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t'))
    ++at;
  return at;
}

ParsedQuantity wrong(Quantity quantity, std::string_view what, std::size_t begin,
                     std::size_t length) {
  ParsedQuantity result;
  result.error =
      fmt::format("expected {} (for example {}), {}", describe(quantity), example(quantity), what);
  result.error_begin = begin;
  result.error_length = length;
  return result;
}

}  // namespace

ParsedQuantity parse_quantity(std::string_view text, Quantity quantity) {
  const QuantityInfo& about = info(quantity);
  const std::size_t begin = skip_spaces(text, 0);
  const std::size_t digits = begin < text.size() && text[begin] == '+' ? begin + 1 : begin;
  ParsedQuantity result;
  const auto [end, failure] =
      std::from_chars(text.data() + digits, text.data() + text.size(), result.value);
  if (failure == std::errc::result_out_of_range) {
    return wrong(quantity, fmt::format("got '{}', which no number can hold", text), begin,
                 text.size() - begin);
  }
  if (failure != std::errc() || !std::isfinite(result.value)) {
    return wrong(quantity, fmt::format("got '{}'", text), begin, text.size() - begin);
  }
  const std::size_t number_end = static_cast<std::size_t>(end - text.data());
  const std::size_t unit_begin = skip_spaces(text, number_end);
  std::string_view unit = text.substr(unit_begin);
  while (!unit.empty() && (unit.back() == ' ' || unit.back() == '\t'))
    unit.remove_suffix(1);

  if (about.units.empty()) {
    if (!unit.empty()) {
      return wrong(quantity, fmt::format("got '{}' after the number", unit), unit_begin,
                   unit.size());
    }
  } else if (unit.empty()) {
    return wrong(quantity, "got no unit", begin, number_end - begin);
  } else {
    const Unit* found = nullptr;
    for (const Unit& candidate : about.units) {
      if (candidate.name == unit) found = &candidate;
    }
    if (found == nullptr) {
      std::string what = fmt::format("got the unit '{}'", unit);
      what += suggest_unit(unit, about.units);
      return wrong(quantity, what, unit_begin, unit.size());
    }
    result.value *= found->factor;
  }
  if (about.whole && result.value != std::floor(result.value)) {
    return wrong(quantity, fmt::format("got '{}', which is not whole", text), begin,
                 text.size() - begin);
  }
  return result;
}

std::string format_quantity(double value, Quantity quantity) {
  const QuantityInfo& about = info(quantity);
  // The shortest number that is read back as the value, up to the rounding of the unit's factor.
  const auto number = [value](double factor) {
    std::string text;
    for (int digits = 10; digits <= std::numeric_limits<double>::max_digits10; ++digits) {
      text = fmt::format("{:.{}g}", value / factor, digits);
      const double back = std::strtod(text.c_str(), nullptr) * factor;
      constexpr double kRounding = std::numeric_limits<double>::epsilon();
      if (std::abs(back - value) <= kRounding * std::abs(value)) break;
    }
    return text;
  };
  if (about.units.empty()) return number(1);
  std::string best;
  std::string_view best_unit;
  for (const Unit& unit : about.units) {
    const double count = value / unit.factor;
    const bool fits = !about.whole || count == std::floor(count);
    // The slack is for 160 ns / 1e-9, which need not be 160 exactly.
    if (!fits || std::abs(count) < 1 - 1e-9) continue;
    std::string text = number(unit.factor);
    if (!best.empty() && text.size() >= best.size()) continue;
    best = std::move(text);
    best_unit = unit.name;
  }
  if (!best.empty()) return fmt::format("{} {}", best, best_unit);
  return fmt::format("{} {}", number(about.small_unit().factor), about.small_unit().name);
}

std::string_view describe(Quantity quantity) {
  return info(quantity).description;
}

std::string_view example(Quantity quantity) {
  return info(quantity).example;
}

std::string unit_names(Quantity quantity) {
  return fmt::format("{}", fmt::join(names(info(quantity).units), ", "));
}

std::string unit_pattern(Quantity quantity) {
  const QuantityInfo& about = info(quantity);
  if (about.units.empty()) return {};
  return fmt::format("^[+]?[0-9]*[.]?[0-9]+([eE][+-]?[0-9]+)?[ \\t]*({})$",
                     fmt::join(names(about.units), "|"));
}

}  // namespace a2a3::models
