// SPDX-License-Identifier: Apache-2.0
#include "a2a3/signal_provenance.hpp"

#include <map>

namespace a2a3 {

SignalProvenance describe_signals(const isa::SignalRecord& record, const interp::LaunchPlan& plan,
                                  const std::function<ir::SourceLocation(isa::SourceId)>& locate) {
  SignalProvenance provenance;
  provenance.left_out = record.left_out();
  std::map<isa::GlobalAddress, CellName> names;
  for (const isa::WaitRecord& one : record.waits()) {
    const auto [name, is_new] = names.try_emplace(one.cell);
    if (is_new) name->second = name_cell(plan, one.cell);
    SatisfiedWait& wait =
        provenance.waits.emplace_back(one.at.device, locate(one.at.source), name->second, one);
    for (const isa::CountedSignal& signal : one.signals) {
      wait.notifies.push_back(
          {signal.device, signal.is_found ? ir::SourceLocation{} : locate(signal.source), signal});
    }
  }
  return provenance;
}

}  // namespace a2a3
