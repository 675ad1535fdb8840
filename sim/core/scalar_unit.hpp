// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "isa/instruction_source.hpp"
#include "isa/memory.hpp"
#include "isa/transfer_plan.hpp"
#include "models/machine_description.hpp"
#include "sim/core/agenda.hpp"
#include "sim/core/async_requests.hpp"
#include "sim/core/gm_port.hpp"
#include "sim/core/late_writes.hpp"
#include "sim/core/pipe_schedule.hpp"
#include "sim/core/sdma.hpp"
#include "sim/core/task_board.hpp"
#include "sim/memory/signal_cells.hpp"
#include "sim/probe.hpp"
#include "sim/run_control.hpp"

namespace a2a3::sim {

/// A core's scalar unit: fetches instructions, hands them to the pipes, does scalar accesses,
/// barriers, notifies and waits itself. It has a time of its own, which runs ahead of the
/// simulation until something it needs is not known yet.
class ScalarUnit final : public SignalWaiter, public IdleCore, public SdmaClient {
 public:
  /// The parts of the core that the scalar unit works with.
  struct Wiring {
    const models::MachineDescription& machine;
    const Probe& probe;
    RunControl& control;
    PipeSchedule& pipes;
    Agenda& agenda;
    GmPort& gm;
    const LateWrites& late;
    isa::LocalMemory local;
    sc_core::sc_port<SignalCells>& cells;
    TaskBoard& tasks;
    Sdma& sdma;
  };
  ScalarUnit(const Wiring& wiring, std::uint32_t device, std::uint32_t core,
             isa::InstructionSource& source);

  void start(Picoseconds now) {
    time_ = now;
    step(TimeUse::launch_skew, time_);
  }
  /// Issues as far as is possible now; false when nothing could be.
  bool advance();
  /// The pending scalar access of global memory is at its end.
  void finish_access(Picoseconds now);
  /// The signal that the scalar unit waits for has been acknowledged.
  void acknowledged(Picoseconds end);
  /// The simulation is at the time of the pending asynchronous request.
  void submit(Picoseconds now);
  void transfer_complete(std::uint32_t event, Picoseconds end) override;
  /// A poll that was worth making is at its end.
  void poll(Picoseconds now);
  void cell_written() override;
  /// The task that ran has ended: the simulation is at that time.
  void end_task(Picoseconds now);
  void look_again(Picoseconds now) override;
  /// What look_again() asked for is due.
  void resume(Picoseconds now);

  /// Also a core that would take more tasks if there were any.
  [[nodiscard]] bool finished() const { return state_ == State::finished || state_ == State::idle; }
  /// When the last instruction and all its effects were complete.
  [[nodiscard]] Picoseconds end() const { return time_; }

  struct Blocked {
    isa::SourceId source = 0;
    isa::TWait wait;
    std::int32_t value = 0;
    Picoseconds since = 0;
  };
  /// The wait that the core is in, if it is in one.
  [[nodiscard]] std::optional<Blocked> blocked();
  /// Nothing can end the wait that the core is in, and nothing happens after `end`.
  void give_up(Picoseconds end);

 private:
  enum class State : std::uint8_t {
    issuing,
    accessing,
    notifying,
    requesting,
    waiting,
    ending_task,
    idle,
    ending,
    faulty,
    finished
  };

  bool fetch();
  bool next_of_transfer();
  bool issue();
  bool end_program();

  // One overload per operation: true when it is done with or on its way.
  bool issue(const isa::TLoad& load);
  bool issue(const isa::TStore& store);
  bool issue(const isa::TBinary& binary);
  bool issue(const isa::TBinaryScalar& binary);
  bool issue(const isa::TUnary& unary);
  bool issue(const isa::TCast& cast);
  bool issue(const isa::TFill& fill);
  bool issue(const isa::TMove& move);
  bool issue(const isa::TRowSum& sum);
  bool issue(const isa::TMatmul& product);
  bool issue(const isa::TPut& put);
  bool issue(const isa::TGet& get);
  bool issue(const isa::TPutAsync& put);
  bool issue(const isa::TGetAsync& get);
  bool issue(const isa::TWaitEvent& wait);
  bool issue(const isa::TNotify& notify);
  bool issue(const isa::TWait& wait);
  bool issue(const isa::TDeferWait& condition);
  bool issue(const isa::ScalarRead& read);
  bool issue(const isa::ScalarWrite& write);
  bool issue(const isa::PipeBarrier& barrier);
  bool issue(const isa::TaskBegin& begin);
  bool issue(const isa::TaskEnd& end);

  bool issue_to(Pipe pipe, std::uint32_t peer, std::int64_t payload_bytes);
  bool issue_access(bool global);
  bool request_transfer(std::uint32_t event);
  [[nodiscard]] std::optional<Picoseconds> everything_done() const;
  [[nodiscard]] bool holds(const isa::TWait& wait);
  void schedule_poll(Picoseconds landed);
  /// Says what the time since the last step went to, or what it was for.
  void step(TimeUse use, Picoseconds to, const ScalarStep& why = {}) {
    if (to_.probe.causes() != nullptr) report_step(use, to, why);
  }
  void report_step(TimeUse use, Picoseconds to, ScalarStep why);
  void busy(Picoseconds begin, Picoseconds end) const;
  [[nodiscard]] const isa::TWait& current_wait() const { return std::get<isa::TWait>(*operation_); }

  Wiring to_;
  isa::InstructionSource& source_;
  double scalar_op_ps_;
  Picoseconds poll_interval_;
  Picoseconds acquire_;
  Picoseconds barrier_;
  Picoseconds clean_;
  Picoseconds dsb_;

  State state_ = State::issuing;
  Picoseconds time_ = 0;
  Origin origin_;
  bool waited_ = false;                        ///< the last instruction was a wait
  const isa::Operation* operation_ = nullptr;  ///< the one to issue next
  std::optional<isa::TransferPlan> transfer_;  ///< of the put or get being expanded
  isa::Operation step_;                        ///< of `transfer_`
  Picoseconds begin_ = 0;                      ///< of the current access or wait
  bool poll_due_ = false;
  Picoseconds landed_ = 0;     ///< when the current wait could end
  Picoseconds stepped_ = 0;    ///< end of the last step()
  std::uint64_t message_ = 0;  ///< number of the last notify's message
  AsyncRequests requests_;
};

}  // namespace a2a3::sim
