// SPDX-License-Identifier: Apache-2.0
#include "tools/check/check_inputs.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ir/parser.hpp"
#include "models/config/text_file.hpp"
#include "tools/run_setup.hpp"

namespace a2a3::tools {
namespace {

class InputCheck {
 public:
  InputCheck(const CheckOptions& options, const CheckPlan& plan, ir::Diagnostics& diagnostics)
      : options_(options), plan_(plan), diagnostics_(diagnostics) {}

  /// Reports names of --sizes no value of which the kernel takes.
  void check_sizes() {
    const std::uint32_t ranks = plan_.ranks.front();
    if (plan_.sizes.empty() || prepare({ranks, {}}).has_errors()) return;
    for (const SettingValues& axis : plan_.sizes) {
      std::vector<CheckGroup> groups;
      for (const std::string& value : axis.values)
        groups.push_back({ranks, {{axis.name, value}}});
      if (report_unless_one_begins(groups)) {
        diagnostics_.error(
            {}, fmt::format("--sizes {}: the kernel takes none of the values", axis.name));
      }
    }
  }

  /// Reports what is wrong on the fewest ranks when no run begins. Of more than kMostTried
  /// combinations the runs find it out.
  void check_program() {
    constexpr std::size_t kMostTried = 64;
    const std::vector<CheckGroup> groups = plan_.groups();
    if (groups.size() <= kMostTried) report_unless_one_begins(groups);
  }

 private:
  /// What is wrong with a run before it starts.
  [[nodiscard]] ir::Diagnostics prepare(const CheckGroup& group) const {
    ir::Diagnostics found;
    (void)prepare_run(options_of(options_.base, {group.ranks, group.settings, {}, {}}), found);
    return found;
  }

  /// True when it reported what is wrong with the first one.
  bool report_unless_one_begins(const std::vector<CheckGroup>& groups) {
    std::optional<ir::Diagnostics> first;
    for (const CheckGroup& group : groups) {
      ir::Diagnostics found = prepare(group);
      if (!found.has_errors()) return false;
      if (!first) first = std::move(found);
    }
    if (!first) return false;
    diagnostics_.append(std::move(*first));
    return true;
  }

  const CheckOptions& options_;
  const CheckPlan& plan_;
  ir::Diagnostics& diagnostics_;
};

}  // namespace

void check_inputs(const CheckOptions& options, const CheckPlan& plan,
                  ir::Diagnostics& diagnostics) {
  if (plan.ranks.empty()) return;
  const models::TextFile file =
      models::read_text_file(options.base.file, options.base.file,
                             options.base.files.of(ir::ParseLimits{}).max_file_bytes);
  if (file.source == nullptr) {
    diagnostics.error({}, file.error);
    return;
  }
  InputCheck check(options, plan, diagnostics);
  check.check_sizes();
  if (!diagnostics.has_errors()) check.check_program();
}

}  // namespace a2a3::tools
