// SPDX-License-Identifier: Apache-2.0
// When ranks start: the fields of `launch`.
#include <array>
#include <string_view>

#include "models/config/member_count.hpp"
#include "models/machine_field_rows.hpp"
#include "models/network_fields.hpp"

namespace a2a3::models {
namespace {

using Launch = LaunchParameters;
constexpr std::array kLaunch = {
    Row<Launch>{"skew", &Launch::skew_seconds, Quantity::time, 0, kMaxSeconds,
                "Rank r starts this long after rank r-1.", 0},
};
using Skew = SkewDistribution;
constexpr std::array kSkew = {
    Row<Skew>{"seed", &Skew::seed, Quantity::count, 0, 1e9, "Of the distribution.", 0},
    Row<Skew>{"max", &Skew::max_seconds, Quantity::time, 0, kMaxSeconds,
              "Uniform: each rank starts between 0 and this time later.", 0},
    Row<Skew>{"mean", &Skew::mean_seconds, Quantity::time, 0, kMaxSeconds,
              "Normal: each rank starts this much later on average; never earlier than at 0.", 0},
    Row<Skew>{"deviation", &Skew::deviation_seconds, Quantity::time, 0, kMaxSeconds,
              "Normal: the standard deviation.", 0},
};
static_assert(kLaunch.size() + 1 == member_count<Launch>());
static_assert(kSkew.size() + 1 == member_count<Skew>());

MachineField distribution_field() {
  MachineField field = word_field(
      "launch.distribution",
      "How late ranks start besides, drawn at random: none, uniform, normal.",
      {"none", "uniform", "normal"},
      [](auto& machine) -> auto& { return machine.launch.random_skew.kind; });
  field.fallback = 0;
  return field;
}

/// The figures of one distribution.
void read_by_distribution(std::vector<MachineField>& fields, std::string_view path,
                          bool (*reads)(const MachineDescription&)) {
  for (MachineField& field : fields) {
    if (field.path != path) continue;
    field.selector = "launch.distribution";
    field.read_by = reads;
  }
}

}  // namespace

void add_launch_fields(std::vector<MachineField>& fields) {
  add_fields(
      fields, "launch.", kLaunch, [](auto& machine) -> auto& { return machine.launch; });
  fields.push_back(distribution_field());
  add_fields(
      fields, "launch.", kSkew, [](auto& machine) -> auto& { return machine.launch.random_skew; });
  const auto is_drawn = [](const MachineDescription& machine) {
    return machine.launch.random_skew.kind != SkewKind::none;
  };
  const auto is_uniform = [](const MachineDescription& machine) {
    return machine.launch.random_skew.kind == SkewKind::uniform;
  };
  const auto is_normal = [](const MachineDescription& machine) {
    return machine.launch.random_skew.kind == SkewKind::normal;
  };
  read_by_distribution(fields, "launch.seed", is_drawn);
  read_by_distribution(fields, "launch.max", is_uniform);
  read_by_distribution(fields, "launch.mean", is_normal);
  read_by_distribution(fields, "launch.deviation", is_normal);
}

}  // namespace a2a3::models
