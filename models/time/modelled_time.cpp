// SPDX-License-Identifier: Apache-2.0
#include "models/time/modelled_time.hpp"

#include <algorithm>
#include <array>

#include "models/time/schedule_times.hpp"

namespace a2a3::models {
namespace {

struct TimedSchedule {
  std::string_view name;
  ScheduleForm form;
  TimeTerms (*time)(const SchedulePhases& phases);
};

constexpr auto kByHand = ScheduleForm::hand;
constexpr auto kInCore = ScheduleForm::in_core;
constexpr auto kInHost = ScheduleForm::host;

constexpr std::array kTimedSchedules{
    TimedSchedule{"allreduce.mesh", kByHand, schedule_time::mesh_by_hand},
    TimedSchedule{"allreduce.two_phase", kByHand, schedule_time::two_phase_by_hand},
    TimedSchedule{"allreduce.ring", kByHand, schedule_time::ring_by_hand},
    TimedSchedule{"broadcast", kByHand, schedule_time::broadcast_by_hand},
    TimedSchedule{"allgather", kByHand, schedule_time::allgather_by_hand},
    TimedSchedule{"reduce_scatter", kByHand, schedule_time::reduce_scatter_by_hand},
    TimedSchedule{"all_to_all", kByHand, schedule_time::all_to_all_by_hand},
    TimedSchedule{"allreduce.mesh", kInCore, schedule_time::mesh},
    TimedSchedule{"allreduce.ring", kInCore, schedule_time::ring},
    TimedSchedule{"broadcast", kInCore, schedule_time::broadcast},
    TimedSchedule{"allgather", kInCore, schedule_time::allgather},
    TimedSchedule{"reduce_scatter", kInCore, schedule_time::reduce_scatter},
    TimedSchedule{"all_to_all", kInCore, schedule_time::all_to_all},
    TimedSchedule{"allreduce.mesh", kInHost, schedule_time::host_mesh},
    TimedSchedule{"allreduce.ring", kInHost, schedule_time::host_ring},
    TimedSchedule{"broadcast", kInHost, schedule_time::host_broadcast},
    TimedSchedule{"allgather", kInHost, schedule_time::host_allgather},
    TimedSchedule{"reduce_scatter", kInHost, schedule_time::host_reduce_scatter},
    TimedSchedule{"all_to_all", kInHost, schedule_time::host_all_to_all},
};

}  // namespace

std::optional<ModelledTime> modelled_time(const Schedule& schedule, const ScheduleSize& size,
                                          const MachineDescription& machine) {
  const auto found = std::ranges::find_if(kTimedSchedules, [&](const TimedSchedule& one) {
    return one.name == schedule.name && one.form == schedule.form;
  });
  if (found == kTimedSchedules.end() || size.elements <= 0) return std::nullopt;
  return ModelledTime{found->time(SchedulePhases(size, machine))};
}

}  // namespace a2a3::models
