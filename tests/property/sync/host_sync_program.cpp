// SPDX-License-Identifier: Apache-2.0
#include "host_sync_program.hpp"

#include <array>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace a2a3::sync {
namespace {

constexpr std::size_t kInboxRows = 2;

class HostWriter {
 public:
  explicit HostWriter(std::uint64_t seed) : random_(seed) {}

  HostSyncProgram write() {
    program_.ranks = 2 + static_cast<std::int64_t>(random_() % 2);
    reads_neighbour_ = chance();
    add(R"(import pypto.language as pl
import pypto.language.distributed as pld
NR = pl.dynamic("NR")


@pl.program
class Program:
    @pl.function(type=pl.FunctionType.Orchestration)
    def begin(self, x: pl.Tensor[[1, 8], pl.FP32],
              work: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]]):
        with pl.at(level=pl.Level.CORE_GROUP):
            work = pl.store(pl.load(x, [0, 0], [1, 8]), [0, 0], work)

    @pl.function(type=pl.FunctionType.Orchestration)
    def turn(self, work: pl.InOut[pld.DistributedTensor[[1, 8], pl.FP32]],
             inbox: pl.InOut[pld.DistributedTensor[[2, 8], pl.FP32]],
             cells: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
             free: pl.InOut[pld.DistributedTensor[[2, 1], pl.INT32]],
             meet: pl.InOut[pld.DistributedTensor[[NR], pl.INT32]]):
        spare = pl.create_tensor([1, 8], dtype=pl.FP32)
)");
    const std::size_t segments = 1 + random_() % 2;
    for (std::size_t i = 0; i < segments; ++i)
      segment();
    write_finish();
    write_host();
    return std::move(program_);
  }

 private:
  bool chance() { return random_() % 2 == 0; }
  void add(std::string text) { program_.pieces.push_back({std::move(text), std::nullopt, ""}); }
  void add_edge(std::string name, std::string text, std::string without = "") {
    program_.pieces.push_back({std::move(text), std::move(without), std::move(name)});
  }
  [[nodiscard]] std::string indent() const { return is_manual_ ? "            " : "        "; }
  void line(const std::string& text) { add(indent() + "    " + text + "\n"); }
  void line_edge(const std::string& name, const std::string& text,
                 const std::string& without = "pass") {
    add_edge(name, indent() + "    " + text + "\n", indent() + "    " + without + "\n");
  }

  /// Tasks that `deps` orders in a manual scope, or what they access.
  void segment() {
    is_manual_ = chance();
    last_ = {};
    if (is_manual_) add("        with pl.manual_scope():\n");
    const std::size_t steps = 1 + random_() % 2;
    for (std::size_t i = 0; i < steps; ++i) {
      if (steps_ > 0 && random_() % 4 == 0) {
        through_spare();
      } else {
        hop();
      }
    }
    is_manual_ = false;
  }

  /// The head of a task behind `always`, and in a manual scope behind `also`.
  void begin_task(const std::string& name, const std::set<std::string>& always,
                  const std::set<std::string>& also) {
    add(indent() + "with pl.at(level=pl.Level.CORE_GROUP, deps=[");
    std::set<std::string> deps = always;
    if (is_manual_) deps.insert(also.begin(), also.end());
    for (const std::string& dep : deps)
      add_edge("dep of " + name + " on " + dep, dep + ", ");
    add("]) as " + name + ":\n");
  }

  /// The work goes through another tensor of the device.
  void through_spare() {
    const std::string id = std::to_string(++steps_);
    begin_task("out_" + id, {}, last_);
    line("spare = pl.store(pl.add(pl.load(work, [0, 0], [1, 8]), 1.0), [0, 0], spare)");
    begin_task("back_" + id, {}, {"out_" + id});
    line("work = pl.store(pl.load(spare, [0, 0], [1, 8]), [0, 0], work)");
    last_ = {"back_" + id};
  }

  /// A cell and the value that it is to have.
  struct Condition {
    std::string window;
    std::size_t row = 0;
    int expected = 0;
  };
  static std::string call(const std::string& function, const Condition& asked) {
    return fmt::format("pld.system.{}({}, offsets=[{}, 0], expected={}, cmp=pld.WaitCmp.Ge)",
                       function, asked.window, asked.row, asked.expected);
  }

  /// A waiter task with the condition. Without it, it asks for nothing.
  void waiter(const std::string& name, const Condition& asked) {
    begin_task(name, {}, {});
    line_edge("condition of " + name, call("defer_wait", asked),
              call("defer_wait", {asked.window, asked.row, 0}));
  }

  /// A task that goes on when the condition holds: it waits itself, or for a waiter task.
  void begin_task_when(const std::string& name, const std::string& waiter_name,
                       const Condition& asked, const std::set<std::string>& also) {
    if (chance()) {
      waiter(waiter_name, asked);
      return begin_task(name, {waiter_name}, also);
    }
    begin_task(name, {}, also);
    line_edge("wait of " + name, call("wait", asked));
  }

  /// Every rank sends its work to the right and goes on with what came from the left.
  void hop() {
    const std::string id = std::to_string(++steps_);
    const std::size_t row = random_() % kInboxRows;
    const int use = ++uses_[row];
    if (use > 1)
      begin_task_when("sent_" + id, "freed_" + id, {"free", row, use - 1}, last_);
    else
      begin_task("sent_" + id, {}, last_);
    line("c = pld.get_comm_ctx(inbox)");
    line("right = (pld.rank(c) + 1) % pld.nranks(c)");
    line("t = pl.load(work, [0, 0], [1, 8])");
    line(fmt::format("inbox = pld.tile.remote_store(t, target=inbox, peer=right, offsets=[{}, 0])",
                     row));
    line_edge("notify of sent_" + id,
              fmt::format("pld.system.notify(cells, peer=right, offsets=[{}, 0], value=1, "
                          "op=pld.NotifyOp.AtomicAdd)",
                          row));
    begin_task_when("read_" + id, "arrived_" + id, {"cells", row, use}, {"sent_" + id});
    line(fmt::format("t = pl.load(inbox, [{}, 0], [1, 8])", row));
    line("work = pl.store(pl.add(t, 1.0), [0, 0], work)");
    line("c = pld.get_comm_ctx(inbox)");
    line("left = (pld.rank(c) + pld.nranks(c) - 1) % pld.nranks(c)");
    line_edge("notify of read_" + id,
              fmt::format("pld.system.notify(free, peer=left, offsets=[{}, 0], value=1, "
                          "op=pld.NotifyOp.AtomicAdd)",
                          row));
    last_ = {"read_" + id};
  }

  void write_finish() {
    add(R"(
    @pl.function(type=pl.FunctionType.Orchestration)
    def finish(self, work: pld.DistributedTensor[[1, 8], pl.FP32],
               y: pl.Out[pl.Tensor[[1, 8], pl.FP32]])");
    if (reads_neighbour_) {
      add_edge("order of finish behind the barrier",
               ",\n               meet: pld.DistributedTensor[[NR], pl.INT32]");
    }
    add("):\n        with pl.at(level=pl.Level.CORE_GROUP):\n");
    if (reads_neighbour_) {
      add(R"(            c = pld.get_comm_ctx(work)
            right = (pld.rank(c) + 1) % pld.nranks(c)
            t = pld.tile.remote_load(work, peer=right, offsets=[0, 0], shape=[1, 8])
            y = pl.store(t, [0, 0], y)
)");
    } else {
      add("            y = pl.store(pl.load(work, [0, 0], [1, 8]), [0, 0], y)\n");
    }
  }

  void write_host() {
    add(R"(
    @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
    def host(self, x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
        n = pld.world_size()
)");
    for (const auto& [name, shape, dtype] :
         {std::array{"work", "[1, 8]", "FP32"}, std::array{"inbox", "[2, 8]", "FP32"},
          std::array{"cells", "[2, 1]", "INT32"}, std::array{"free", "[2, 1]", "INT32"},
          std::array{"meet", "[n]", "INT32"}}) {
      add(
          fmt::format("        {0}_buf = pld.alloc_window_buffer({1}, dtype=pl.{2})\n"
                      "        {0} = pld.window({0}_buf, {1}, dtype=pl.{2})\n",
                      name, shape, dtype));
    }
    add(R"(        for r in pl.range(n):
            self.begin(x[r], work, device=r)
        for r in pl.range(n):
            self.turn(work, inbox, cells, free, meet, device=r)
)");
    if (reads_neighbour_) add_edge("HOST barrier", "        pld.tensor.barrier(meet)\n");
    add("        for r in pl.range(n):\n            self.finish(work, y[r], ");
    if (reads_neighbour_) add_edge("order of finish behind the barrier", "meet, ");
    add("device=r)\n");
  }

  std::mt19937_64 random_;
  HostSyncProgram program_;
  bool reads_neighbour_ = false;  ///< the last dispatch does, so that all have to be done
  bool is_manual_ = false;
  int steps_ = 0;
  std::array<int, kInboxRows> uses_{};
  std::set<std::string> last_;  ///< tasks of the scope that the next one follows
};

}  // namespace

std::size_t HostSyncProgram::edges() const {
  std::set<std::string> names;
  for (const Piece& piece : pieces) {
    if (piece.without) names.insert(piece.name);
  }
  return names.size();
}

/// Pieces of one name are one edge.
std::string HostSyncProgram::name_of(std::size_t edge) const {
  std::set<std::string> names;
  for (const Piece& piece : pieces) {
    if (piece.without && names.insert(piece.name).second && names.size() == edge + 1)
      return piece.name;
  }
  throw std::out_of_range("no such edge");
}

std::string HostSyncProgram::text(std::optional<std::size_t> removed) const {
  const std::string name = removed ? name_of(*removed) : "";
  std::string text;
  for (const Piece& piece : pieces)
    text += piece.without && piece.name == name ? *piece.without : piece.text;
  return text;
}

HostSyncProgram host_sync_program(std::uint64_t seed) {
  return HostWriter(seed).write();
}

}  // namespace a2a3::sync
