// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "generator.hpp"

namespace a2a3::collectives {
namespace {

/// Makes host functions. A kernel has all windows, so that it comes after all launches before it
/// and before all behind it. HOST collectives on the signals `flat` and `column`, one buffer, come
/// after each other too. Those on another signal do so only with others on their window.
class HostGenerator : Generator {
 public:
  using Generator::Generator;

  RandomProgram generate() {
    choose_world();
    program_.on_host = true;
    program_.self_clearing = chance(50);
    // HOST collectives take few dtypes.
    for (DataWindow& window : program_.windows) {
      if (chance(70)) window.dtype = isa::DType::fp32;
    }
    sources_.resize(program_.windows.size());
    program_.statements = host_block(between(4, 8));
    Statements last;
    record_everything(last);
    add_dispatch(program_.statements, std::move(last));
    return std::move(program_);
  }

 private:
  /// What may be said of a window and of its copies for HOST exchanges.
  struct Source {
    bool aside = false;  ///< its last HOST collective was on another signal
    bool published = false;
    double bound = 0;  ///< of what is published
  };

  [[nodiscard]] bool in_host_loop() const { return loops_ > 0; }

  void add_dispatch(Statements& out, Statements body) {
    if (body.empty()) return;
    Statement statement = make(Act::dispatch, 0);
    statement.body = std::move(body);
    out.push_back(std::move(statement));
    for (Source& source : sources_)
      source.aside = false;
  }

  /// Behind a collective on `flat`; it is none for windows in use aside.
  void passed_a_host_barrier() {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (sources_[i].aside) continue;
      states_[i].touched = states_[i].peers_read = states_[i].counts_touched = false;
    }
  }
  void add_host_barrier(Statements& out) {
    const bool is_complete =
        std::ranges::none_of(sources_, [](const Source& source) { return source.aside; });
    if (is_complete && chance(70)) {
      out.push_back(on_host(Act::barrier, 0));
      return passed_a_host_barrier();
    }
    Statements body;
    add_barrier(body);
    add_dispatch(out, std::move(body));
  }

  Statement on_host(Act act, std::size_t window) {
    Statement statement = make(act, window);
    statement.on_host = true;
    statement.rebinds = false;
    return statement;
  }

  void add_publish(Statements& body, std::size_t window) {
    need_written(body, window);
    body.push_back(make(Act::publish, window));
    program_.windows[window].published = true;
    sources_[window].published = true;
    sources_[window].bound = states_[window].bound;
    states_[window].touched = true;
  }

  void add_host_reduce_scatter(Statements& out, std::size_t window) {
    Statements body;
    need_bound(body, window, [&](double bound) { return reduced(Reduce::sum, bound); });
    add_dispatch(out, std::move(body));
    out.push_back(on_host(Act::reduce_scatter, window));
    on_flat(window);
    states_[window].touched = true;
  }

  void add_host_broadcast(Statements& out, std::size_t window) {
    Statements body;
    need_written(body, window);
    add_dispatch(out, std::move(body));
    Statement statement = on_host(Act::broadcast, window);
    statement.root = between(0, program_.ranks - 1);
    out.push_back(std::move(statement));
    on_flat(window);
    states_[window].touched = states_[window].peers_read = true;
  }

  void add_host_allreduce(Statements& out, std::size_t window) {
    const DataWindow& data = program_.windows[window];
    Statement statement = on_host(Act::mesh, window);
    statement.op = static_cast<Reduce>(between(0, 3));
    constexpr HostSignal kSignals[] = {HostSignal::flat,  HostSignal::column,
                                       HostSignal::other, HostSignal::lanes,
                                       HostSignal::ring,  HostSignal::automatic};
    statement.host_signal = one_of(kSignals);
    if (statement.host_signal == HostSignal::automatic && in_host_loop())
      statement.host_signal = HostSignal::other;
    if (statement.host_signal == HostSignal::ring) {
      if (data.dtype != isa::DType::fp32 || data.rows * data.cols % program_.ranks != 0)
        statement.host_signal = HostSignal::lanes;
      else
        statement.act = Act::ring;
    }
    if (statement.act == Act::ring) statement.op = Reduce::sum;
    if (statement.host_signal == HostSignal::lanes ||
        statement.host_signal == HostSignal::automatic)
      statement.cores = between(1, kLanes);
    Statements body;
    need_bound(body, window, [&](double bound) { return reduced(statement.op, bound); });
    add_dispatch(out, std::move(body));
    const HostSignal signal = statement.host_signal;
    out.push_back(std::move(statement));
    if (signal == HostSignal::flat || signal == HostSignal::column) {
      on_flat(window);
    } else {
      sources_[window].aside = true;
    }
    states_[window].touched = true;
    states_[window].peers_read = false;  // it ends behind its last reads
  }

