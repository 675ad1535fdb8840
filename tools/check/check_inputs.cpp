// SPDX-License-Identifier: Apache-2.0
#include "tools/check/check_inputs.hpp"

#include <optional>

#include <fmt/format.h>

#include "ir/parser.hpp"
#include "models/config/text_file.hpp"
#include "tools/run_setup.hpp"

namespace a2a3::tools {
namespace {

/// What is wrong with a run before it starts, with this setting beside those that all runs have.
ir::Diagnostics problems(const CheckOptions& options, std::uint32_t ranks,
                         const std::optional<std::pair<std::string, std::string>>& setting) {
  CheckCase one;
  one.ranks = ranks;
  if (setting) one.settings.push_back(*setting);
  ir::Diagnostics found;
  (void)prepare_run(options_of(options.base, one), found);
  return found;
}

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
  const std::uint32_t ranks = plan.ranks.front();
  if (plan.sizes.empty() || problems(options, ranks, std::nullopt).has_errors()) return;
  for (const SettingValues& axis : plan.sizes) {
    std::optional<ir::Diagnostics> first;
    bool taken = false;
    for (const std::string& value : axis.values) {
      ir::Diagnostics found = problems(options, ranks, std::pair(axis.name, value));
      taken = !found.has_errors();
      if (taken) break;
      if (!first) first = std::move(found);
    }
    if (taken || !first) continue;
    diagnostics.append(std::move(*first));
    diagnostics.error({},
                      fmt::format("--sizes {}: the kernel takes none of the values", axis.name));
  }
}

}  // namespace a2a3::tools
