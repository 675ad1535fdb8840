// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace a2a3::models {

/// What a configured number measures, and so which units it may be written in.
enum class Quantity : std::uint8_t {
  count,              ///< whole number without a unit
  ratio,              ///< number without a unit
  bytes,              ///< B, KiB, MiB, GiB, TiB, kB, MB, GB, TB; whole
  time,               ///< ns, us, ms, s, ps
  frequency,          ///< Hz, kHz, MHz, GHz
  bandwidth,          ///< B/s, kB/s, ... TB/s, KiB/s, ... TiB/s
  cycles,             ///< cycles
  cycles_per_repeat,  ///< cycles/repeat
  bytes_per_cycle,    ///< B/cycle
};

/// A number read from text, in bytes, seconds, hertz, bytes per second or the unit itself.
struct ParsedQuantity {
  double value = 0;
  std::string error;            ///< empty when the text is right
  std::size_t error_begin = 0;  ///< the part of the text that is wrong
  std::size_t error_length = 0;
};

/// Reads "28 GB/s", "1.85 GHz", "48". Refuses missing and wrong units, text after the unit, and
/// numbers that are not finite.
[[nodiscard]] ParsedQuantity parse_quantity(std::string_view text, Quantity quantity);

/// The value in the largest unit that leaves its number short, as one would write it in the file.
[[nodiscard]] std::string format_quantity(double value, Quantity quantity);

/// "a bandwidth", for messages.
[[nodiscard]] std::string_view describe(Quantity quantity);

/// A value written as it should be, for example "28 GB/s".
[[nodiscard]] std::string_view example(Quantity quantity);

/// The units that the quantity may be written in, joined by ", "; empty when it has none.
[[nodiscard]] std::string unit_names(Quantity quantity);

/// A regular expression that accepts what parse_quantity accepts (for the JSON schema); empty for
/// quantities without a unit.
[[nodiscard]] std::string unit_pattern(Quantity quantity);

}  // namespace a2a3::models
