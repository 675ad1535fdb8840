// SPDX-License-Identifier: Apache-2.0
#include "interp/untimed.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <random>
#include <set>
#include <utility>

#include "interp/lazy_buffer.hpp"
#include "isa/order/happens_before.hpp"
#include "isa/order/operation_accesses.hpp"
#include "isa/order/run_observer.hpp"
#include "isa/order/sync_index.hpp"
#include "isa/order/written_bytes.hpp"

namespace a2a3::interp {
namespace {

/// A condition for the completion of a task.
struct PendingCondition {
  std::uint32_t task = 0;
  std::size_t core = 0;  ///< that ran the task
  std::uint32_t sync_index = 0;
  isa::TDeferWait condition;
  isa::SourceId source = 0;
};

struct WaitingCore {
  std::size_t core = 0;
  isa::TWait wait;
  isa::SourceId source = 0;
  isa::HappensBefore::Event event;
};

/// Where a core stands in its task, for the race check.
struct TaskPosition {
  std::uint32_t task = 0;
  isa::SyncIndex sync;
};

class UntimedMachine final : public isa::GlobalPort {
 public:
  UntimedMachine(KernelRun& run, std::span<const std::span<std::byte>> gm,
                 std::uint64_t local_bytes, const UntimedOptions& options)
      : cores_(run.cores()),
        tasks_(run.tasks()),
        gm_(gm),
        options_(options),
        waiting_(gm.size()),
        idle_(gm.size()),
        running_(run.cores().size()),
        pending_(gm.size()),
        positions_(is_watched() ? run.cores().size() : 0) {
    if (options.seed) random_.seed(*options.seed);
    if (options.relaxed) {
      relaxed_.emplace(cores_, *options.relaxed);
      held_.resize(cores_.size(), nullptr);
      fencing_.resize(cores_.size(), false);
      lines_.resize(cores_.size());
    }
    for (std::size_t i = 0; i < cores_.size(); ++i) {
      local_.emplace_back(static_cast<std::size_t>(local_bytes));
      ready_.push_back(i);
    }
  }

  UntimedResult run() {
    for (;;) {
      if (relaxed_ && land_one()) continue;
      if (ready_.empty()) break;
      const std::size_t core = choose();
      const isa::Instruction* instruction = fetch(core);
      if (instruction == nullptr) {
        if (result_.outcome != UntimedResult::Outcome::finished) return std::move(result_);
        continue;
      }
      if (relaxed_ && relaxed_->is_fence(instruction->operation) && relaxed_->in_flight(core)) {
        held_[core] = instruction;
        fencing_[core] = true;
        continue;
      }
      if (relaxed_ && fetches_line(core, instruction->operation)) {
        held_[core] = instruction;
        ready_.push_back(core);
        continue;
      }
      if (!execute(core, *instruction)) continue;
      if (relaxed_ && relaxed_->fences_itself(core, instruction->operation) &&
          relaxed_->in_flight(core)) {
        fencing_[core] = true;
        continue;
      }
      ready_.push_back(core);
    }
    list_blocked();
    return std::move(result_);
  }

  void read(isa::GlobalAddress address, std::span<std::byte> destination) override {
    land_behind(address, destination.size());
    std::memcpy(destination.data(), bytes_at(address), destination.size());
  }
  void write(isa::GlobalAddress address, std::span<const std::byte> source) override {
    if (delays_writes_) return relaxed_->add(current_, address, source, std::nullopt);
    land_behind(address, source.size());
    std::memcpy(bytes_at(address), source.data(), source.size());
    wake(address, source.size());
  }
  void atomic_add(isa::GlobalAddress address, isa::DType dtype,
                  std::span<const std::byte> source) override {
    if (delays_writes_) return relaxed_->add(current_, address, source, dtype);
    land_behind(address, source.size());
    isa::accumulate(dtype, {bytes_at(address), source.size()}, source);
    wake(address, source.size());
  }

