// SPDX-License-Identifier: Apache-2.0
#include "tools/report/deadlock_json.hpp"

#include "tools/report/place_json.hpp"

namespace a2a3::tools {
namespace {

using DeadlockJson = nlohmann::ordered_json;

DeadlockJson credits_json(const std::vector<Credit>& credits) {
  DeadlockJson json = DeadlockJson::array();
  for (const Credit& credit : credits) {
    json.push_back({{"cell", credit.cell.text()},
                    {"on_rank", credit.on_rank},
                    {"window", credit.cell.window},
                    {"from_rank", credit.from_rank},
                    {"op", credit.op == isa::NotifyOp::set ? "Set" : "AtomicAdd"},
                    {"value", credit.value},
                    {"notifies_count", credit.count},
                    {"location", place_json(credit.location)}});
  }
  return json;
}

DeadlockJson senders_json(const std::vector<LikelySender>& senders) {
  DeadlockJson json = DeadlockJson::array();
  for (const LikelySender& one : senders) {
    json.push_back({{"ranks", one.ranks},
                    {"location", place_json(one.notify)},
                    {"certain", one.certain},
                    {"begun", one.begun},
                    {"stopped_at", place_json(one.stopped)}});
  }
  return json;
}

DeadlockJson wiped_json(const std::optional<WipedCredit>& wiped) {
  if (!wiped) return nullptr;
  return {{"set_by_rank", wiped->set_by},
          {"set_to", wiped->set_to},
          {"location", place_json(wiped->set)},
          {"added_by_rank", wiped->added_by},
          {"added", wiped->added},
          {"notify_location", place_json(wiped->notify)}};
}

const char* role_name(WaitRole role) {
  switch (role) {
    case WaitRole::cycle:
      return "cycle";
    case WaitRole::behind:
      return "behind";
    case WaitRole::alone:
      break;
  }
  return "no_sender";
}

DeadlockJson blocked_json(const BlockedRank& one) {
  return {{"rank", one.rank},
          {"core", one.core},
          {"location", place_json(one.location)},
          {"window", one.cell.window},
          {"cell", one.cell.text()},
          {"value", one.value},
          {"expected", one.expected},
          {"compare", one.cmp == isa::WaitCmp::ge ? "Ge" : "Eq"},
          {"deferred", one.deferred},
          {"since_ps", one.since ? DeadlockJson(*one.since) : DeadlockJson(nullptr)},
          {"role", role_name(one.role)},
          {"cycle", one.cycle < 0 ? DeadlockJson(nullptr) : DeadlockJson(one.cycle)},
          {"could_signal", senders_json(one.senders)},
          {"all_senders_known", one.all_senders_known},
          {"finished_ranks_without_notify", one.finished},
          {"undispatched_ranks", one.undispatched},
          {"received", credits_json(one.received)},
          {"elsewhere", credits_json(one.elsewhere)},
          {"wiped_out", wiped_json(one.wiped)}};
}

}  // namespace

nlohmann::ordered_json deadlock_json(const Result& result) {
  DeadlockJson blocked = DeadlockJson::array();
  for (const BlockedRank& one : result.blocked)
    blocked.push_back(blocked_json(one));
  DeadlockJson cycles = DeadlockJson::array();
  for (const WaitCycle& cycle : result.cycles)
    cycles.push_back({{"ranks", cycle.ranks}, {"ring", cycle.is_ring}});
  DeadlockJson unstarted = DeadlockJson::array();
  for (const UnstartedLaunch& one : result.unstarted) {
    unstarted.push_back({{"rank", one.rank},
                         {"kernel", one.kernel},
                         {"location", place_json(one.location)},
                         {"blocks_count", one.blocks},
                         {"unstarted_count", one.unstarted},
                         {"vector_cores_count", one.cores}});
  }
  return {{"blocked", std::move(blocked)},
          {"wait_cycles", std::move(cycles)},
          {"unstarted_launches", std::move(unstarted)},
          {"in_another_order", result.in_another_order}};
}

}  // namespace a2a3::tools
