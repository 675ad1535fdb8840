// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "isa/hints/range_map.hpp"
#include "isa/order/run_observer.hpp"

namespace a2a3::isa {

/// Bytes that several devices add floating-point numbers to. Such a sum rounds in the order in
/// which the adds land.
struct SharedFloatAdds {
  SourceId source = 0;    ///< of the add that met another device's first
  GlobalAddress address;  ///< where it did
  std::uint64_t bytes = 0;
  std::set<std::uint32_t> devices;  ///< that add to shared bytes, wherever these are
};

/// Looks for atomic adds of floats by several devices to the same bytes, with no plain write of
/// them in between.
class FloatAdds final : public RunObserver {
 public:
  /// `max_stretches` bounds the memory: of adds to more places than that no more is looked at.
  explicit FloatAdds(std::uint64_t max_stretches) : max_stretches_(max_stretches) {}

  void on_operation(const RunEvent& event, const Operation& operation) override;
  void on_access(const RunEvent& event, AccessKind kind, GlobalAddress address,
                 std::uint64_t bytes) override;

  /// nullopt when no two devices added to the same bytes.
  [[nodiscard]] const std::optional<SharedFloatAdds>& found() const { return found_; }

 private:
  std::uint64_t max_stretches_;
  bool adds_floats_ = false;  ///< the operation whose accesses come now
  /// By device of the memory: who added last, 0 for nobody, else the device + 1.
  std::vector<RangeMap<std::uint32_t>> adders_;
  std::optional<SharedFloatAdds> found_;
};

}  // namespace a2a3::isa