 private:
  /// The core's next instruction; null when there is none, and in the result why the run ends.
  const isa::Instruction* fetch(std::size_t core) {
    if (relaxed_ && held_[core] != nullptr) return std::exchange(held_[core], nullptr);
    const isa::Fetch fetch = cores_[core].source->next();
    switch (fetch.status) {
      case isa::FetchStatus::done:
        return nullptr;
      case isa::FetchStatus::idle:
        idle_[cores_[core].device].insert(core);
        return nullptr;
      case isa::FetchStatus::fault:
        result_.outcome = UntimedResult::Outcome::fault;
        return nullptr;
      case isa::FetchStatus::instruction:
        break;
    }
    if (++result_.instructions > options_.max_instructions) {
      result_.outcome = UntimedResult::Outcome::limit;
      return nullptr;
    }
    return fetch.instruction;
  }

  /// False when the core has to wait.
  bool execute(std::size_t core, const isa::Instruction& instruction) {
    const isa::Operation& operation = instruction.operation;
    if (options_.on_instruction) options_.on_instruction(core, instruction);
    if (relaxed_) zero_windows(cores_[core].device);
    const auto event = place(core, instruction);
    current_ = core;
    if (const auto* wait = std::get_if<isa::TWait>(&operation)) {
      land_behind(wait->cell, sizeof(std::int32_t));
      if (!holds(*wait)) {
        waiting_[wait->cell.device].push_back({core, *wait, instruction.source, event});
        return false;
      }
      end_wait({core, *wait, instruction.source, event});
      return true;
    }
    if (const auto* notify = std::get_if<isa::TNotify>(&operation))
      land_behind(notify->cell, sizeof(std::int32_t));
    if (options_.races != nullptr) tell(event, operation);
    tell_observers(core, event, operation);
    if (options_.written != nullptr) tell_written(core, instruction);
    delays_writes_ = relaxed_ && RelaxedMemory::is_delayed(operation);
    if (relaxed_) write_back_line(core, operation);
    isa::execute(operation, local_[core].span(), *this);
    delays_writes_ = false;
    report_notify(core, instruction);
    if (const auto* condition = std::get_if<isa::TDeferWait>(&operation))
      running_[core].push_back({0, core, event.sync_index, *condition, instruction.source});
    if (const auto* end = std::get_if<isa::TaskEnd>(&operation)) end_task(core, end->task);
    return true;
  }

  /// Whether the core has only come to a Set that writes a whole line: as the line is now.
  bool fetches_line(std::size_t core, const isa::Operation& operation) {
    const isa::ByteRange line = relaxed_->line_of(operation, gm_);
    if (line.begin == line.end || !lines_[core].empty()) return false;
    current_ = core;
    land_behind({line.device, line.begin}, line.end - line.begin);
    const auto memory = gm_[line.device].subspan(line.begin, line.end - line.begin);
    lines_[core].assign(memory.begin(), memory.end());
    return true;
  }
  /// The cells around that of the Set become again what they were when the core came to it.
  void write_back_line(std::size_t core, const isa::Operation& operation) {
    const isa::ByteRange line = relaxed_->line_of(operation, gm_);
    if (line.begin == line.end) return;
    const auto& notify = std::get<isa::TNotify>(operation);
    const auto bytes = std::span<const std::byte>(lines_[core]);
    const std::size_t before = notify.cell.offset_bytes - line.begin;
    const std::size_t behind = before + sizeof(std::int32_t);
    write({line.device, line.begin}, bytes.first(before));
    write({line.device, line.begin + behind}, bytes.subspan(behind));
    lines_[core].clear();
  }
  /// Before the device's first instruction, where windows are zeroed late.
  void zero_windows(std::uint32_t device) {
    const auto zeroings = relaxed_->take_zeroings(device);
    if (zeroings.empty()) return;
    const std::uint32_t task = options_.relaxed->first_zeroing_task + device;
    if (options_.races != nullptr) options_.races->begin_task(task);
    for (const RelaxedOrder::Zeroing& one : zeroings) {
      if (options_.races != nullptr)
        options_.races->access({task, 0, one.source, 0}, isa::AccessKind::write, one.address,
                               one.bytes);
      std::memset(bytes_at(one.address), 0, one.bytes);
      wake(one.address, one.bytes);
    }
    if (options_.races != nullptr) options_.races->complete_task(task);
  }

