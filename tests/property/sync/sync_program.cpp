// SPDX-License-Identifier: Apache-2.0
#include "sync_program.hpp"

#include <functional>
#include <map>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "property/collectives/program.hpp"

namespace a2a3::sync {
namespace {

using Kind = collectives::Parameter::Kind;
using Part = SyncProgram::Part;

/// Writes a kernel pattern by pattern. A window that peers may still be working on is not used
/// again before a barrier.
class SyncWriter {
 public:
  SyncWriter(std::uint64_t seed, std::int64_t most_ranks) : random_(seed) {
    program_.ranks = between(2, most_ranks);
    program_.cols = between(1, 3) * 8 - (chance(40) ? between(1, 7) : 0);
    program_.expected.resize(static_cast<std::size_t>(program_.ranks));
    windows_ = between(1, 2);
    dirty_.assign(static_cast<std::size_t>(windows_), false);
  }

  SyncProgram write() {
    const std::int64_t pieces = between(1, 3);
    for (std::int64_t i = 0; i < pieces; ++i) {
      if (chance(30)) {
        add_loop();
      } else {
        add_pattern();
      }
      if (chance(15)) add_barrier();
    }
    finish();
    return std::move(program_);
  }

 private:
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(std::int64_t percent) { return between(1, 100) <= percent; }

  void line(const std::string& code) {
    body_ += std::string(static_cast<std::size_t>(4 * (loop_ > 0 ? 1 : 0)), ' ') + code + '\n';
  }
  [[nodiscard]] std::string load(const std::string& tensor, const std::string& row) const {
    return collectives::load_row(tensor, row, program_.cols);
  }
  [[nodiscard]] static std::string remote_load(const std::string& window, const std::string& peer,
                                               const std::string& row, std::int64_t cols) {
    return fmt::format(
        "pld.tile.remote_load({}, peer={}, offsets=[{}, 0], shape=[1, {}], valid_shape=[1, {}])",
        window, peer, row, (cols + 7) / 8 * 8, cols);
  }

  /// What a round counts: a signal that is used `uses` times in each round of the loop around, for
  /// the time number `use` of these. The uses are known at the end of the loop.
  struct Count {
    std::int64_t before = 0;  ///< rounds before the loop, or in all
    std::int64_t uses = 0;    ///< in the loop so far
  };
  /// The number of this use of a signal, from 1, as the kernel computes it.
  std::string next(const std::string& signal, std::int64_t times = 1) {
    Count& count = counts_[signal];
    const std::string text = loop_ == 0 ? fmt::format("{}", (count.before + 1) * times)
                                        : fmt::format("({} + i * @{}@ + {}) * {}", count.before,
                                                      signal, count.uses + 1, times);
    ++(loop_ == 0 ? count.before : count.uses);
    return text;
  }

  /// A row of x for each round of the loop around; as the kernel computes it.
  std::string new_row() {
    const std::string row = loop_ == 0 ? fmt::format("{}", rows_) : fmt::format("{} + i", rows_);
    rows_ += rounds();
    return row;
  }
  /// `count` rows of y for each round; row k of round i holds part(rank, k, first x row + i).
  using PartOf = std::function<std::vector<Part>(std::int64_t rank, std::int64_t k)>;
  std::string new_output(std::int64_t count, std::int64_t rounds, const std::string& round,
                         const PartOf& part) {
    const std::int64_t begin = outputs_;
    outputs_ += count * rounds;
    for (std::int64_t i = 0; i < rounds; ++i) {
      for (std::int64_t rank = 0; rank < program_.ranks; ++rank) {
        for (std::int64_t k = 0; k < count; ++k) {
          auto parts = part(rank, k);
          for (Part& one : parts)
            one.row += i;
          program_.expected[static_cast<std::size_t>(rank)].push_back(std::move(parts));
        }
      }
    }
    return round.empty() ? fmt::format("{}", begin)
                         : fmt::format("{} + {} * {}", begin, round, count);
  }
  std::string new_output(std::int64_t count, const PartOf& part) {
    return new_output(count, rounds(), loop_ == 0 ? "" : "i", part);
  }
  [[nodiscard]] std::int64_t rounds() const { return loop_ == 0 ? 1 : loop_; }
  [[nodiscard]] std::int64_t left_of(std::int64_t rank) const {
    return (rank + program_.ranks - 1) % program_.ranks;
  }
  [[nodiscard]] std::int64_t right_of(std::int64_t rank) const {
    return (rank + 1) % program_.ranks;
  }

