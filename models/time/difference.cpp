// SPDX-License-Identifier: Apache-2.0
#include "models/time/difference.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace a2a3::models {
namespace {

struct TermDifference {
  const char* name;
  double seconds;  ///< simulated less modelled
};

constexpr double kMicrosecond = 1e-6;

std::string in_microseconds(double seconds) {
  return fmt::format("{:.3f} us", seconds / kMicrosecond);
}

}  // namespace

std::string explain_difference(const SimulatedParts& simulated, const ModelledTime& modelled) {
  const TimeTerms& terms = modelled.terms;
  const double difference = simulated.seconds() - modelled.seconds();
  const double share = simulated.seconds() > 0 ? -difference / simulated.seconds() : 0;
  constexpr double kPerMille = 1000;
  // Rounded here, and no negative zero.
  const double percent = std::round(kPerMille * share) / 10 + 0.0;
  const std::string text =
      fmt::format("simulated {}, modelled {} ({:+.1f} %)", in_microseconds(simulated.seconds()),
                  in_microseconds(modelled.seconds()), percent);
  if (std::abs(share) <= kModelTolerance) return text + ": the model holds";
  const std::array apart{
      TermDifference{"skew", simulated.skew},
      TermDifference{"contention", simulated.contention},
      TermDifference{"chunk latency", simulated.chunk_latency - terms.startup - terms.hops},
      TermDifference{"signals", simulated.signals - terms.signals},
      TermDifference{"bytes", simulated.bytes - terms.beta()},
      TermDifference{"vector", simulated.vector - terms.gamma()}};
  // The one that goes furthest in the direction of the whole.
  const TermDifference most = std::ranges::max(apart, {}, [&](const TermDifference& one) {
    return difference > 0 ? one.seconds : -one.seconds;
  });
  return text + fmt::format(": {} take{} {} {}", most.name,
                            std::string_view(most.name).ends_with('s') ? "" : "s",
                            in_microseconds(std::abs(most.seconds)),
                            most.seconds > 0 ? "more" : "less");
}

}  // namespace a2a3::models