  /// Whether a write has landed by chance, or because there was nothing else to do.
  bool land_one() {
    const auto landing = relaxed_->land(ready_.empty());
    if (!landing) return false;
    put_in_memory(*landing);
    return true;
  }
  /// The running core's writes are in memory up to the last one that touches these bytes.
  void land_behind(isa::GlobalAddress address, std::size_t bytes) {
    if (!relaxed_) return;
    while (const auto landing = relaxed_->land_behind(current_, address, bytes))
      put_in_memory(*landing);
  }
  void put_in_memory(const RelaxedMemory::Landing& landing) {
    const auto& [core, write] = landing;
    if (write.added) {
      isa::accumulate(*write.added, {bytes_at(write.address), write.bytes.size()}, write.bytes);
    } else {
      std::memcpy(bytes_at(write.address), write.bytes.data(), write.bytes.size());
    }
    wake(write.address, write.bytes.size());
    if (relaxed_->in_flight(core) || !fencing_[core]) return;
    fencing_[core] = false;
    ready_.push_back(core);
  }

  std::byte* bytes_at(isa::GlobalAddress address) {
    return gm_[address.device].data() + address.offset_bytes;
  }

  [[nodiscard]] std::int32_t value_of(isa::GlobalAddress cell) {
    std::int32_t value = 0;
    std::memcpy(&value, bytes_at(cell), sizeof(value));
    return value;
  }

  [[nodiscard]] bool holds(const isa::TWait& wait) {
    return isa::condition_holds(wait, value_of(wait.cell));
  }

  /// Takes the next core off the ready list: the one that waited longest, or any by the options.
  std::size_t choose() {
    if (options_.choose) {
      const std::vector<std::size_t> ready(ready_.begin(), ready_.end());
      std::swap(ready_.front(), ready_.at(options_.choose(ready)));
    } else if (relaxed_) {
      std::swap(ready_.front(), ready_[relaxed_->choose(ready_)]);
    } else if (options_.seed) {
      std::swap(ready_.front(), ready_[random_() % ready_.size()]);
    }
    const std::size_t core = ready_.front();
    ready_.pop_front();
    return core;
  }