  void notify(const std::string& blanks, const std::string& signal, const std::string& peer,
              const std::string& cell, const std::string& value, const char* op) {
    signals_.insert(signal);
    line(
        fmt::format("{}pld.system.notify({}, peer={}, offsets=[{}, 0], value={}, "
                    "op=pld.NotifyOp.{})",
                    blanks, signal, peer, cell, value, op));
  }
  void wait(const std::string& blanks, const std::string& signal, const std::string& cell,
            const std::string& expected) {
    signals_.insert(signal);
    line(fmt::format("{}pld.system.wait({}, offsets=[{}, 0], expected={}, cmp=pld.WaitCmp.Ge)",
                     blanks, signal, cell, expected));
  }
  void all_pairs(const std::string& signal, const std::string& cell, const std::string& value,
                 const char* op, bool guarded) {
    line("for peer in pl.range(n):");
    if (guarded) line("    if peer != me:");
    notify(guarded ? "        " : "    ", signal, "peer", cell, value, op);
  }
  void wait_for_all(const std::string& signal, const std::string& expected, bool guarded) {
    line("for src in pl.range(n):");
    if (guarded) line("    if src != me:");
    wait(guarded ? "        " : "    ", signal, "src", expected);
  }

  void add_barrier() {
    const auto kind = static_cast<Barrier>(between(0, kBarriers - 1));
    program_.barriers.insert(kind);
    // Several barriers may share a window of counting cells; others have their own.
    const std::string which = chance(50) ? "0" : "1";
    switch (kind) {
      case Barrier::own_cells:
      case Barrier::own_cells_self: {
        const bool guarded = kind == Barrier::own_cells;
        const std::string signal = (guarded ? "own" : "all") + which;
        all_pairs(signal, "me", "1", "AtomicAdd", guarded);
        wait_for_all(signal, next(signal), guarded);
        break;
      }
      case Barrier::cleared_cells: {
        const std::string signal = "clr" + which;
        all_pairs(signal, "me", "1", "AtomicAdd", true);
        wait_for_all(signal, "1", true);
        line("for src in pl.range(n):");
        line("    if src != me:");
        notify("        ", signal, "me", "src", "-1", "AtomicAdd");
        break;
      }
      case Barrier::shared_cell: {
        const std::string signal = "sum" + which;
        all_pairs(signal, "0", "1", "AtomicAdd", true);
        wait("", signal, "0", next(signal, program_.ranks - 1));
        break;
      }
      case Barrier::flags: {
        const std::string signal = "flag" + which;
        const std::string round = next(signal);
        all_pairs(signal, "me", round, "Set", true);
        wait_for_all(signal, round, true);
        break;
      }
      case Barrier::builtin:
        signals_.insert("bar" + which);
        line(fmt::format("pld.tensor.barrier(bar{})", which));
        break;
    }
    dirty_.assign(dirty_.size(), false);
  }

  /// A window that nobody is working on any more.
  std::string clean_window() {
    const auto which = static_cast<std::size_t>(between(0, windows_ - 1));
    if (dirty_[which]) add_barrier();
    dirty_[which] = true;
    return fmt::format("w{}", which);
  }

