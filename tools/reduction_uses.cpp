// SPDX-License-Identifier: Apache-2.0
#include "tools/reduction_uses.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "ir/walk.hpp"

namespace a2a3::tools {
namespace {

bool adds(const std::string& schedule) {
  return std::ranges::find(models::reduction_names(), schedule) != models::reduction_names().end();
}

/// Elements of one rank that are added: the target's, of reduce_scatter those of one row.
std::int64_t added_elements(const std::string& schedule, const ir::Type& target) {
  const models::Schedule* found = models::find_schedule(schedule, models::ScheduleForm::in_core);
  const bool in_slices = found != nullptr && found->data == models::ScheduleData::slices;
  std::int64_t elements = 1;
  for (std::size_t d = in_slices ? 1 : 0; d < target.shape.size(); ++d) {
    const auto extent = target.reach()[d].constant();
    if (!extent) return 0;
    elements *= *extent;
  }
  return elements;
}

}  // namespace

std::vector<models::ReductionUse> reduction_uses(const ir::Module& module,
                                                 const std::optional<models::TrafficClaim>& claim) {
  std::vector<models::ReductionUse> uses;
  if (claim && adds(claim->schedule)) {
    uses.push_back({claim->schedule, models::ScheduleForm::hand, claim->elements, {}});
  }
  for (const auto& function : module.functions) {
    ir::walk(function->body, [&](const ir::Expr& expr) {
      const auto* call = std::get_if<ir::Call>(&expr.node);
      if (call == nullptr || call->collective == nullptr) return;
      const ir::CollectiveNote& note = *call->collective;
      if (!adds(note.schedule)) return;
      const auto form = note.form == ir::CollectiveNote::Form::host ? models::ScheduleForm::host
                                                                    : models::ScheduleForm::in_core;
      uses.push_back(
          {note.schedule, form, added_elements(note.schedule, call->args[0]->type), expr.location});
    });
  }
  return uses;
}

}  // namespace a2a3::tools