  /// Lets the cores go on whose cell lies in the bytes just written and now compares true.
  void wake(isa::GlobalAddress address, std::size_t bytes) {
    auto& waiting = waiting_[address.device];
    for (std::size_t i = 0; i < waiting.size();) {
      const isa::TWait& wait = waiting[i].wait;
      const std::uint64_t cell = wait.cell.offset_bytes;
      if (cell + sizeof(std::int32_t) <= address.offset_bytes ||
          address.offset_bytes + bytes <= cell || !holds(wait)) {
        ++i;
        continue;
      }
      end_wait(waiting[i]);
      ready_.push_back(waiting[i].core);
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (!pending_[address.device].empty()) settle(address.device);
  }

  void end_wait(const WaitingCore& ended) {
    if (options_.races != nullptr) options_.races->wait(ended.event, ended.wait);
    for (isa::RunObserver* observer : options_.observers)
      observer->on_wait(event_of(ended.core, ended.event), ended.wait, value_of(ended.wait.cell));
    if (options_.on_wait) options_.on_wait(cores_[ended.core], ended.source, ended.wait);
  }

  void end_task(std::size_t core, std::uint32_t task) {
    const std::uint32_t device = cores_[core].device;
    tasks_.ended(task);
    for (PendingCondition& condition : running_[core]) {
      condition.task = task;
      pending_[device].push_back(condition);
    }
    if (running_[core].empty()) complete(task);
    running_[core].clear();
    ask_again(device);
    settle(device);
  }

  /// Drops the conditions that hold; tasks without further ones are complete.
  void settle(std::uint32_t device) {
    std::set<std::uint32_t> met;
    std::erase_if(pending_[device], [&](const PendingCondition& one) {
      const bool holds = isa::condition_holds(one.condition, value_of(one.condition.cell));
      if (!holds) return false;
      met.insert(one.task);
      if (options_.races != nullptr) options_.races->meet(one.task, one.condition);
      for (isa::RunObserver* observer : options_.observers) {
        observer->on_meet({one.task, device, one.sync_index, one.source}, one.condition,
                          value_of(one.condition.cell));
      }
      return true;
    });
    for (const std::uint32_t task : met) {
      if (std::ranges::find(pending_[device], task, &PendingCondition::task) ==
          pending_[device].end()) {
        complete(task);
      }
    }
    if (!met.empty()) ask_again(device);
  }

  void complete(std::uint32_t task) {
    if (options_.races != nullptr) options_.races->complete_task(task);
    for (isa::RunObserver* observer : options_.observers)
      observer->on_complete(task);
    tasks_.complete(task);
  }

  /// Which operation of its task the instruction is.
  isa::HappensBefore::Event place(std::size_t core, const isa::Instruction& instruction) {
    if (!is_watched()) return {};
    TaskPosition& at = positions_[core];
    if (const auto* begin = std::get_if<isa::TaskBegin>(&instruction.operation))
      at.task = begin->task;
    std::uint32_t index = at.sync.of(instruction.operation);
    if (is_unfenced()) index = std::min(index, options_.relaxed->unfenced_index - 1);
    return {at.task, index, instruction.source, 0};
  }

  [[nodiscard]] bool is_unfenced() const {
    return options_.relaxed.has_value() && !options_.relaxed->fenced;
  }

  /// Somebody wants to know where in its task an operation stands.
  [[nodiscard]] bool is_watched() const {
    return options_.races != nullptr || !options_.observers.empty();
  }

  [[nodiscard]] isa::RunEvent event_of(std::size_t core,
                                       const isa::HappensBefore::Event& event) const {
    return {event.task, cores_[core].device, event.sync_index, event.source};
  }

  [[nodiscard]] std::int32_t value_after(const isa::TNotify& notify) {
    const std::int32_t before = notify.op == isa::NotifyOp::set ? 0 : value_of(notify.cell);
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(before) +
                                     static_cast<std::uint32_t>(notify.value));
  }

  /// Tells the observers of an operation that is about to take effect.
  void tell_observers(std::size_t core, const isa::HappensBefore::Event& event,
                      const isa::Operation& operation) {
    for (isa::RunObserver* observer : options_.observers) {
      if (const auto* begin = std::get_if<isa::TaskBegin>(&operation)) {
        observer->on_begin(begin->task);
      } else if (const auto* notify = std::get_if<isa::TNotify>(&operation)) {
        observer->on_notify(event_of(core, event), *notify, value_after(*notify));
      } else {
        observer->on_operation(event_of(core, event), operation);
      }
    }
  }

  /// Tells the race check of an operation that is about to take effect.
  void tell(const isa::HappensBefore::Event& event, const isa::Operation& operation) {
    if (const auto* begin = std::get_if<isa::TaskBegin>(&operation)) {
      options_.races->begin_task(begin->task);
    } else if (const auto* notify = std::get_if<isa::TNotify>(&operation)) {
      tell_line(event, *notify);
      options_.races->notify(event, *notify, value_after(*notify));
    } else {
      isa::HappensBefore::Event writing = event;
      if (is_unfenced() && RelaxedMemory::is_delayed(operation))
        writing.sync_index = options_.relaxed->unfenced_index;
      isa::for_each_access(
          operation, [&](isa::AccessKind kind, isa::GlobalAddress address, std::uint64_t bytes) {
            options_.races->access(kind == isa::AccessKind::read ? event : writing, kind, address,
                                   bytes);
          });
    }
  }