  void add_pattern() {
    const auto pattern = static_cast<Pattern>(between(0, kPatterns - 1));
    switch (pattern) {
      case Pattern::pull_from_all:
        pull_from_all();
        break;
      case Pattern::push_to_all:
        push_to_all();
        break;
      case Pattern::neighbour_pull:
        neighbour_pull();
        break;
      case Pattern::credit_stream:
        if (loop_ > 0) return pull_again();
        credit_stream();
        break;
      case Pattern::halo:
        if (loop_ > 0) return pull_again();
        halo();
        break;
      case Pattern::fan_in_fan_out:
        fan_in_fan_out();
        break;
      case Pattern::add_to_all:
        if (loop_ > 0 || added_) return pull_again();
        add_to_all();
        break;
    }
    program_.patterns.insert(pattern);
  }
  void pull_again() {
    pull_from_all();
    program_.patterns.insert(Pattern::pull_from_all);
  }

  void read_peer(const std::string& blanks, const std::string& window, const std::string& peer,
                 const std::string& row, const std::string& out) {
    if (chance(50)) {
      line(fmt::format("{}y = pl.store({}, [{}, 0], y)", blanks,
                       remote_load(window, peer, row, program_.cols), out));
    } else {
      line(fmt::format("{}pld.tensor.get(y, {}, {}, [{}, 0], [{}, 0], [1, {}])", blanks, peer,
                       window, out, row, program_.cols));
    }
  }
  void push(const std::string& blanks, const std::string& window, const std::string& peer,
            const std::string& row, const std::string& x_row) {
    if (chance(50)) {
      line(fmt::format("{}pld.tile.remote_store({}, target={}, peer={}, offsets=[{}, 0])", blanks,
                       load("x", x_row), window, peer, row));
    } else {
      line(fmt::format("{}pld.tensor.put({}, {}, x, [{}, 0], [{}, 0], [1, {}])", blanks, window,
                       peer, row, x_row, program_.cols));
    }
  }
  void stage(const std::string& window, const std::string& x_row) {
    line(fmt::format("{0} = pl.store({1}, [me, 0], {0})", window, load("x", x_row)));
  }
  void read_own(const std::string& blanks, const std::string& window, const std::string& row,
                const std::string& out) {
    line(fmt::format("{}y = pl.store({}, [{}, 0], y)", blanks, load(window, row), out));
  }

  void pull_from_all() {
    const std::string window = clean_window();
    const std::int64_t first = rows_;
    stage(window, new_row());
    add_barrier();
    mark_dirty(window);
    const std::string out = new_output(program_.ranks, [&](std::int64_t, std::int64_t k) {
      return std::vector<Part>{{k, first}};
    });
    line("for peer in pl.range(n):");
    read_peer("    ", window, "peer", "peer", out + " + peer");
  }

  void push_to_all() {
    const std::string window = clean_window();
    const std::int64_t first = rows_;
    line("for peer in pl.range(n):");
    push("    ", window, "peer", "me", new_row());
    add_barrier();
    mark_dirty(window);
    const std::string out = new_output(program_.ranks, [&](std::int64_t, std::int64_t k) {
      return std::vector<Part>{{k, first}};
    });
    line("for src in pl.range(n):");
    read_own("    ", window, "src", out + " + src");
  }

  void mark_dirty(const std::string& window) {
    dirty_[static_cast<std::size_t>(window.back() - '0')] = true;
  }

  /// The left one reads my row; it says when it has done so.
  void neighbour_pull() {
    const std::string window = clean_window();
    const std::int64_t first = rows_;
    stage(window, new_row());
    notify("", "ready", "left", "0", "1", "AtomicAdd");
    wait("", "ready", "0", next("ready"));
    read_peer("", window, "right", "right", new_output(1, [&](std::int64_t rank, std::int64_t) {
                return std::vector<Part>{{right_of(rank), first}};
              }));
    if (chance(50)) return;
    notify("", "read", "right", "0", "1", "AtomicAdd");
    wait("", "read", "0", next("read"));
    dirty_[static_cast<std::size_t>(window.back() - '0')] = false;
  }

