// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>

#include "generator.hpp"

namespace a2a3::collectives {
namespace {

constexpr std::int64_t kMaxDepth = 2;

double largest(isa::DType dtype) {
  switch (dtype) {
    case isa::DType::fp32:
    case isa::DType::bf16:
      return 1e30;
    case isa::DType::fp16:
      return 6e4;
    case isa::DType::int8:
      return 127;
    default:
      return 3e4;
  }
}

}  // namespace

bool is_reducible(isa::DType dtype) {
  return dtype == isa::DType::fp32 || dtype == isa::DType::fp16;
}

RandomProgram Generator::generate() {
  choose_world();
  program_.statements = block(small_ ? between(2, 4) : between(4, 9));
  record_everything(program_.statements);
  return std::move(program_);
}

void Generator::choose_world() {
  program_.ranks = small_ ? between(2, 3) : between(1, 8);
  program_.mesh_signals = static_cast<std::size_t>(between(1, 2));
  program_.ring_signals = static_cast<std::size_t>(between(0, 2));
  for (std::int64_t i = 0; i < kFlags; ++i)
    program_.flags.push_back(between(0, kMaxTrips));
  const std::int64_t windows = between(1, small_ ? 2 : 3);
  for (std::int64_t i = 0; i < windows; ++i)
    program_.windows.push_back(data_window());
  states_.resize(program_.windows.size());
}

void Generator::record_everything(Statements& out) {
  for (std::size_t window = 0; window < program_.windows.size(); ++window) {
    need_written(out, window);
    out.push_back(record(window));
  }
}

DataWindow Generator::data_window() {
  constexpr isa::DType kDtypes[] = {isa::DType::fp32,  isa::DType::fp32, isa::DType::fp16,
                                    isa::DType::fp16,  isa::DType::bf16, isa::DType::int32,
                                    isa::DType::int16, isa::DType::int8};
  DataWindow window;
  window.dtype = one_of(kDtypes);
  const std::int64_t kind = between(0, 3);
  window.rows = kind == 0 ? between(1, 3) : program_.ranks * (kind == 1 ? between(2, 3) : 1);
  window.cols = between(1, small_ ? 20 : 70);
  if (small_) return window;
  if (chance(15)) window.cols = between(100, 400);
  if (chance(8) && window.rows <= 4) window.cols = one_of({1000, 4096, 4097});
  return window;
}

Statement Generator::make(Act act, std::size_t window) {
  Statement statement;
  statement.act = act;
  statement.window = window;
  statement.rebinds = chance(50);
  const std::size_t signals = act == Act::ring ? program_.ring_signals : program_.mesh_signals;
  statement.signal = static_cast<std::size_t>(between(0, static_cast<std::int64_t>(signals) - 1));
  return statement;
}

// Synchronisation.

void Generator::passed_a_barrier() {
  for (WindowState& state : states_)
    state.touched = state.peers_read = state.counts_touched = false;
}

void Generator::add_barrier(Statements& out) {
  out.push_back(make(Act::barrier, 0));
  passed_a_barrier();
}

/// The own part is about to be written by this rank.
void Generator::need_no_reader(Statements& out, std::size_t window) {
  if (states_[window].peers_read) add_barrier(out);
}

void Generator::add_stage(Statements& out, std::size_t window) {
  need_no_reader(out, window);
  out.push_back(make(Act::stage, window));
  states_[window].written = states_[window].touched = true;
  states_[window].bound = is_reducible(program_.windows[window].dtype) ? kInputBound : 10;
}

void Generator::need_written(Statements& out, std::size_t window) {
  if (!states_[window].written) add_stage(out, window);
}

bool Generator::fits(std::size_t window, double bound) const {
  return bound < largest(program_.windows[window].dtype);
}

double Generator::reduced(Reduce op, double bound) const {
  const auto ranks = static_cast<double>(program_.ranks);
  if (op == Reduce::sum) return bound * ranks;
  return op == Reduce::prod ? std::pow(bound, ranks) : bound;
}

Statement Generator::record(std::size_t window) {
  Statement statement = make(Act::record, window);
  DataWindow& data = program_.windows[window];
  statement.first_row = data.recorded;
  data.recorded += data.rows * rounds_;
  states_[window].touched = true;
  return statement;
}

// Statements.

void Generator::add_reduction(Statements& out, std::size_t window, Act act) {
  Statement statement = make(act, window);
  if (act != Act::reduce_scatter) statement.op = static_cast<Reduce>(between(0, 3));
  if (statement.op == Reduce::max || statement.op == Reduce::min) {
    need_written(out, window);
  } else {
    need_bound(out, window, [&](double bound) { return reduced(statement.op, bound); });
  }
  out.push_back(std::move(statement));
  passed_a_barrier();
  states_[window].touched = true;
}

void Generator::add_broadcast(Statements& out, std::size_t window) {
  need_written(out, window);
  Statement statement = make(Act::broadcast, window);
  statement.root = between(0, program_.ranks - 1);
  out.push_back(std::move(statement));
  passed_a_barrier();
  states_[window].touched = states_[window].peers_read = true;
}

void Generator::add_push(Statements& out, std::size_t window, Act act) {
  WindowState& state = states_[window];
  const bool counts = act == Act::all_to_all_v;
  if (state.touched || (counts && state.counts_touched)) add_barrier(out);
  out.push_back(make(act, window));
  passed_a_barrier();
  state.written = true;
  state.bound = is_reducible(program_.windows[window].dtype) ? kInputBound : 10;
  if (!counts) return;
  program_.windows[window].takes_counts = true;
  if (chance(50)) return;
  Statement seen = make(Act::record_counts, window);
  seen.first_row = program_.windows[window].counts_recorded;
  program_.windows[window].counts_recorded += program_.ranks * rounds_;
  out.push_back(std::move(seen));
  state.counts_touched = true;
}

void Generator::add_collective(Statements& out, std::size_t window) {
  const DataWindow& data = program_.windows[window];
  std::vector<Act> acts{Act::broadcast};
  if (is_reducible(data.dtype)) {
    acts.push_back(Act::mesh);
    if (program_.ring_signals > 0) acts.push_back(Act::ring);
  }
  if (data.rows == program_.ranks) {
    acts.insert(acts.end(), {Act::allgather, Act::all_to_all, Act::reduce_scatter});
  }
  if (data.rows % program_.ranks == 0) acts.push_back(Act::all_to_all_v);
  const Act act = acts[static_cast<std::size_t>(between(0, std::ssize(acts) - 1))];
  switch (act) {
    case Act::broadcast:
      return add_broadcast(out, window);
    case Act::mesh:
    case Act::ring:
    case Act::reduce_scatter:
      return add_reduction(out, window, act);
    default:
      return add_push(out, window, act);
  }
}

void Generator::enter_loop() {
  for (WindowState& state : states_) {
    state.touched = state.peers_read = state.counts_touched = true;
    if (state.written) state.bound = kAnything;
  }
}

void Generator::add_loop(Statements& out) {
  Statement statement = make(chance(50) ? Act::for_loop : Act::while_loop, 0);
  statement.trips = between(1, kMaxTrips);
  if (statement.act == Act::while_loop && chance(50)) {
    statement.flag = between(0, kFlags - 1);
    statement.trips = kMaxTrips;
  }
  const std::vector<WindowState> before = states_;
  enter_loop();
  rounds_ *= statement.trips;
  ++depth_;
  statement.body = block(between(1, 4));
  --depth_;
  rounds_ /= statement.trips;
  join(before);
  out.push_back(std::move(statement));
}

void Generator::add_branch(Statements& out) {
  Statement statement = make(Act::branch, 0);
  Condition& condition = statement.condition;
  condition.reads_flag = depth_ == 0 || in_branch_ || chance(50);
  condition.index = between(0, kFlags - 1);
  condition.bound = between(0, kMaxTrips - 1);
  const std::vector<WindowState> before = states_;
  const bool outer = std::exchange(in_branch_, true);
  ++depth_;
  statement.body = block(between(1, 3));
  std::vector<WindowState> after = std::exchange(states_, before);
  if (chance(60)) statement.otherwise = block(between(1, 3));
  --depth_;
  in_branch_ = outer;
  join(after);
  out.push_back(std::move(statement));
}

void Generator::join(const std::vector<WindowState>& other) {
  for (std::size_t i = 0; i < states_.size(); ++i) {
    WindowState& state = states_[i];
    state.written = state.written && other[i].written;
    state.touched = state.touched || other[i].touched;
    state.peers_read = state.peers_read || other[i].peers_read;
    state.counts_touched = state.counts_touched || other[i].counts_touched;
    state.bound = std::max(state.bound, other[i].bound);
  }
}

Generator::Statements Generator::block(std::int64_t length) {
  Statements out;
  for (std::int64_t i = 0; i < length; ++i) {
    const std::size_t window = any_window();
    const std::int64_t dice = between(0, 99);
    if (dice < 15 && depth_ < kMaxDepth) {
      add_loop(out);
    } else if (dice < 25 && depth_ < kMaxDepth) {
      add_branch(out);
    } else if (dice < 30) {
      add_barrier(out);
    } else if (dice < 38) {
      add_stage(out, window);
    } else if (dice < 44 && is_reducible(program_.windows[window].dtype)) {
      need_bound(out, window, [](double bound) { return bound + kInputBound; });
      need_no_reader(out, window);
      out.push_back(make(Act::add, window));
      states_[window].touched = true;
    } else if (dice < 56) {
      need_written(out, window);
      out.push_back(record(window));
    } else {
      add_collective(out, window);
    }
  }
  return out;
}

RandomProgram random_program(std::uint64_t seed) {
  return Generator(seed).generate();
}

RandomProgram small_random_program(std::uint64_t seed) {
  return Generator(seed, true).generate();
}

}  // namespace a2a3::collectives
