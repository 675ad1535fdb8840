// SPDX-License-Identifier: Apache-2.0
#include "models/relaxed.hpp"

#include <cmath>

#include "models/random.hpp"

namespace a2a3::models {
namespace {

/// What is drawn; each from numbers of its own.
enum class Drawn : std::uint64_t { link, message, start };

double share(const RelaxedParameters& relaxed, Drawn what, std::uint64_t index) {
  return uniform_at(splitmix64(relaxed.seed, static_cast<std::uint64_t>(what)), index);
}

std::uint64_t part_of_delay(const RelaxedParameters& relaxed, double part) {
  return static_cast<std::uint64_t>(std::llround(relaxed.delay_seconds * part * 1e12));
}

}  // namespace

std::uint64_t landing_delay(const RelaxedParameters& relaxed, const RelaxedMessage& message) {
  const std::uint64_t link = std::uint64_t{message.from} << 32 | message.to;
  const std::uint64_t core = std::uint64_t{message.from} << 32 | message.core;
  return part_of_delay(relaxed,
                       share(relaxed, Drawn::link, link) *
                           share(relaxed, Drawn::message, splitmix64(core, message.number)));
}

std::uint64_t start_delay(const RelaxedParameters& relaxed, std::uint32_t rank) {
  return part_of_delay(relaxed, share(relaxed, Drawn::start, rank));
}

}  // namespace a2a3::models
