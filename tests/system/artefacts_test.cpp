// SPDX-License-Identifier: Apache-2.0
// Whatever a run comes to, the files that were asked for are written.
#include <cstring>

#include <gtest/gtest.h>

#include "edge_kernel.hpp"
#include "models/npy.hpp"

namespace a2a3::test::artefacts_test {
namespace {

using Body = std::vector<std::string>;

const std::string kStage = "win = pl.store(pl.load(x, [0, 0], [1, 64]), [me, 0], win)";

/// Stages the own row in the own window, then does something right or wrong.
std::string staged(const Body& rest = {}) {
  Body body{kStage};
  body.insert(body.end(), rest.begin(), rest.end());
  return edge_kernel(body);
}

struct Verdict {
  std::string name;
  std::string kernel;
  std::vector<std::string> options;
  int status = 0;
  std::string verdict;
  enum class Staged { yes, untimed, no } staged = Staged::yes;  ///< the windows are filled then
};

std::vector<Verdict> verdicts() {
  const std::string read =
      "other = pld.tile.remote_load(win, peer={}, offsets=[0, 0], shape=[1, 64])";
  return {{"Ok", staged(), {}, 0, "ok"},
          {"WrongGolden", staged(), {"--golden", "y: x + 1"}, 2, "wrong result"},
          {"Deadlock", staged({wait("0", 1, "Ge")}), {}, 3, "deadlock"},
          {"Race", staged({replaced(read, "{}", "(me + 1) % n")}), {}, 4, "race"},
          {"Finding",
           staged({"if me == 0:", "    " + notify("0", "0", 1, "Set"),
                   "else:", "    " + notify("0", "0", 1, "AtomicAdd")}),
           {},
           4,
           "finding"},
          {"Fault", staged({replaced(read, "{}", "n")}), {}, 1, "fault", Verdict::Staged::untimed},
          {"Undecided", staged(), {"--max-race-records", "1"}, 1, "not decided"},
          {"OverALimit",
           staged(),
           {"--max-instructions", "4"},
           1,
           "over a limit",
           Verdict::Staged::no}};
}

isa::Array npy(const std::string& path, isa::DType dtype = isa::DType::fp32) {
  const models::NpyFile file = models::read_npy(path, dtype, 1 << 20);
  EXPECT_EQ(file.error, "");
  return file.array.value_or(isa::Array());
}

class WhateverTheVerdict : public testing::TestWithParam<Verdict> {
 protected:
  [[nodiscard]] Finished run(const ScratchDir& scratch, int ranks,
                             const std::vector<std::string>& more) const {
    const std::string kernel = scratch.write("kernel.py", GetParam().kernel);
    std::vector<std::string> arguments{"run", kernel, "-d", devices(ranks)};
    for (const char* name : {"x", "y", "win", "cells"}) {
      arguments.emplace_back("--dump");
      arguments.push_back(std::string(name) + "=" + scratch.file(std::string(name) + ".npy"));
    }
    arguments.insert(arguments.end(), {"--json", scratch.file("run.json")});
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto& options = GetParam().options;
    if (options.empty() || options.front() != "--golden")
      arguments.insert(arguments.end(), {"--golden", "y: x"});
    arguments.insert(arguments.end(), options.begin(), options.end());
    return a2a3sim(arguments);
  }
};

TEST_P(WhateverTheVerdict, CardJsonAndDumpsAreWritten) {
  for (const char* engine : {"timed", "untimed"}) {
    for (const int ranks : {2, 3, 5}) {
      SCOPED_TRACE(std::string(engine) + " on " + std::to_string(ranks));
      const ScratchDir scratch;
      const Finished done = run(scratch, ranks, {"--engine", engine});
      EXPECT_EQ(done.status, GetParam().status) << done.err;
      EXPECT_TRUE(contains(done.out, std::to_string(ranks) + " ranks on devices"));
      const nlohmann::json json = read_json(scratch.file("run.json"));
      EXPECT_EQ(json["verdict"], GetParam().verdict);
      EXPECT_EQ(json["exit_status"], GetParam().status);
      if (std::string(engine) == "timed") {
        EXPECT_EQ(json["ranks"].size(), static_cast<std::size_t>(ranks));
      }
      const isa::Array x = npy(scratch.file("x.npy"));
      EXPECT_EQ(npy(scratch.file("y.npy")).shape, x.shape);
      const isa::Array cells = npy(scratch.file("cells.npy"), isa::DType::int32);
      EXPECT_EQ(cells.dtype, isa::DType::int32);
      EXPECT_EQ(cells.shape, (std::vector<std::int64_t>{ranks, ranks, 1}));
      const isa::Array win = npy(scratch.file("win.npy"));
      EXPECT_EQ(win.dtype, isa::DType::fp32);
      ASSERT_EQ(win.shape, (std::vector<std::int64_t>{ranks, ranks, 64}));
      const Verdict::Staged staged = GetParam().staged;
      if (staged == Verdict::Staged::no) continue;
      // The timed machine stops with stores under way.
      if (staged == Verdict::Staged::untimed && std::string(engine) == "timed") continue;
      const std::size_t row = 64 * sizeof(float);
      for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) {
        const std::size_t own = (r * static_cast<std::size_t>(ranks) + r) * row;
        EXPECT_EQ(std::memcmp(&win.bytes[own], &x.bytes[r * row], row), 0) << "rank " << r;
      }
    }
  }
}

TEST_P(WhateverTheVerdict, EveryLaunchLeavesItsWindows) {
  const ScratchDir scratch;
  const Finished done = run(scratch, 3, {"--launches", "2", "--persistent"});
  EXPECT_EQ(done.status, GetParam().status) << done.err;
  EXPECT_EQ(npy(scratch.file("win.npy")).shape, (std::vector<std::int64_t>{3, 3, 64}));
  EXPECT_EQ(read_json(scratch.file("run.json"))["exit_status"], GetParam().status);
}

TEST_P(WhateverTheVerdict, CheckWritesJsonAndJunit) {
  const ScratchDir scratch;
  const std::string kernel = scratch.write("kernel.py", GetParam().kernel);
  std::vector<std::string> arguments{"check",   kernel,
                                     "--ranks", "2",
                                     "--seeds", "2",
                                     "--skews", "1",
                                     "-j",      "1",
                                     "--json",  scratch.file("check.json"),
                                     "--junit", scratch.file("check.xml")};
  const auto& options = GetParam().options;
  if (options.empty() || options.front() != "--golden")
    arguments.insert(arguments.end(), {"--golden", "y: x"});
  arguments.insert(arguments.end(), options.begin(), options.end());
  EXPECT_EQ(a2a3sim(arguments).status, GetParam().status);
  EXPECT_EQ(read_json(scratch.file("check.json"))["exit_status"], GetParam().status);
  EXPECT_TRUE(contains(read_file(scratch.file("check.xml")), "</testsuites>"));
}

INSTANTIATE_TEST_SUITE_P(Artefacts, WhateverTheVerdict, testing::ValuesIn(verdicts()),
                         [](const auto& verdict) { return verdict.param.name; });

TEST(Artefacts, AWindowHasTheNameOfItsBufferAndOfTheParameter) {
  const ScratchDir scratch;
  const std::string text = staged();
  for (const char* name : {"win", "win_buf"}) {
    const Finished done =
        run_edge(text, 3, {"--dump", std::string(name) + "=" + scratch.file("a.npy")});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(npy(scratch.file("a.npy")).shape, (std::vector<std::int64_t>{3, 3, 64}));
  }
  // Names that only the host function, or only what it dispatches, has for it.
  std::string renamed = replaced(text, "win = pld.window(win_buf", "seen = pld.window(win_buf");
  renamed = replaced(renamed, "chip(x[r], y[r], win,", "chip(x[r], y[r], seen,");
  renamed = replaced(renamed, "def chip(x, y, win, cells, r):\n    kernel(x, y, win, cells, r)",
                     "def chip(x, y, given, cells, r):\n    kernel(x, y, given, cells, r)");
  for (const char* name : {"seen", "given", "win", "win_buf"}) {
    const Finished done =
        run_edge(renamed, 3, {"--dump", std::string(name) + "=" + scratch.file("b.npy")});
    EXPECT_EQ(done.status, 0) << done.err;
    EXPECT_EQ(read_file(scratch.file("b.npy")), read_file(scratch.file("a.npy"))) << name;
  }
  const Finished wrong = run_edge(text, 3, {"--dump", "window=wim"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_TRUE(contains(wrong.err,
                       "--dump wim: the program has no tensor or window 'wim'; did you mean "
                       "'win'?"));
  EXPECT_TRUE(contains(wrong.err, "its tensors: x, y"));
  EXPECT_TRUE(contains(wrong.err, "its windows: win_buf (also: win), cells_buf (also: cells)"));
}

TEST(Artefacts, WindowIsShortForAFileOfItsName) {
  const ScratchDir scratch;
  const std::string kernel = scratch.write("kernel.py", staged());
  EXPECT_TRUE(contains(a2a3sim({"run", kernel, "--golden", "y: x", "--dump", "window=win", "--dump",
                                "win=" + scratch.file("w.npy")})
                           .err,
                       "win is given twice"));
}

/// What cannot be written is known before the run.
TEST(Artefacts, FilesThatCannotBeWrittenEndTheRunBeforeItBegins) {
  const ScratchDir scratch;
  const std::string kernel = scratch.write("kernel.py", staged());
  const std::string nowhere = scratch.file("no/file");
  for (const std::string& option : {std::string("--json"), std::string("--dump")}) {
    for (const std::string& path : {nowhere, scratch.file("")}) {
      const std::string value = option == "--dump" ? "win=" + path : path;
      const Finished done = a2a3sim({"run", kernel, "--golden", "y: x", option, value});
      EXPECT_EQ(done.status, 1);
      EXPECT_TRUE(contains(done.err, "cannot write " + path));
      EXPECT_EQ(done.out.find("received"), std::string::npos) << done.out;
    }
  }
  for (const std::string& option : {std::string("--json"), std::string("--junit")}) {
    const Finished done = a2a3sim({"check", kernel, "--golden", "y: x", option, nowhere});
    EXPECT_EQ(done.status, 1);
    EXPECT_TRUE(contains(done.err, option + ": cannot write"));
    EXPECT_EQ(done.out, "");
  }
  for (const std::string& option :
       {std::string("--csv"), std::string("--json"), std::string("--plot")}) {
    const Finished done = a2a3sim({"compare", "allgather", "--ranks", "2", option, nowhere});
    EXPECT_EQ(done.status, 1);
    EXPECT_TRUE(contains(done.err, option + ": cannot write"));
    EXPECT_EQ(done.out, "");
  }
}

}  // namespace
}  // namespace a2a3::test::artefacts_test
