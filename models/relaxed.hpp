// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/machine_description.hpp"

namespace a2a3::models {

/// A core's message to a device's memory: a write or a signal.
struct RelaxedMessage {
  std::uint32_t from = 0;  ///< device
  std::uint32_t core = 0;
  std::uint32_t to = 0;      ///< device
  std::uint64_t number = 0;  ///< of the core's operations
};

/// How much later than its time a message takes effect on a relaxed machine, in picoseconds, from 0
/// to RelaxedParameters::delay_seconds: drawn for each message below what is drawn for each pair of
/// devices. A function of the seed and the message alone.
[[nodiscard]] std::uint64_t landing_delay(const RelaxedParameters& relaxed,
                                          const RelaxedMessage& message);

/// How much later a rank starts, in picoseconds, from 0 to RelaxedParameters::delay_seconds.
[[nodiscard]] std::uint64_t start_delay(const RelaxedParameters& relaxed, std::uint32_t rank);

}  // namespace a2a3::models