  /// A Set that writes a whole line writes the cells beside its own, too.
  void tell_line(const isa::HappensBefore::Event& event, const isa::TNotify& notify) {
    if (!relaxed_) return;
    const isa::ByteRange line = relaxed_->line_of(notify, gm_);
    const std::uint64_t cell = notify.cell.offset_bytes;
    if (line.begin == line.end) return;
    options_.races->access(event, isa::AccessKind::write, {line.device, line.begin},
                           cell - line.begin);
    options_.races->access(event, isa::AccessKind::write,
                           {line.device, cell + sizeof(std::int32_t)},
                           line.end - cell - sizeof(std::int32_t));
  }

  void tell_written(std::size_t core, const isa::Instruction& instruction) {
    if (const auto* notify = std::get_if<isa::TNotify>(&instruction.operation)) {
      options_.written->write(notify->cell, sizeof(std::int32_t));
      return;
    }
    isa::for_each_access(
        instruction.operation,
        [&](isa::AccessKind kind, isa::GlobalAddress address, std::uint64_t bytes) {
          if (kind == isa::AccessKind::read) {
            options_.written->read(cores_[core].device, instruction.source, address, bytes);
          } else {
            options_.written->write(address, bytes);
          }
        });
  }

  void ask_again(std::uint32_t device) {
    ready_.insert(ready_.end(), idle_[device].begin(), idle_[device].end());
    idle_[device].clear();
  }

  void report_notify(std::size_t core, const isa::Instruction& instruction) {
    const auto* notify = std::get_if<isa::TNotify>(&instruction.operation);
    if (notify == nullptr || !options_.on_notify) return;
    options_.on_notify(cores_[core], instruction.source, *notify, value_of(notify->cell));
  }

  void list_blocked() {
    for (const auto& waiting : waiting_) {
      for (const WaitingCore& core : waiting) {
        result_.blocked.push_back({cores_[core.core].device, cores_[core.core].core, core.source,
                                   core.wait, value_of(core.wait.cell)});
      }
    }
    for (const auto& pending : pending_) {
      for (const PendingCondition& one : pending) {
        result_.blocked.push_back({cores_[one.core].device, cores_[one.core].core, one.source,
                                   isa::TWait{one.condition.cell, one.condition.expected},
                                   value_of(one.condition.cell), true});
      }
    }
    std::stable_sort(result_.blocked.begin(), result_.blocked.end(),
                     [](const BlockedWait& a, const BlockedWait& b) {
                       return std::pair(a.device, a.core) < std::pair(b.device, b.core);
                     });
    if (!result_.blocked.empty()) result_.outcome = UntimedResult::Outcome::deadlock;
  }

  const std::vector<KernelRun::Core>& cores_;
  isa::TaskQueue& tasks_;
  std::span<const std::span<std::byte>> gm_;
  const UntimedOptions& options_;
  std::vector<LazyBuffer> local_;
  std::deque<std::size_t> ready_;
  std::vector<std::vector<WaitingCore>> waiting_;       ///< by device of the cell
  std::vector<std::set<std::size_t>> idle_;             ///< by device: cores without a task
  std::vector<std::vector<PendingCondition>> running_;  ///< by core: of the task it runs
  std::vector<std::vector<PendingCondition>> pending_;  ///< by device: of ended tasks
  std::vector<TaskPosition> positions_;                 ///< by core
  std::mt19937_64 random_;
  std::optional<RelaxedMemory> relaxed_;
  std::size_t current_ = 0;                    ///< the core that executes
  bool delays_writes_ = false;                 ///< it writes what is in flight for a while
  std::vector<const isa::Instruction*> held_;  ///< by core, in a relaxed order: its next one
  std::vector<bool> fencing_;                  ///< by core: it goes on when its writes have landed
  std::vector<std::vector<std::byte>> lines_;  ///< by core: that its Set will write back
  UntimedResult result_;
};

}  // namespace

UntimedResult run_untimed(KernelRun& run, std::span<const std::span<std::byte>> gm,
                          std::uint64_t local_bytes, const UntimedOptions& options) {
  return UntimedMachine(run, gm, local_bytes, options).run();
}

}  // namespace a2a3::interp
