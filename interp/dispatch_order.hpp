// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "interp/dependences.hpp"

namespace a2a3::interp {

/// Orders the launches of a dispatch after those of earlier ones. A dispatch is one task to the
/// host's scheduler: it starts when all dispatches to its device that share a written argument with
/// it are complete, whichever of the arguments their kernels use.
class DispatchOrder {
 public:
  /// The next dispatch; its first launch will have this number.
  void begin(std::uint32_t first_launch);
  /// The dispatch has an argument with these bytes.
  void access(const Dependences::Range& range);
  /// The dispatch has made all its launches. `before`: by launch, what is complete before it
  /// starts; completed for those of this dispatch.
  void end(std::vector<std::set<std::uint32_t>>& before);

 private:
  Dependences dependences_;         ///< of dispatches
  std::set<std::uint32_t> after_;   ///< dispatches before the one that is open
  std::uint32_t first_launch_ = 0;  ///< of the one that is open
  /// By dispatch, launches that are complete when it is: those that no other of its launches comes
  /// after. Of a dispatch without launches, those of the dispatches before it.
  std::vector<std::set<std::uint32_t>> last_launches_;
};

}  // namespace a2a3::interp
