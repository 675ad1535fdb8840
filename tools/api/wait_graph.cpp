// SPDX-License-Identifier: Apache-2.0
#include "a2a3/wait_graph.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace a2a3 {
namespace {

using Kind = interp::RemainingSignal::Kind;

/// A notify that is left, and how many signals of its work come before it.
struct Left {
  isa::GlobalAddress cell;
  std::uint32_t work = 0;
  std::uint32_t before = 0;
  const interp::RemainingSignal* notify = nullptr;

  [[nodiscard]] auto order() const { return std::tuple(cell, work, before); }
};

/// A line that may notify a window, behind all signals of its work that are known.
struct Perhaps {
  std::int32_t window = -1;
  std::uint32_t work = 0;
  std::uint32_t before = 0;
  isa::SourceId source = 0;
};

class Builder {
 public:
  Builder(const std::vector<StuckWork>& stuck, const CellsNow& cells)
      : stuck_(stuck), cells_(cells), needed_(stuck.size(), 0), asked_(stuck.size()) {
    graph_.senders.resize(stuck.size());
    graph_.waits_for.resize(stuck.size());
    list_notifies();
  }

  WaitGraph build() {
    for (std::uint32_t work = 0; work < stuck_.size(); ++work) {
      if (stuck_[work].wait) {
        ask(work, *stuck_[work].wait, true);
      } else {
        wait_for_device(work);
      }
    }
    while (!open_.empty()) {
      const auto [work, from, to] = open_.front();
      open_.pop_front();
      if (graph_.senders[work].empty()) continue;
      const auto& signals = stuck_[work].rest.front()->signals;
      for (std::uint32_t i = from; i < to; ++i) {
        const interp::RemainingSignal& signal = signals[i];
        if (signal.is_notify() || !asked_[work].insert(signal.cell.offset_bytes).second) continue;
        const isa::TWait wait{signal.cell, signal.value,
                              signal.kind == Kind::wait_eq ? isa::WaitCmp::eq : isa::WaitCmp::ge};
        if (!isa::condition_holds(wait, cells_.value_of(wait.cell))) ask(work, wait, false);
      }
    }
    for (std::uint32_t work = 0; work < stuck_.size(); ++work) {
      auto& others = graph_.waits_for[work];
      std::ranges::sort(others);
      others.erase(std::unique(others.begin(), others.end()), others.end());
    }
    return std::move(graph_);
  }

 private:
  void list_notifies() {
    for (std::uint32_t work = 0; work < stuck_.size(); ++work) {
      for (const interp::RemainingWork* rest : stuck_[work].rest) {
        for (std::uint32_t i = 0; i < rest->signals.size(); ++i) {
          const interp::RemainingSignal& signal = rest->signals[i];
          if (signal.is_notify()) left_.push_back({signal.cell, work, i, &signal});
        }
        const auto known = static_cast<std::uint32_t>(rest->signals.size());
        for (const interp::PossibleSignal& one : rest->possible) {
          if (one.is_notify) perhaps_.push_back({one.window, work, known, one.source});
        }
      }
    }
    std::ranges::sort(left_, {}, &Left::order);
  }

  /// Work that has not begun goes on when what has begun on its device does.
  void wait_for_device(std::uint32_t work) {
    for (std::uint32_t other = 0; other < stuck_.size(); ++other) {
      if (other != work && stuck_[other].wait && stuck_[other].device == stuck_[work].device)
        graph_.waits_for[work].push_back(other);
    }
  }

  /// Enters who could help a wait of the work; `now`: the one that it is in.
  void ask(std::uint32_t work, const isa::TWait& wait, bool now) {
    const std::int32_t value = cells_.value_of(wait.cell);
    std::set<std::pair<std::uint32_t, isa::SourceId>> known;
    std::optional<std::uint32_t> last;
    for (auto at = std::ranges::lower_bound(left_, wait.cell, {}, &Left::cell);
         at != left_.end() && at->cell == wait.cell; ++at) {
      if (!helps(*at->notify, wait, value)) continue;
      if (now && known.emplace(at->work, at->notify->source).second)
        graph_.senders[work].push_back({at->work, at->notify->source, true});
      if (last == at->work) continue;
      last = at->work;
      need(work, at->work, at->before);
    }
    if (perhaps_.empty()) return;
    const std::int32_t window = cells_.window_of(wait.cell);
    for (const Perhaps& one : perhaps_) {
      if (one.window >= 0 && one.window != window) continue;
      if (now && known.emplace(one.work, one.source).second)
        graph_.senders[work].push_back({one.work, one.source, false});
      need(work, one.work, one.before);
    }
  }

