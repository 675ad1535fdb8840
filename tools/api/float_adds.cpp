// SPDX-License-Identifier: Apache-2.0
#include "a2a3/float_adds.hpp"

#include "a2a3/range_name.hpp"

namespace a2a3 {

std::optional<SharedFloatAdds> describe_adds(
    const isa::FloatAdds& adds, const interp::LaunchPlan& plan,
    const std::function<ir::SourceLocation(isa::SourceId)>& locate) {
  if (!adds.found()) return std::nullopt;
  const isa::SharedFloatAdds& found = *adds.found();
  return SharedFloatAdds{locate(found.source),
                         {found.devices.begin(), found.devices.end()},
                         name_range(plan, found.address, found.bytes).text,
                         found.address.device};
}

}  // namespace a2a3
