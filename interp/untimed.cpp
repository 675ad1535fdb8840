// SPDX-License-Identifier: Apache-2.0
#include "interp/untimed.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <set>

#include "isa/order/happens_before.hpp"
#include "isa/order/operation_accesses.hpp"
#include "isa/order/run_observer.hpp"
#include "isa/order/sync_index.hpp"
#include "isa/order/written_bytes.hpp"

namespace a2a3::interp {
namespace {

/// Zeroed bytes whose pages are touched only when used: most kernels use a small part of a
/// core's memories.
class LazyBuffer {
 public:
  explicit LazyBuffer(std::size_t bytes)
      : bytes_(static_cast<std::byte*>(std::calloc(std::max<std::size_t>(bytes, 1), 1))),
        size_(bytes_ ? bytes : 0) {}
  [[nodiscard]] isa::LocalMemory span() { return {bytes_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<std::byte, Free> bytes_;
  std::size_t size_;
};

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
    for (std::size_t i = 0; i < cores_.size(); ++i) {
      local_.emplace_back(static_cast<std::size_t>(local_bytes));
      ready_.push_back(i);
    }
  }

  UntimedResult run() {
    while (!ready_.empty()) {
      const std::size_t core = choose();
      const isa::Fetch fetch = cores_[core].source->next();
      if (fetch.status == isa::FetchStatus::done) continue;
      if (fetch.status == isa::FetchStatus::idle) {
        idle_[cores_[core].device].insert(core);
        continue;
      }
      if (fetch.status == isa::FetchStatus::fault) {
        result_.outcome = UntimedResult::Outcome::fault;
        return std::move(result_);
      }
      if (++result_.instructions > options_.max_instructions) {
        result_.outcome = UntimedResult::Outcome::limit;
        return std::move(result_);
      }
      const auto event = place(core, *fetch.instruction);
      if (const auto* wait = std::get_if<isa::TWait>(&fetch.instruction->operation)) {
        if (!holds(*wait)) {
          waiting_[wait->cell.device].push_back({core, *wait, fetch.instruction->source, event});
          continue;
        }
        tell_wait(core, event, *wait);
      } else {
        if (options_.races != nullptr) tell(event, fetch.instruction->operation);
        tell_observers(core, event, fetch.instruction->operation);
        if (options_.written != nullptr) tell_written(core, *fetch.instruction);
        isa::execute(fetch.instruction->operation, local_[core].span(), *this);
        report_notify(core, *fetch.instruction);
        if (const auto* condition = std::get_if<isa::TDeferWait>(&fetch.instruction->operation)) {
          running_[core].push_back(
              {0, core, event.sync_index, *condition, fetch.instruction->source});
        }
        if (const auto* end = std::get_if<isa::TaskEnd>(&fetch.instruction->operation)) {
          end_task(core, end->task);
        }
      }
      ready_.push_back(core);
    }
    list_blocked();
    return std::move(result_);
  }

  void read(isa::GlobalAddress address, std::span<std::byte> destination) override {
    std::memcpy(destination.data(), bytes_at(address), destination.size());
  }
  void write(isa::GlobalAddress address, std::span<const std::byte> source) override {
    std::memcpy(bytes_at(address), source.data(), source.size());
    wake(address, source.size());
  }
  void atomic_add(isa::GlobalAddress address, isa::DType dtype,
                  std::span<const std::byte> source) override {
    isa::accumulate(dtype, {bytes_at(address), source.size()}, source);
    wake(address, source.size());
  }

 private:
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

  /// Takes the next core off the ready list: the one that waited longest, or any by the seed.
  std::size_t choose() {
    if (options_.seed) std::swap(ready_.front(), ready_[random_() % ready_.size()]);
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
      tell_wait(waiting[i].core, waiting[i].event, wait);
      ready_.push_back(waiting[i].core);
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (!pending_[address.device].empty()) settle(address.device);
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
    return {at.task, at.sync.of(instruction.operation), instruction.source, 0};
  }

  /// Somebody wants to know where in its task an operation stands.
  [[nodiscard]] bool is_watched() const {
    return options_.races != nullptr || !options_.observers.empty();
  }

  [[nodiscard]] isa::RunEvent event_of(std::size_t core,
                                       const isa::HappensBefore::Event& event) const {
    return {event.task, cores_[core].device, event.sync_index, event.source};
  }

  void tell_wait(std::size_t core, const isa::HappensBefore::Event& event, const isa::TWait& wait) {
    if (options_.races != nullptr) options_.races->wait(event, wait);
    for (isa::RunObserver* observer : options_.observers)
      observer->on_wait(event_of(core, event), wait, value_of(wait.cell));
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
      options_.races->notify(event, *notify, value_after(*notify));
    } else {
      isa::for_each_access(
          operation, [&](isa::AccessKind kind, isa::GlobalAddress address, std::uint64_t bytes) {
            options_.races->access(event, kind, address, bytes);
          });
    }
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
  UntimedResult result_;
};

}  // namespace

UntimedResult run_untimed(KernelRun& run, std::span<const std::span<std::byte>> gm,
                          std::uint64_t local_bytes, const UntimedOptions& options) {
  return UntimedMachine(run, gm, local_bytes, options).run();
}

}  // namespace a2a3::interp