  /// `work` needs what `other` does behind `before` of its signals.
  void need(std::uint32_t work, std::uint32_t other, std::uint32_t before) {
    graph_.waits_for[work].push_back(other);
    if (!stuck_[other].wait || before <= needed_[other]) return;
    open_.emplace_back(other, needed_[other], before);
    needed_[other] = before;
  }

  const std::vector<StuckWork>& stuck_;
  const CellsNow& cells_;
  WaitGraph graph_;
  std::vector<Left> left_;
  std::vector<Perhaps> perhaps_;
  std::vector<std::uint32_t> needed_;  ///< by work: how many of its signals others need
  std::vector<std::unordered_set<std::uint64_t>> asked_;  ///< by work: its own cells
  std::deque<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> open_;
};

/// Tarjan's strongly connected components, without recursion.
class Components {
 public:
  explicit Components(const std::vector<std::vector<std::uint32_t>>& edges)
      : edges_(edges), index_(edges.size(), 0), low_(edges.size(), 0), open_(edges.size(), false) {
    for (std::uint32_t node = 0; node < edges.size(); ++node) {
      if (index_[node] == 0) search(node);
    }
  }
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> take() { return std::move(components_); }

 private:
  void enter(std::uint32_t node) {
    index_[node] = low_[node] = ++count_;
    open_[node] = true;
    stack_.push_back(node);
    path_.emplace_back(node, 0);
  }

  void search(std::uint32_t root) {
    enter(root);
    while (!path_.empty()) {
      const std::uint32_t node = path_.back().first;
      if (path_.back().second < edges_[node].size()) {
        const std::uint32_t next = edges_[node][path_.back().second++];
        if (index_[next] == 0) {
          enter(next);
        } else if (open_[next]) {
          low_[node] = std::min(low_[node], index_[next]);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) {
        const std::uint32_t before = path_.back().first;
        low_[before] = std::min(low_[before], low_[node]);
      }
      if (low_[node] == index_[node]) close(node);
    }
  }

  void close(std::uint32_t root) {
    std::vector<std::uint32_t>& component = components_.emplace_back();
    for (std::uint32_t node = root + 1; node != root;) {
      node = stack_.back();
      stack_.pop_back();
      open_[node] = false;
      component.push_back(node);
    }
    std::ranges::sort(component);
  }

  const std::vector<std::vector<std::uint32_t>>& edges_;
  std::vector<std::uint32_t> index_;
  std::vector<std::uint32_t> low_;
  std::vector<bool> open_;
  std::vector<std::uint32_t> stack_;
  std::vector<std::pair<std::uint32_t, std::size_t>> path_;
  std::uint32_t count_ = 0;
  std::vector<std::vector<std::uint32_t>> components_;
};

/// The order of one round through all work of a cycle in which each waits for one other.
WaitGraph::Cycle cycle_of(std::vector<std::uint32_t> members, const WaitGraph& graph) {
  const std::int32_t number = graph.cycle_of[members.front()];
  std::vector<std::uint32_t> order;
  for (std::uint32_t at = members.front(); order.empty() || at != members.front();) {
    std::uint32_t next = at;
    std::size_t inside = 0;
    for (const std::uint32_t other : graph.waits_for[at]) {
      if (graph.cycle_of[other] != number) continue;
      next = other;
      ++inside;
    }
    if (inside != 1) return {std::move(members), false};
    order.push_back(at);
    at = next;
  }
  return {std::move(order), true};
}

}  // namespace

bool helps(const interp::RemainingSignal& notify, const isa::TWait& wait, std::int32_t value) {
  const bool is_set = notify.kind == Kind::set;
  if (value < wait.expected) {
    const bool raises = is_set ? notify.value > value : notify.value > 0;
    const bool too_far = is_set && wait.cmp == isa::WaitCmp::eq && notify.value > wait.expected;
    return raises && !too_far;
  }
  return is_set ? notify.value <= wait.expected : notify.value < 0;
}

WaitGraph wait_graph(const std::vector<StuckWork>& stuck, const CellsNow& cells) {
  WaitGraph graph = Builder(stuck, cells).build();
  graph.cycle_of.assign(stuck.size(), -1);
  std::vector<std::vector<std::uint32_t>> components = Components(graph.waits_for).take();
  std::ranges::sort(components);
  for (std::vector<std::uint32_t>& members : components) {
    const std::uint32_t first = members.front();
    if (members.size() == 1 && !std::ranges::binary_search(graph.waits_for[first], first)) continue;
    for (const std::uint32_t member : members)
      graph.cycle_of[member] = static_cast<std::int32_t>(graph.cycles.size());
    graph.cycles.push_back(cycle_of(std::move(members), graph));
  }
  return graph;
}

}  // namespace a2a3
