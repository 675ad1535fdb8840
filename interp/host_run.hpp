// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "interp/dependences.hpp"
#include "interp/dispatch_order.hpp"
#include "interp/flatten.hpp"
#include "interp/frame.hpp"
#include "interp/launch_record.hpp"
#include "interp/warned.hpp"

namespace a2a3::interp {

/// Executes the host function and the chip-level functions it dispatches. No data takes part: a
/// tensor is a name, a shape and a place still to be found; a kernel call becomes a task.
class HostRun {
 public:
  HostRun(const ir::Module& module, const BoundSignature& signature, const PlanOptions& options,
          ir::Diagnostics& diagnostics);

  /// False after an error.
  bool run();
  [[nodiscard]] LaunchRecord take_record();
  /// The error is that of --max-host-steps.
  [[nodiscard]] bool over_limit() const { return over_limit_; }

 private:
  static constexpr std::int64_t kMaxBlocks = 65536;

  /// A scalar's bits or an object's index.
  struct HostValue {
    TypedRegister type;
    std::int64_t bits = 0;
  };
  using Values = std::vector<HostValue>;

  /// What the next kernel call of a chip-level function launches.
  struct Spmd {
    std::uint32_t blocks = 1;
    std::optional<std::uint32_t> launch;  ///< that has its first block already
    std::uint32_t next_block = 0;
  };

  /// The `with pl.at(...)` whose calls are being made.
  struct TaskScope {
    std::set<std::uint32_t> after;  ///< launches that deps= names
    std::vector<std::uint32_t> launches;
  };

  /// A tensor that a chip-level function made.
  struct MadeTensor {
    HostObject whole;
    std::vector<std::size_t> objects;  ///< parts of it, in LaunchRecord::objects
    std::vector<std::size_t> uses;     ///< in LaunchRecord::open_arguments, ascending
  };

  /// One running function.
  struct Activation {
    const ir::Function* function = nullptr;
    Frame frame;
    ir::DimBindings bindings;
    std::optional<std::uint32_t> device;  ///< of a chip-level function
    ir::SourceLocation dispatch;
    int depth = 0;
    Spmd spmd;
    std::optional<TaskScope> task;
  };

  std::optional<Values> execute(Activation& activation, const Values& arguments);
  std::optional<Values> call(Activation& caller, const Op& op, const CallSite& site);
  std::optional<Values> make_task(Activation& caller, const Op& op, const CallSite& site,
                                  const Values& arguments, ir::DimBindings bindings);
  void begin_task(Activation& activation, const Op& op);
  void end_task(Activation& activation, const Op& op);
  bool begin_spmd(Activation& activation, const Op& op);
  [[nodiscard]] std::uint32_t launch_of(Activation& caller);
  /// The bytes of an argument on a device, and whether they count as written.
  static Dependences::Range range_of(const ir::Parameter& parameter, const HostObject& object,
                                     const ByteRun& run, std::uint32_t device);
  /// What the launch must wait for because of this argument, which has these bytes.
  void note_order(std::uint32_t launch, const ir::Parameter& parameter, const HostObject& object,
                  const std::vector<ByteRun>& runs, std::uint32_t device);
  bool effect(Activation& activation, const Op& op);
  bool alloc_window(Activation& activation, const Op& op);
  bool window(Activation& activation, const Op& op);
  bool slice(Activation& activation, const Op& op);
  bool extent(Activation& activation, const Op& op);
  bool assemble(Activation& activation, const Op& op);
  /// The box of `whole` in a slice or assembly; trailing extents that the site leaves out are those
  /// of `source`.
  std::optional<HostObject> box(const Activation& activation, const Op& op, const HostObject& whole,
                                const HostObject* source);
  /// What was written into a temporary has been written into `box` instead.
  bool put_into(const HostObject& result, const HostObject& box, const Op& op);
  /// With an error. Also when --max-host-steps leaves too few to tell.
  bool is_used_by_others(const HostObject& temporary, const HostObject& box, const Op& op);
  bool create_tensor(Activation& activation, const Op& op);

  /// Gives each object the shape that the parameter's annotation says, binding dimensions.
  bool bind_arguments(const ir::Function& callee, Values& arguments, ir::DimBindings& bindings,
                      const ir::SourceLocation& where);
  bool bind_object(const ir::Parameter& parameter, HostObject& object, ir::DimBindings& bindings,
                   const ir::SourceLocation& where);
  void note_use(const ir::Parameter& parameter, const HostObject& object,
                const std::vector<ByteRun>& runs, std::uint32_t device,
                const ir::SourceLocation& where);
  /// The object's byte ranges, each of which counts as so many host steps; nothing, with an error,
  /// when that is more than --max-host-steps leaves: then they are not made.
  std::optional<std::vector<ByteRun>> runs_of(const HostObject& object, std::uint64_t steps_per_run,
                                              const ir::SourceLocation& where);
  std::optional<std::vector<std::int64_t>> shape_of(const Activation& activation, const Op& op,
                                                    const RegisterList& list, isa::DType dtype);
  [[nodiscard]] std::int64_t add_object(HostObject object);
  /// What a register refers to; nullptr, with an error, for the result of a function that gives
  /// back none of its arguments. Valid until the next add_object().
  const HostObject* object_of(const Activation& activation, const Op& op, std::int32_t reference);
  [[nodiscard]] ir::SourceLocation where(const Op& op) const {
    return sources_.location(op.source);
  }
  bool error(const ir::SourceLocation& where, std::string message);
  /// Warns of what a function for the device computes unlike Python. False, with an error, when the
  /// function cannot go on.
  bool stopped(const Activation& activation, const Advance& advance);
  bool too_many_steps(const ir::SourceLocation& where);

  /// Host steps of a range of bytes that is kept to the end.
  static constexpr std::uint64_t kStepsPerKeptRun = 100;

  const ir::Module& module_;
  const BoundSignature& signature_;
  const PlanOptions& options_;
  ir::Diagnostics& diagnostics_;
  SourceTable sources_;
  ProgramCache programs_{sources_, diagnostics_};
  LaunchRecord record_;
  Dependences dependences_;  ///< of launches
  DispatchOrder dispatch_order_;
  std::vector<MadeTensor> temporaries_;
  std::vector<std::set<std::uint32_t>> before_;        ///< by launch
  std::vector<std::vector<std::uint32_t>> task_sets_;  ///< launches, by value of a task variable
  std::uint64_t steps_ = 0;
  bool over_limit_ = false;
  std::map<isa::SourceId, std::size_t> window_of_source_;
  Warned warned_;
};

}  // namespace a2a3::interp