  void credit_stream() {
    const std::int64_t slots = between(1, 2);
    const std::int64_t trips = between(2, 3);
    // A queue of its own for each number of slots; what came before has been read.
    const std::string queue = fmt::format("q{}", slots);
    const std::string full = "full" + std::to_string(slots);
    const std::string free = "free" + std::to_string(slots);
    queues_.insert(slots);
    const std::int64_t before = std::exchange(counts_[full].before, counts_[full].before + trips);
    const std::int64_t first = rows_;
    rows_ += trips;
    const std::string out = new_output(1, trips, "j", [&](std::int64_t rank, std::int64_t) {
      return std::vector<Part>{{left_of(rank), first}};
    });
    if (before > 0) wait("", free, "0", fmt::format("{}", before));
    line(fmt::format("for j in pl.range({}):", trips));
    line(fmt::format("    if j >= {}:", slots));
    wait("        ", free, "0", fmt::format("{} + j", before - slots + 1));
    push("    ", queue, "right", fmt::format("j % {}", slots), fmt::format("{} + j", first));
    notify("    ", full, "right", "0", "1", "AtomicAdd");
    wait("    ", full, "0", fmt::format("{} + j", before + 1));
    read_own("    ", queue, fmt::format("j % {}", slots), out);
    notify("    ", free, "left", "0", "1", "AtomicAdd");
  }

  /// Rows from both neighbours, counted in one cell. Nobody sends for the next round before both
  /// have read those of this one: a credit of the one cannot stand for one of the other.
  void halo() {
    const std::int64_t trips = between(2, 3);
    const std::int64_t slots = chance(50) ? 1 : 3;
    const std::string window = fmt::format("h{}", slots);
    const std::string full = fmt::format("hfull{}", slots);
    const std::string free = fmt::format("hfree{}", slots);
    halos_.insert(slots);
    const std::int64_t before = std::exchange(counts_[full].before, counts_[full].before + trips);
    const std::int64_t first = rows_;
    rows_ += trips;
    const std::string out = new_output(2, trips, "j", [&](std::int64_t rank, std::int64_t k) {
      return std::vector<Part>{{k == 0 ? left_of(rank) : right_of(rank), first}};
    });
    const std::string row = fmt::format("j % {} * 2", slots);
    const std::string x_row = fmt::format("{} + j", first);
    line(fmt::format("for j in pl.range({}):", trips));
    wait("    ", free, "0", fmt::format("({} + j) * 2", before));
    push("    ", window, "right", row, x_row);
    notify("    ", full, "right", "0", "1", "AtomicAdd");
    push("    ", window, "left", row + " + 1", x_row);
    notify("    ", full, "left", "0", "1", "AtomicAdd");
    wait("    ", full, "0", fmt::format("({} + j) * 2", before + 1));
    read_own("    ", window, row, out);
    read_own("    ", window, row + " + 1", out + " + 1");
    notify("    ", free, "left", "0", "1", "AtomicAdd");
    notify("    ", free, "right", "0", "1", "AtomicAdd");
  }

  /// The root writes the rows of all back to everybody.
  void fan_in_fan_out() {
    const std::string window = clean_window();
    const std::int64_t first = rows_;
    const std::int64_t root = between(0, program_.ranks - 1);
    const std::string arrived = fmt::format("in{}", root);
    const bool sets = chance(50);
    const std::string answered = fmt::format("{}{}", sets ? "set" : "go", root);
    line(fmt::format("if me != {}:", root));
    push("    ", window, std::to_string(root), "me", new_row());
    notify("    ", arrived, std::to_string(root), "0", "1", "AtomicAdd");
    const std::string round = next(answered);
    wait("    ", answered, "0", round);
    line("else:");
    line(fmt::format(
        "    {0} = pl.store({1}, [me, 0], {0})", window,
        load("x", loop_ == 0 ? fmt::format("{}", first) : fmt::format("{} + i", first))));
    wait("    ", arrived, "0", next(arrived, program_.ranks - 1));
    line("    for peer in pl.range(n):");
    line("        if peer != me:");
    line(fmt::format("            pld.tensor.put({0}, peer, {0}, [0, 0], [0, 0], [{1}, {2}])",
                     window, program_.ranks, program_.cols));
    notify("            ", answered, "peer", "0", sets ? round : "1", sets ? "Set" : "AtomicAdd");
    const std::string out = new_output(program_.ranks, [&](std::int64_t, std::int64_t k) {
      return std::vector<Part>{{k, first}};
    });
    line("for src in pl.range(n):");
    read_own("    ", window, "src", out + " + src");
  }

