// SPDX-License-Identifier: Apache-2.0
#include "models/traffic/schedule.hpp"

#include <algorithm>
#include <array>

#include "models/traffic/closed_forms.hpp"

namespace a2a3::models {
namespace {

using enum ScheduleForm;
using enum ScheduleData;
namespace form = closed_form;

constexpr std::string_view kTarget = "N: bytes of one rank's data";
constexpr std::string_view kSlices = "N: bytes of P slices";

constexpr std::array kSchedules{
    Schedule{"none", hand, "no communication but that of builtin calls", "no signals", "", none,
             false, form::nothing, form::factor_none},
    Schedule{"barrier", hand, "no payload", "P-1 signals", "", none, false, form::barrier_by_hand,
             form::factor_none},
    Schedule{"broadcast", hand, "N received, but (P-1)·N served by the root", "P-1 signals",
             kTarget, target, true, form::broadcast_by_hand, form::factor_none},
    Schedule{"allreduce.mesh", hand, "(P-1)·N received and served", "P-1 signals", kTarget, target,
             false, form::mesh_by_hand, form::factor_allreduce},
    Schedule{"allreduce.two_phase", hand,
             "2·(P-1)/P·N received and served, ragged: N + (P-2)·c_r with c_r = segment r",
             "2·(P-1) signals", kTarget, target, false, form::two_phase_by_hand,
             form::factor_allreduce},
    Schedule{"allreduce.ring", hand,
             "2·(P-1)/P·N received and served, ragged: 2·N - c_(r-1) - c_r with c_r = segment r",
             "2·(P-1)·(P-1) signals", kTarget, target, false, form::ring_by_hand,
             form::factor_allreduce},
    Schedule{"allgather", hand, "(P-1)/P·N received and sent, N/P local", "P-1 signals", kSlices,
             slices, false, form::exchange_by_hand, form::factor_exchange},
    Schedule{"reduce_scatter", hand, "(P-1)/P·N received and served", "P-1 signals", kSlices,
             slices, false, form::mesh_by_hand, form::factor_exchange},
    Schedule{"all_to_all", hand, "(P-1)/P·N received and sent, N/P local", "P-1 signals", kSlices,
             slices, false, form::exchange_by_hand, form::factor_exchange},

    Schedule{"barrier", in_core, "no payload", "P-1 signals, P-1 clears", "", none, false,
             form::barrier, form::factor_none},
    Schedule{"broadcast", in_core, "N received, but (P-1)·N served by the root, which copies N",
             "P-1 signals, P-1 clears", kTarget, target, true, form::broadcast, form::factor_none},
    Schedule{
        "allreduce.mesh", in_core, "(P-1)·N received and served (FP16: N rounded up to 32 bytes)",
        "(P-1)·(1+C) signals, P-1 clears", "N: bytes of one rank's data, C: its chunks of 16 KiB",
        target, false, form::mesh, form::factor_allreduce},
    Schedule{"allreduce.ring", in_core,
             "2·(P-1)/P·N received and served, ragged: 2·N - c_(r-1) - c_r with c_r = segment r",
             "4·K·(P-1)·(P-1) signals, 2·(P-1)·(P-1) clears",
             "N: bytes of one rank's data, K: chunks of 16 KiB in the longest segment", target,
             false, form::ring, form::factor_allreduce},
    Schedule{"allgather", in_core, "(P-1)/P·N received and sent, N/P local",
             "P-1 signals, P-1 clears", kSlices, slices, false, form::exchange,
             form::factor_exchange},
    Schedule{"reduce_scatter", in_core, "(P-1)/P·N received and served",
             "2·(P-1) signals, P-1 clears", kSlices, slices, false, form::reduce_scatter,
             form::factor_exchange},
    Schedule{"all_to_all", in_core, "(P-1)/P·N received and sent, N/P local",
             "P-1 signals, P-1 clears", kSlices, slices, false, form::exchange,
             form::factor_exchange},
    Schedule{"all_to_all_v", in_core,
             "(P-1)/P·N received and sent, N/P local, whole blocks whatever the counts",
             "2·(P-1) signals, half of them counts, P-1 clears and the own count",
             "N: bytes of P blocks of MAX_RECV rows", slices, false, form::exchange_counted,
             form::factor_exchange},

    Schedule{"barrier", host, "no payload", "P-1 signals, P-1 clears", "", none, false,
             form::barrier, form::factor_none},
    Schedule{"broadcast", host, "N received, but (P-1)·N served by the root, which copies N",
             "(P-1)·T signals, P-1 clears",
             "N: bytes of one rank's data, T: its tiles of 256 elements", target, true,
             form::host_broadcast, form::factor_none},
    Schedule{"allreduce.mesh", host, "(P-1)·N received and served (FP16: N rounded up to 32 bytes)",
             "(P-1)·(L+T) signals, (P-1)·L clears",
             "N: bytes of one rank's data, T: its tiles of 256 elements, L: lanes", target, false,
             form::host_mesh, form::factor_allreduce},
    Schedule{"allreduce.ring", host, "2·(P-1)/P·N received and served",
             "(2·(P-1)+1)·(P-1) signals and clears", kTarget, target, false, form::host_ring,
             form::factor_allreduce},
    Schedule{"allgather", host, "(P-1)/P·N received and sent, N/P local", "P-1 signals, P-1 clears",
             kSlices, slices, false, form::exchange, form::factor_exchange},
    Schedule{"reduce_scatter", host, "(P-1)/P·N received and served", "2·(P-1) signals, P-1 clears",
             kSlices, slices, false, form::reduce_scatter, form::factor_exchange},
    Schedule{"all_to_all", host, "(P-1)/P·N received and sent, N/P local",
             "P-1 signals, P-1 clears", kSlices, slices, false, form::exchange,
             form::factor_exchange},
    Schedule{"all_to_all_v", host,
             "(P-1)/P·N received and sent, N/P local, whole blocks whatever the counts",
             "2·(P-1) signals, half of them counts, P-1 clears and the own count",
             "N: bytes of P blocks of MAX_RECV rows", slices, false, form::exchange_counted,
             form::factor_exchange},
};

}  // namespace

std::string Schedule::formula() const {
  std::string text = std::string(bytes) + "; " + std::string(messages);
  if (!symbols.empty()) text += "; " + std::string(symbols);
  return text;
}

std::int64_t Schedule::buffer_bytes(const ScheduleSize& size) const {
  switch (data) {
    case none:
      return 0;
    case target:
      return size.bytes();
    case slices:
      break;
  }
  return size.ranks * size.bytes();
}

ExpectedTraffic& ExpectedTraffic::operator+=(const ExpectedTraffic& other) {
  for (const auto member : {&ExpectedTraffic::received_bytes, &ExpectedTraffic::sent_bytes,
                            &ExpectedTraffic::local_bytes, &ExpectedTraffic::signals,
                            &ExpectedTraffic::clears, &ExpectedTraffic::useful_bytes}) {
    std::optional<std::int64_t>& sum = this->*member;
    const std::optional<std::int64_t>& more = other.*member;
    sum = sum && more ? std::optional(*sum + *more) : std::nullopt;
  }
  return *this;
}

std::span<const Schedule> schedules() {
  return kSchedules;
}

const Schedule* find_schedule(std::string_view name, ScheduleForm form) {
  const auto* found = std::ranges::find_if(kSchedules, [&](const Schedule& schedule) {
    return schedule.name == name && schedule.form == form;
  });
  return found == kSchedules.end() ? nullptr : found;
}

std::string_view form_name(ScheduleForm form) {
  switch (form) {
    case hand:
      return "hand";
    case in_core:
      return "builtin";
    case host:
      break;
  }
  return "host builtin";
}

}  // namespace a2a3::models
