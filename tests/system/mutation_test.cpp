// SPDX-License-Identifier: Apache-2.0
// Wrong kernels must not print OK: mutations of the allgather.
#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::mutation_test {
namespace {

class Mutation : public testing::Test {
 protected:
  /// Runs the allgather after a change of its text.
  Finished run(const std::string& from, const std::string& to,
               const std::vector<std::string>& more = {}) {
    const std::string kernel = scratch_.write("13_allgather.py", replaced(original_, from, to));
    scratch_.write("13_allgather.yaml", read_file(example("13_allgather.yaml")));
    std::vector<std::string> arguments{"run", kernel, "-d", "0,1,2,3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return a2a3sim(arguments);
  }
  [[nodiscard]] static std::filesystem::path example(const std::string& name) {
    return std::filesystem::path(A2A3_SOURCE_DIR) / "examples" / name;
  }
  /// The whole lines from the one that begins with `begin` up to before the one with `end`.
  [[nodiscard]] std::string lines(const std::string& begin, const std::string& end) const {
    const std::size_t first = original_.rfind('\n', original_.find(begin)) + 1;
    const std::size_t last = original_.rfind('\n', original_.find(end)) + 1;
    return original_.substr(first, last - first);
  }

  ScratchDir scratch_;
  std::string original_ = read_file(example("13_allgather.py"));
};

TEST_F(Mutation, TheOriginalIsRight) {
  EXPECT_EQ(run("# Phase 1", "# Phase 1").last_line(), "OK");
}

TEST_F(Mutation, GatherOffsetOfTheNextRank) {
  const Finished wrong = run("[0, peer * SIZE], y)", "[0, (peer + 1) % nranks * SIZE], y)");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.last_line(), "OK");
  EXPECT_TRUE(contains(wrong.err, "y is not concat(x) on ranks 0-3"));
}

TEST_F(Mutation, GatherOffsetBeyondTheOutput) {
  const Finished wrong = run("[0, peer * SIZE], y)", "[0, (peer + 1) * SIZE], y)");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_TRUE(contains(wrong.err, "13_allgather.py:"));
}

TEST_F(Mutation, OwnWindowInsteadOfThePeers) {
  const Finished wrong = run("data, peer=peer, offsets=[peer, 0], shape",
                             "data, peer=my_rank, offsets=[peer, 0], shape");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_TRUE(contains(wrong.err, "y is not concat(x)"));
}

TEST_F(Mutation, NoBarrier) {
  // Whether or not the data was in time.
  const std::string barrier = lines("# Phase 2", "# Phase 3");
  EXPECT_EQ(run(barrier, "").status, 4);
  const Finished wrong = run(barrier, "", {"--skew", "rank=1:50us"});
  EXPECT_EQ(wrong.status, 4);
  EXPECT_NE(wrong.last_line(), "OK");
  EXPECT_TRUE(contains(wrong.err, "error: race: "));
  EXPECT_TRUE(contains(wrong.err, "y is not concat(x)"));
  EXPECT_EQ(run(barrier, "", {"--skew", "rank=1:50us", "--no-race-check"}).status, 2);
}

TEST_F(Mutation, TheBarrierHoldsUnderSkew) {
  EXPECT_EQ(run("# Phase 1", "# Phase 1", {"--skew", "rank=1:50us"}).last_line(), "OK");
}

TEST_F(Mutation, WaitOnTheWrongCell) {
  const std::string wait = "pld.system.wait(signal, offsets=[src, 0]";
  const Finished wrong = run(wait, "pld.system.wait(signal, offsets=[my_rank, 0]");
  EXPECT_EQ(wrong.status, 3);
  EXPECT_NE(wrong.last_line(), "OK");
  EXPECT_TRUE(contains(wrong.err, "deadlock: 4 of 4 ranks wait"));
  for (const std::string rank : {"0", "1", "2", "3"}) {
    EXPECT_TRUE(contains(wrong.err, "rank " + rank + " waits for signal[" + rank + ", 0]"));
  }
  EXPECT_TRUE(contains(wrong.err, "to be at least 1; it is 0"));
  // The cell that did get the credit, from whom.
  EXPECT_TRUE(contains(wrong.err, "on rank 0, signal[1, 0] got +1 from rank 1"));
  EXPECT_TRUE(contains(wrong.err, "on rank 3, signal[0, 0] got +1 from rank 0"));
  EXPECT_TRUE(contains(wrong.err, "13_allgather.py:"));
  EXPECT_TRUE(contains(wrong.err, "pld.system.wait(signal, offsets=[my_rank, 0]"));
  EXPECT_TRUE(contains(wrong.err, "pld.system.notify("));
}

TEST_F(Mutation, MissingNotify) {
  const std::string notify = lines("pld.system.notify(", "for src in pl.range(nranks):");
  const std::string loop = "                if peer != my_rank:\n" + notify;
  const Finished wrong = run(loop, "                peer_seen = peer\n");
  EXPECT_EQ(wrong.status, 3);
  EXPECT_TRUE(contains(wrong.err, "nobody ever signalled"));
  EXPECT_TRUE(contains(wrong.err, "ranks 1-3 wait for signal[0, 0]"));
}

TEST_F(Mutation, ARankThatFinishesWithoutItsNotifyIsNamed) {
  const std::string notify = lines("pld.system.notify(", "for src in pl.range(nranks):");
  const std::string loop = "                if peer != my_rank:\n" + notify;
  const Finished wrong =
      run(loop, "                if peer != my_rank and my_rank != 3:\n" + notify);
  EXPECT_EQ(wrong.status, 3);
  EXPECT_TRUE(contains(wrong.err, "deadlock: 3 of 4 ranks wait"));
  EXPECT_TRUE(contains(wrong.err, "rank 3 finished without a notify to signal[3, 0] of rank 0"));
}

TEST_F(Mutation, TimeWaitedInADeadlockCounts) {
  const std::string json = scratch_.file("card.json");
  EXPECT_EQ(run("offsets=[src, 0]", "offsets=[my_rank, 0]", {"--json", json}).status, 3);
  const auto card = read_json(json);
  std::int64_t waited = 0;
  for (const auto& blocked : card["blocked"]) {
    const auto& rank = card["ranks"][blocked["rank"].get<std::size_t>()];
    EXPECT_EQ(rank["total_ps"], card["total"]["total_ps"]);
    EXPECT_EQ(rank["waiting_ps"].get<std::int64_t>(),
              rank["total_ps"].get<std::int64_t>() - blocked["since_ps"].get<std::int64_t>());
    EXPECT_EQ(rank["phases"].back()["waiting_ps"], rank["waiting_ps"]);
    waited += rank["waiting_ps"].get<std::int64_t>();
  }
  EXPECT_GT(waited, 0) << "the last rank to begin its wait can begin it when nothing runs any more";
}

TEST_F(Mutation, AFaultOfAllRanksIsOneError) {
  const std::string json = scratch_.file("card.json");
  for (const auto& [row, figures] :
       {std::pair<std::string, bool>{"nranks", false}, {"src + nranks", true}}) {
    const Finished wrong = run("offsets=[src, 0]", "offsets=[" + row + ", 0]", {"--json", json});
    EXPECT_EQ(wrong.status, 1);
    EXPECT_EQ(wrong.err.find("error:"), wrong.err.rfind("error:")) << wrong.err;
    EXPECT_TRUE(contains(wrong.err, "on devices 0-3 (ranks 0-3 of 4)"));
    EXPECT_EQ(wrong.err.find("the figures are those of device") != std::string::npos, figures);
    EXPECT_TRUE(contains(wrong.out, "what it cost until then"));
    EXPECT_EQ(read_json(json)["diagnostics"].size(), 1);
    EXPECT_EQ(read_json(json)["ranks"].size(), 4);
  }
}

TEST_F(Mutation, DeadlockOnTheReferenceExecutor) {
  const std::string wait = "pld.system.wait(signal, offsets=[src, 0]";
  const Finished wrong =
      run(wait, "pld.system.wait(signal, offsets=[my_rank, 0]", {"--engine", "untimed"});
  EXPECT_EQ(wrong.status, 3);
  EXPECT_TRUE(contains(wrong.err, "rank 2 waits for signal[2, 0]"));
  EXPECT_TRUE(contains(wrong.err, "on rank 0, signal[1, 0] got +1 from rank 1"));
}

TEST_F(Mutation, FilesAreWrittenWhateverTheVerdict) {
  const std::string json = scratch_.file("card.json");
  const std::string y = scratch_.file("y.npy");
  const std::vector<std::string> files{"--json", json, "--dump", "y=" + y};

  EXPECT_EQ(run("offsets=[src, 0]", "offsets=[my_rank, 0]", files).status, 3);
  EXPECT_EQ(read_json(json)["verdict"], "deadlock");
  EXPECT_EQ(read_json(json)["exit_status"], 3);
  EXPECT_EQ(read_json(json)["blocked"].size(), 4);
  EXPECT_GT(read_json(json)["total"]["total_ps"], 0);
  EXPECT_TRUE(std::filesystem::exists(y));

  EXPECT_EQ(
      run("peer=peer, offsets=[peer, 0], shape", "peer=my_rank, offsets=[peer, 0], shape", files)
          .status,
      2);
  EXPECT_EQ(read_json(json)["verdict"], "wrong result");
  EXPECT_FALSE(read_json(json)["goldens"][0]["right"].get<bool>());

  EXPECT_EQ(run("pld.rank(ctx)", "pld.rankk(ctx)", files).status, 1);
  EXPECT_EQ(read_json(json)["verdict"], "wrong input");
  EXPECT_FALSE(read_json(json)["diagnostics"].empty());
}

}  // namespace
}  // namespace a2a3::test::mutation_test