  void on_flat(std::size_t window) {
    sources_[window].aside = false;
    passed_a_host_barrier();
  }

  void add_host_push(Statements& out, std::size_t window, Act act) {
    const bool counts = act == Act::all_to_all_v;
    WindowState& state = states_[window];
    if (!sources_[window].published || chance(60)) {
      Statements body;
      add_publish(body, window);
      add_dispatch(out, std::move(body));
    }
    if (state.touched || (counts && state.counts_touched)) add_host_barrier(out);
    Statement statement = on_host(act, window);
    statement.host_signal = counts || chance(50) ? HostSignal::column : HostSignal::flat;
    out.push_back(std::move(statement));
    on_flat(window);
    state.written = true;
    state.bound = sources_[window].bound;
    if (!counts) return;
    program_.windows[window].takes_counts = true;
    Statements body;
    body.push_back(make(Act::record_counts, window));
    body.back().first_row = program_.windows[window].counts_recorded;
    program_.windows[window].counts_recorded += program_.ranks * rounds_;
    state.counts_touched = true;
    add_dispatch(out, std::move(body));
  }

  void add_host_collective(Statements& out, std::size_t window) {
    const DataWindow& data = program_.windows[window];
    std::vector<Act> acts;
    if (is_reducible(data.dtype) && (!in_host_loop() || program_.self_clearing))
      acts.insert(acts.end(), {Act::mesh, Act::mesh});
    if (data.dtype == isa::DType::fp32) {
      acts.push_back(Act::broadcast);
      if (data.rows == program_.ranks)
        acts.insert(acts.end(), {Act::allgather, Act::all_to_all, Act::reduce_scatter});
      if (data.rows % program_.ranks == 0 && !in_host_loop()) acts.push_back(Act::all_to_all_v);
    }
    if (acts.empty()) return add_host_barrier(out);
    const Act act = acts[static_cast<std::size_t>(between(0, std::ssize(acts) - 1))];
    switch (act) {
      case Act::mesh:
        return add_host_allreduce(out, window);
      case Act::broadcast:
        return add_host_broadcast(out, window);
      case Act::reduce_scatter:
        return add_host_reduce_scatter(out, window);
      default:
        return add_host_push(out, window, act);
    }
  }

  void add_host_loop(Statements& out) {
    Statement statement = on_host(chance(70) ? Act::for_loop : Act::while_loop, 0);
    statement.trips = between(1, kMaxTrips);
    const std::vector<WindowState> before = states_;
    const std::vector<Source> sources = sources_;
    enter_loop();
    for (Source& source : sources_) {
      source.aside = source.aside || program_.self_clearing;
      source.bound = kAnything;
    }
    rounds_ *= statement.trips;
    ++depth_;
    ++loops_;
    statement.body = host_block(between(1, 3));
    --loops_;
    --depth_;
    rounds_ /= statement.trips;
    join(before);
    join_sources(sources);
    out.push_back(std::move(statement));
  }

  /// In a loop: some of its rounds only.
  void add_host_branch(Statements& out) {
    Statement statement = on_host(Act::branch, 0);
    statement.condition.reads_flag = false;
    statement.condition.bound = between(0, kMaxTrips - 1);
    const std::vector<WindowState> before = states_;
    const std::vector<Source> sources = sources_;
    const bool outer = std::exchange(in_branch_, true);
    ++depth_;
    statement.body = host_block(between(1, 2));
    --depth_;
    in_branch_ = outer;
    join(before);
    join_sources(sources);
    out.push_back(std::move(statement));
  }

  void join_sources(const std::vector<Source>& other) {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      sources_[i].aside = sources_[i].aside || other[i].aside;
      sources_[i].published = sources_[i].published && other[i].published;
      sources_[i].bound = std::max(sources_[i].bound, other[i].bound);
    }
  }

  Statements host_block(std::int64_t length) {
    Statements out;
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t dice = between(0, 99);
      if (dice < 15 && loops_ < 2 && !in_branch_) {
        add_host_loop(out);
      } else if (dice < 25 && in_host_loop() && !in_branch_) {
        add_host_branch(out);
      } else if (dice < 45) {
        Statements body = block(between(1, 3));
        add_dispatch(out, std::move(body));
      } else if (dice < 52) {
        add_host_barrier(out);
      } else {
        add_host_collective(out, any_window());
      }
    }
    return out;
  }

  std::vector<Source> sources_;
  int loops_ = 0;  ///< of the host function, around the statement
};

}  // namespace

RandomProgram random_host_program(std::uint64_t seed) {
  return HostGenerator(seed).generate();
}

}  // namespace a2a3::collectives
