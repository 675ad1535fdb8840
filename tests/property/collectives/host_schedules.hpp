// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "schedules.hpp"

namespace a2a3::collectives {

/// A collective called in a host function between the kernels that publish and consume; its traffic
/// is that of the rows "HOST" of traffic.md.
struct HostSchedule : Contract {
  std::vector<isa::DType> dtypes;
  std::function<std::string(const Size&)> publish;
  std::function<std::string(const Size&)> call;
  std::function<std::string(const Size&)> consume;

  [[nodiscard]] std::string program(const Size& at) const {
    return host_program(parameters(at), publish(at), call(at), consume(at));
  }
};

/// Every collective that a host function may call.
[[nodiscard]] const std::vector<HostSchedule>& host_schedules();

}  // namespace a2a3::collectives
