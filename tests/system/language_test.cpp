// SPDX-License-Identifier: Apache-2.0
// A kernel that uses slices, arrays, tensor arithmetic, row sums and the cube: the same bytes with
// and without time, and what plain loops say.
#include <cstring>

#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::language_test {
namespace {

constexpr int kN = 32;

/// The FP32 elements of a .npy file.
std::vector<float> elements(const std::string& path) {
  const std::string file = read_file(path);
  if (file.size() < 10) return {};
  const std::size_t header =
      10 + static_cast<unsigned char>(file[8]) + 256u * static_cast<unsigned char>(file[9]);
  std::vector<float> values((file.size() - header) / sizeof(float));
  std::memcpy(values.data(), file.data() + header, values.size() * sizeof(float));
  return values;
}

/// y of one rank: its x times twice its left neighbour's. Integers below 2^24: exact in any order.
std::vector<float> product(const std::vector<float>& x, int rank, int ranks) {
  const float* own = x.data() + rank * kN * kN;
  const float* left = x.data() + (rank + ranks - 1) % ranks * kN * kN;
  std::vector<float> y(kN * kN);
  for (int m = 0; m < kN; ++m) {
    for (int n = 0; n < kN; ++n) {
      for (int k = 0; k < kN; ++k)
        y[static_cast<std::size_t>(m * kN + n)] += own[m * kN + k] * 2 * left[k * kN + n];
    }
  }
  return y;
}

class LanguageTour : public testing::TestWithParam<int> {};

TEST_P(LanguageTour, BothEnginesGiveWhatPlainLoopsSay) {
  const int ranks = GetParam();
  const ScratchDir scratch;
  for (const std::string engine : {"timed", "untimed"}) {
    const Finished run = a2a3sim(
        {"run", "tests/system/data/language_tour.py", "-d", devices(ranks), "--engine", engine,
         "--input", "x: uniform_int(seed=11, low=-50, high=50)", "--dump",
         "x=" + scratch.file(engine + "_x.npy"), "--dump", "y=" + scratch.file(engine + "_y.npy"),
         "--dump", "sums=" + scratch.file(engine + "_sums.npy")});
    ASSERT_EQ(run.status, 0) << run.err;
    const std::vector<float> x = elements(scratch.file(engine + "_x.npy"));
    const std::vector<float> y = elements(scratch.file(engine + "_y.npy"));
    const std::vector<float> sums = elements(scratch.file(engine + "_sums.npy"));
    ASSERT_EQ(x.size(), static_cast<std::size_t>(ranks * kN * kN));
    ASSERT_EQ(y.size(), x.size());
    ASSERT_EQ(sums.size(), static_cast<std::size_t>(ranks * kN));
    for (int rank = 0; rank < ranks; ++rank) {
      const std::vector<float> expected = product(x, rank, ranks);
      for (int i = 0; i < kN * kN; ++i) {
        ASSERT_EQ(y[static_cast<std::size_t>(rank * kN * kN + i)],
                  expected[static_cast<std::size_t>(i)])
            << engine << " rank " << rank << " element " << i;
      }
      for (int i = 0; i < kN; ++i) {
        float sum = 0;
        for (int n = 0; n < kN; ++n)
          sum += expected[static_cast<std::size_t>(i * kN + n)];
        ASSERT_EQ(sums[static_cast<std::size_t>(rank * kN + i)], sum) << engine << " row " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, LanguageTour, testing::Values(1, 2, 3, 4, 5, 7, 8));

TEST(Language, TheCardShowsTheCube) {
  const ScratchDir scratch;
  const Finished run = a2a3sim({"run", "tests/system/data/language_tour.py", "-d", "0,1", "--json",
                                scratch.file("card.json")});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "M cube"));
  EXPECT_GT(read_json(scratch.file("card.json"))["ranks"][0]["busy_cube_ps"], 0);
}

TEST(Language, TheTourIsAGoldenOfTwoLines) {
  const auto run = [](const std::string& sums) {
    return a2a3sim({"run", "tests/system/data/language_tour.py", "-d", "0-4", "--quiet", "--input",
                    "x: uniform_int(seed=11, low=-50, high=50)", "--golden",
                    "y: matmul(x, 2 * x[(r - 1) % P])", "--golden", "sums: " + sums});
  };
  const std::string product = "matmul(x, 2 * x[(r - 1) % P])";
  const Finished right = run("reduce_sum(" + product + ", 1)");
  EXPECT_EQ(right.status, 0) << right.err;
  EXPECT_EQ(right.out, "OK\n");
  const Finished joined = run("join(reduce_sum(" + product + "[0:16], 1), reduce_sum(" + product +
                              "[16:], 1), axis=0)");
  EXPECT_EQ(joined.status, 0) << joined.err;
  EXPECT_EQ(run("reduce_sum(" + product + ", 0)").status, 2);
}

TEST(Language, TheTextPrintsAndRunsAgain) {
  const ScratchDir scratch;
  const Finished lowered = a2a3sim({"lower", "tests/system/data/language_tour.py", "-d", "0,1,2"});
  ASSERT_EQ(lowered.status, 0) << lowered.err;
  const std::string again = scratch.write("again.py", lowered.out);
  const std::string y = scratch.file("y.npy");
  const std::string y2 = scratch.file("y2.npy");
  const std::string input = "x: uniform_int(seed=5, low=-9, high=9)";
  const Finished first = a2a3sim({"run", "tests/system/data/language_tour.py", "-d", "0,1,2",
                                  "--input", input, "--dump", "y=" + y});
  const Finished second =
      a2a3sim({"run", again, "-d", "0,1,2", "--input", input, "--dump", "y=" + y2});
  ASSERT_EQ(first.status, 0) << first.err;
  ASSERT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(read_file(y), read_file(y2));
}

}  // namespace
}  // namespace a2a3::test::language_test
