// SPDX-License-Identifier: Apache-2.0
// The lowered text of every collective, in kernels and in host functions, with one notify, one wait
// or one barrier left out must be seen to be wrong: by its result, by a deadlock, or by credits
// that are left in its signal. The ranks run in random orders, and with one rank held up at every
// statement. Right after the call each rank overwrites its window, where the collective allows it.
#include <algorithm>
#include <ostream>
#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "collectives/checks.hpp"
#include "collectives/host_schedules.hpp"
#include "collectives/mutants.hpp"
#include "ir/printer.hpp"

namespace a2a3::collectives::collectives_mutation_test {
namespace {

using Kind = Parameter::Kind;

struct Probe {
  std::string schedule;
  bool on_host = false;
  std::int64_t size = 304;  ///< more than one tile of the HOST forms
  /// What may be left out, because another barrier does its work too.
  std::set<std::string> equivalent = {};

  friend std::ostream& operator<<(std::ostream& out, const Probe& probe) {
    return out << (probe.on_host ? "HOST " : "") << probe.schedule << ' ' << probe.size;
  }
};

constexpr std::int64_t kRanks = 3;

template <class T>
const T& named(const std::vector<T>& schedules, const std::string& name) {
  for (const T& schedule : schedules) {
    if (schedule.name == name) return schedule;
  }
  throw std::invalid_argument(name);
}

const Contract& contract(const Probe& probe) {
  if (probe.on_host) return named(host_schedules(), probe.schedule);
  return named(schedules(), probe.schedule);
}

/// Of a barrier a rank sees that its right neighbour has staged.
std::string read_from_the_right(const Size& at) {
  return fmt::format(
      "me = pld.rank(pld.get_comm_ctx(win))\n"
      "y = pl.store(pld.tile.remote_load(win, (me + 1) % {}, [0, 0], [1, {}]), [0, 0], y)\n",
      at.ranks, at.size);
}

/// The root of a broadcast and the neighbour of a barrier may still be read when the call is over.
bool may_overwrite(const Probe& probe) {
  return probe.schedule != "barrier" && !probe.schedule.starts_with("broadcast");
}

/// Behind the result: the window is overwritten, and all signal cells are copied at rest.
std::string epilogue(const Probe& probe, const std::vector<Parameter>& parameters, const Size& at) {
  std::string text;
  for (const Parameter& parameter : parameters) {
    if (parameter.name != "win" || !may_overwrite(probe)) continue;
    text += fmt::format(
        "for row in pl.range({}):\n"
        "    win = pl.store(pl.tile.full([1, {}], dtype=pl.FP32, value=99.0), [row, 0], win)\n",
        parameter.shape[0], at.size);
  }
  text += "pld.tensor.barrier(rest)\n";
  for (const Parameter& parameter : parameters) {
    if (parameter.name != "sig") continue;
    const bool is_flat = parameter.shape.size() == 1;
    text += fmt::format(
        "for row in pl.range({0}):\n    for col in pl.range({1}):\n"
        "        pl.write(cells, {2}, pl.read(sig, {2}))\n",
        parameter.shape[0], is_flat ? 1 : parameter.shape[1], is_flat ? "[row]" : "[row, col]");
  }
  return text;
}

std::string text_of(const Probe& probe, const Size& at) {
  std::vector<Parameter> parameters = contract(probe).parameters(at);
  const std::string last = epilogue(probe, parameters, at);
  std::vector<std::int64_t> cells;
  for (const Parameter& parameter : parameters) {
    if (parameter.name == "sig") cells = parameter.shape;
  }
  parameters.push_back({Kind::out, "cells", cells, isa::DType::int32});
  parameters.push_back({Kind::window, "rest", {at.ranks, 1}, isa::DType::int32});
  const bool is_barrier = probe.schedule == "barrier";
  if (probe.on_host) {
    const HostSchedule& schedule = named(host_schedules(), probe.schedule);
    return host_program(parameters, schedule.publish(at), schedule.call(at),
                        (is_barrier ? read_from_the_right(at) : schedule.consume(at)) + last);
  }
  const std::string body = is_barrier ? copy_row("x", "0", "win", "0", at.size) +
                                            "pld.tensor.barrier(sig)\n" + read_from_the_right(at)
                                      : named(schedules(), probe.schedule).body(at);
  return program(parameters, body + last);
}

bool is_right(const Probe& probe, const Size& at, const ProgramRun& run) {
  if (!run.finished()) return false;
  const Contract& schedule = contract(probe);
  const bool is_barrier = probe.schedule == "barrier";
  const auto x = [&](std::int64_t rank, std::int64_t row, std::int64_t col) {
    return element((rank + (is_barrier ? 1 : 0)) % at.ranks, row * at.size + col);
  };
  for (std::int64_t rank = 0; rank < at.ranks; ++rank) {
    for (std::int64_t i = 0; i < run.result.outputs.at("y").elements() / at.ranks; ++i) {
      if (run.at("y", rank, i) != schedule.expected(at, x, rank, i / at.size, i % at.size))
        return false;
    }
    for (std::int64_t i = 0; i < run.result.outputs.at("cells").elements() / at.ranks; ++i) {
      if (run.at("cells", rank, i) != 0) return false;
    }
    if (!run.result.outputs.contains("received")) continue;
    for (std::int64_t q = 0; q < at.ranks; ++q) {
      const std::int64_t rows = std::clamp<std::int64_t>(sent_rows(q, rank), 0, kCapacity);
      if (run.at("received", rank, q) != static_cast<double>(rows)) return false;
    }
  }
  return true;
}

/// Right in every order that is tried.
bool stands(const Probe& probe, const Size& at, const LoweredCollective& lowered,
            const std::string& text) {
  const auto right = [&](const std::string& variant, std::optional<std::uint64_t> seed) {
    const ProgramRun one = run(variant, at.ranks, input, Engine::untimed, seed);
    EXPECT_FALSE(one.diagnostics.has_errors()) << one.text() << variant;
    return is_right(probe, at, one);
  };
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    if (!right(text, seed)) return false;
  }
  for (const std::int64_t late : {0, 1}) {
    for (const std::string& variant : lowered.delayed(text, late)) {
      if (!right(variant, {})) return false;
    }
  }
  return true;
}

class CollectiveMutation : public testing::TestWithParam<Probe> {};

TEST_P(CollectiveMutation, IsFoundByTheRun) {
  const Probe& probe = GetParam();
  const Size at{kRanks, probe.size, isa::DType::fp32};
  const std::string text = text_of(probe, at);
  const ProgramRun original = run(text, at.ranks, input, Engine::untimed);
  ASSERT_TRUE(original.finished()) << original.text() << text;
  const LoweredCollective lowered(ir::print(*original.module));
  ASSERT_TRUE(stands(probe, at, lowered, ir::print(*original.module)))
      << "the original\n"
      << ir::print(*original.module);

  const std::vector<Mutant> mutants = lowered.mutants();
  EXPECT_GE(mutants.size(), 4);  // a credit, a wait, both, a clear
  std::set<std::string> unseen;
  for (const Mutant& mutant : mutants) {
    if (stands(probe, at, lowered, mutant.text)) unseen.insert(mutant.name);
  }
  EXPECT_EQ(unseen, probe.equivalent) << ir::print(*original.module);
}

const std::vector<Probe> kProbes{
    {"barrier"},
    {"broadcastFromTheFirst"},
    {"meshSum"},
    {"meshSum", false, 4112},
    // Of the first phase the wait behind the loads (kernel_language.md 4.6): no rank overwrites a
    // segment that its neighbour may be reading before the next round's first wait has passed.
    {"ringSum", false, 304, {"wait 1"}},
    {"allgather"},
    {"reduceScatter"},
    {"allToAll"},
    {"allToAllV"},
    {"barrier", true},
    {"broadcastFromTheFirst", true},
    {"mesh", true},
    {"meshOn2Cores", true},
    {"ring", true},
    {"allgather", true},
    {"reduceScatter", true},
    {"allToAll", true},
    {"allToAllV", true},
};

INSTANTIATE_TEST_SUITE_P(Dropped, CollectiveMutation, testing::ValuesIn(kProbes),
                         [](const auto& tested) {
                           const Probe& probe = tested.param;
                           return (probe.on_host ? "host_" : "") + probe.schedule +
                                  std::to_string(probe.size);
                         });

}  // namespace
}  // namespace a2a3::collectives::collectives_mutation_test
