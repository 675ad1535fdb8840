// SPDX-License-Identifier: Apache-2.0
#include "interp/relaxed_memory.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace a2a3::interp {
namespace {

/// How many turns of all cores a write is in flight, and of how many turns a rank takes one.
constexpr std::array<std::uint64_t, 5> kPatience = {1, 4, 16, 128, 4096};
constexpr std::array<std::uint64_t, 4> kSlowness = {1, 1, 3, 20};

bool is_transfer(const isa::Operation& operation) {
  return std::holds_alternative<isa::TPut>(operation) ||
         std::holds_alternative<isa::TGet>(operation);
}

}  // namespace

RelaxedMemory::RelaxedMemory(const std::vector<KernelRun::Core>& cores, const RelaxedOrder& order)
    : random_(order.seed),
      fenced_(order.fenced),
      set_line_bytes_(order.set_line_bytes),
      in_flight_(cores.size(), 0) {
  for (const KernelRun::Core& core : cores) {
    device_of_core_.push_back(core.device);
    while (slowness_.size() <= core.device)
      slowness_.push_back(kSlowness[random_() % kSlowness.size()]);
  }
  for (const RelaxedOrder::Zeroing& one : order.zeroings) {
    if (one.address.device >= zeroings_.size()) zeroings_.resize(one.address.device + 1);
    zeroings_[one.address.device].push_back(one);
  }
}

std::size_t RelaxedMemory::choose(const std::deque<std::size_t>& ready) {
  for (;;) {
    const std::size_t drawn = random_() % ready.size();
    if (random_() % slowness_[device_of_core_[ready[drawn]]] == 0) return drawn;
  }
}

bool RelaxedMemory::is_delayed(const isa::Operation& operation) {
  return std::holds_alternative<isa::TStore>(operation) || is_transfer(operation) ||
         std::holds_alternative<isa::ScalarWrite>(operation);
}

bool RelaxedMemory::is_fence(const isa::Operation& operation) const {
  if (std::holds_alternative<isa::TaskEnd>(operation)) return true;
  return fenced_ && (std::holds_alternative<isa::TNotify>(operation) || is_transfer(operation) ||
                     std::holds_alternative<isa::PipeBarrier>(operation));
}

bool RelaxedMemory::fences_itself(std::size_t core, const isa::Operation& operation) const {
  if (!fenced_) return false;
  if (const auto* store = std::get_if<isa::TStore>(&operation))
    return store->dst.base.device != device_of_core_[core];
  return is_transfer(operation);
}

isa::ByteRange RelaxedMemory::line_of(const isa::Operation& operation,
                                      std::span<const std::span<std::byte>> gm) const {
  const auto* notify = std::get_if<isa::TNotify>(&operation);
  if (set_line_bytes_ == 0 || notify == nullptr || notify->op != isa::NotifyOp::set) return {};
  const auto [device, offset] = notify->cell;
  const std::uint64_t begin = offset - offset % set_line_bytes_;
  return {isa::MemorySpace::gm, true, device, begin,
          std::min<std::uint64_t>(begin + set_line_bytes_, gm[device].size())};
}

std::vector<RelaxedOrder::Zeroing> RelaxedMemory::take_zeroings(std::uint32_t device) {
  if (device >= zeroings_.size()) return {};
  return std::exchange(zeroings_[device], {});
}

void RelaxedMemory::add(std::size_t core, isa::GlobalAddress address,
                        std::span<const std::byte> bytes, std::optional<isa::DType> added) {
  const auto [known, is_new] = lane_of_.try_emplace({core, address.device}, lanes_.size());
  if (is_new) lanes_.push_back({core, kPatience[random_() % kPatience.size()], {}});
  Lane& lane = lanes_[known->second];
  if (lane.writes.empty()) busy_.push_back(known->second);
  lane.writes.add(address, bytes, added);
  ++in_flight_[core];
}

RelaxedMemory::Landing RelaxedMemory::take(std::size_t lane) {
  Landing landing{lanes_[lane].core, lanes_[lane].writes.take()};
  if (lanes_[lane].writes.empty()) std::erase(busy_, lane);
  --in_flight_[landing.first];
  return landing;
}

std::optional<RelaxedMemory::Landing> RelaxedMemory::land(bool at_once) {
  if (busy_.empty()) return std::nullopt;
  const std::size_t lane = busy_[random_() % busy_.size()];
  if (!at_once && random_() % lanes_[lane].patience != 0) return std::nullopt;
  return take(lane);
}

std::optional<RelaxedMemory::Landing> RelaxedMemory::land_behind(std::size_t core,
                                                                 isa::GlobalAddress address,
                                                                 std::size_t bytes) {
  if (in_flight_[core] == 0) return std::nullopt;
  const auto lane = lane_of_.find({core, address.device});
  if (lane == lane_of_.end() || lanes_[lane->second].writes.behind(address, bytes) == 0)
    return std::nullopt;
  return take(lane->second);
}

}  // namespace a2a3::interp
