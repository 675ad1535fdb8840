// SPDX-License-Identifier: Apache-2.0
// In which order writes become visible: some fields of `memory`, and those of `hazards`.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "models/config/member_count.hpp"
#include "models/machine_field_rows.hpp"
#include "models/network_fields.hpp"

namespace a2a3::models {
namespace {

/// Some times what a notify takes.
constexpr double kDelay = 5e-6;
constexpr double kSmallestLine = 8;
constexpr double kLargestLine = 4096;

using Relaxed = RelaxedParameters;
constexpr std::array kRelaxed = {
    Row<Relaxed>{"seed", &Relaxed::seed, Quantity::count, 0, 1e9,
                 "Of what a relaxed machine draws; --seed goes over it.", 0},
    Row<Relaxed>{"delay", &Relaxed::delay_seconds, Quantity::time, 0, kMaxSeconds,
                 "The most by which a write or signal is in memory later, and a rank starts later.",
                 kDelay},
};
static_assert(kRelaxed.size() + 1 == member_count<Relaxed>());

using Hazards = HazardParameters;
constexpr std::array kHazards = {
    Row<Hazards>{"set_line", &Hazards::set_line_bytes, Quantity::bytes, kSmallestLine, kLargestLine,
                 "A notify with Set writes the whole line around its cell back, as it was when the "
                 "core came to the notify; none: its cell alone.",
                 0, true},
};
static_assert(kHazards.size() + 2 == member_count<Hazards>());

constexpr const char* kOrderPath = "memory.order";

bool is_relaxed(const MachineDescription& machine) {
  return machine.relaxed.order == MemoryOrder::relaxed;
}

}  // namespace

void add_relaxed_fields(std::vector<MachineField>& fields) {
  const auto add_words = [&fields](const char* path, const char* help,
                                   std::vector<std::string> words, auto part) {
    fields.push_back(word_field(path, help, std::move(words), part));
    fields.back().fallback = 0;
  };
  add_words(
      kOrderPath,
      "When writes are in memory: as the times say (ordered), or drawn at random and later, as far "
      "as no fence, signal or own access orders them (relaxed). 'memory: relaxed' says the same.",
      {"ordered", "relaxed"}, [](auto& machine) -> auto& { return machine.relaxed.order; });
  const std::size_t first = fields.size();
  add_fields(
      fields, "memory.", kRelaxed, [](auto& machine) -> auto& { return machine.relaxed; });
  add_words(
      "hazards.fences",
      "The fences that the compiler puts behind every store and put (automatic), or none: a signal "
      "may overtake what was written before it.",
      {"automatic", "none"}, [](auto& machine) -> auto& { return machine.hazards.fences; });
  add_words(
      "hazards.zeroing",
      "Windows are zeroed before all ranks start (early), or those of each rank when it starts "
      "(late): what others wrote and signalled there by then is lost.",
      {"early", "late"}, [](auto& machine) -> auto& { return machine.hazards.zeroing; });
  add_fields(
      fields, "hazards.", kHazards, [](auto& machine) -> auto& { return machine.hazards; });
  for (std::size_t i = first; i < fields.size(); ++i) {
    fields[i].selector = kOrderPath;
    fields[i].read_by = is_relaxed;
  }
}

}  // namespace a2a3::models