  void add_to_all() {
    added_ = true;
    const std::int64_t first = rows_;
    const std::string row = new_row();
    line("for peer in pl.range(n):");
    line(
        fmt::format("    pld.tile.remote_store({}, target=acc, peer=peer, offsets=[0, 0], "
                    "atomic=pld.AtomicType.Add)",
                    load("x", row)));
    add_barrier();
    read_own("", "acc", "0", new_output(1, [&](std::int64_t, std::int64_t) {
               std::vector<Part> parts;
               for (std::int64_t rank = 0; rank < program_.ranks; ++rank)
                 parts.push_back({rank, first});
               return parts;
             }));
  }

  void add_loop() {
    program_.has_loop = true;
    loop_ = between(2, 3);
    body_ += fmt::format("for i in pl.range({}):\n", loop_);
    dirty_.assign(dirty_.size(), true);  // by the round before
    const std::int64_t pieces = between(1, 2);
    for (std::int64_t k = 0; k < pieces; ++k)
      add_pattern();
    for (auto& [signal, count] : counts_) {
      const std::string place = "@" + signal + "@";
      for (std::size_t at = body_.find(place); at != std::string::npos; at = body_.find(place, at))
        body_.replace(at, place.size(), std::to_string(count.uses));
      count.before += count.uses * loop_;
      count.uses = 0;
    }
    loop_ = 0;
  }

  void finish() {
    const std::int64_t cols = program_.cols;
    const std::int64_t n = program_.ranks;
    std::vector<collectives::Parameter> tensors{{Kind::in, "x", {rows_, cols}},
                                                {Kind::out, "y", {outputs_, cols}}};
    for (std::int64_t w = 0; w < windows_; ++w)
      tensors.push_back({Kind::window, fmt::format("w{}", w), {n, cols}});
    for (const std::int64_t slots : queues_)
      tensors.push_back({Kind::window, fmt::format("q{}", slots), {slots, cols}});
    for (const std::int64_t slots : halos_)
      tensors.push_back({Kind::window, fmt::format("h{}", slots), {2 * slots, cols}});
    if (added_) tensors.push_back({Kind::window, "acc", {1, cols}});
    for (const std::string& signal : signals_)
      tensors.push_back({Kind::window, signal, {n, 1}, isa::DType::int32});
    const std::string head =
        "ctx = pld.get_comm_ctx(w0)\nme = pld.rank(ctx)\nn = pld.nranks(ctx)\n"
        "left = (me + n - 1) % n\nright = (me + 1) % n\n";
    program_.text = collectives::program(tensors, head + body_);
  }

  std::mt19937_64 random_;
  SyncProgram program_;
  std::string body_;
  std::int64_t windows_ = 1;
  std::vector<bool> dirty_;  ///< by window: peers may be working on it
  std::map<std::string, Count> counts_;
  std::set<std::string> signals_;
  std::set<std::int64_t> queues_;
  std::set<std::int64_t> halos_;
  std::int64_t rows_ = 0;     ///< of x
  std::int64_t outputs_ = 0;  ///< rows of y
  std::int64_t loop_ = 0;     ///< rounds of the loop around; 0: none
  bool added_ = false;
};

}  // namespace

SyncProgram sync_program(std::uint64_t seed, std::int64_t most_ranks) {
  return SyncWriter(seed, most_ranks).write();
}

}  // namespace a2a3::sync
