// SPDX-License-Identifier: Apache-2.0
// Every example in every mode as a user runs it, on both engines. All rank counts and sizes, and
// the folders within examples/, are in matrix_test.cpp.
#include <algorithm>

#include <gtest/gtest.h>

#include "program.hpp"

namespace a2a3::test::examples_test {
namespace {

struct Example {
  std::string file;
  std::string mode;   ///< empty: it has none
  bool sized = true;  ///< has a SIZE to set
};

const std::vector<Example> kExamples = {
    {"01_hello_rank", "", false},
    {"02_programming_model", ""},
    {"03_window_buffer", ""},
    {"04_barrier", "hand", false},
    {"04_barrier", "builtin", false},
    {"05_remote_load_store", "load"},
    {"05_remote_load_store", "store"},
    {"06_put_get", "put"},
    {"06_put_get", "put_chunked"},
    {"06_put_get", "put_pipelined"},
    {"06_put_get", "get"},
    {"06_put_get", "get_chunked"},
    {"06_put_get", "get_pipelined"},
    {"07_dynamic_rank_count", ""},
    {"08_allreduce_mesh", ""},
    {"09_allreduce_two_phase", ""},
    {"10_allreduce_ring", ""},
    {"11_allreduce_reveal", "mesh"},
    {"11_allreduce_reveal", "ring"},
    {"11_allreduce_reveal", "hand_mesh"},
    {"11_allreduce_reveal", "hand_ring"},
    {"12_broadcast", "hand"},
    {"12_broadcast", "builtin"},
    {"13_allgather", "hand"},
    {"13_allgather", "builtin"},
    {"14_reduce_scatter", "hand"},
    {"14_reduce_scatter", "builtin"},
    {"15_all_to_all", "hand"},
    {"15_all_to_all", "builtin"},
    {"host_collectives", "allreduce"},
    {"host_collectives", "no_signal"},
    {"host_collectives", "broadcast"},
    {"host_collectives", "cores"},
    {"host_collectives", "barrier"},
    {"host_rows", "allgather"},
    {"host_rows", "all_to_all"},
    {"host_rows", "reduce_scatter"},
    {"host_ring", ""},
    {"host_all_to_all_v", "", false},
    {"16_putting_it_together", "default"},
    {"16_putting_it_together", "one_signal"},
};

using Case = std::tuple<Example, int>;

std::string case_name(const testing::TestParamInfo<Case>& info) {
  const auto& [example, ranks] = info.param;
  return "e" + example.file + (example.mode.empty() ? "" : "_" + example.mode) + "_p" +
         std::to_string(ranks);
}

class Examples : public testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] static std::vector<std::string> command(const std::string& size) {
    const auto& [example, ranks] = GetParam();
    std::vector<std::string> arguments{"run", "examples/" + example.file + ".py", "-d",
                                       devices(ranks)};
    if (!example.mode.empty()) arguments.insert(arguments.end(), {"--mode", example.mode});
    if (example.sized) arguments.insert(arguments.end(), {"--set", "SIZE=" + size});
    return arguments;
  }
  [[nodiscard]] static std::vector<std::string> sizes() {
    if (!std::get<0>(GetParam()).sized) return {""};
    return {"17"};
  }
};

TEST_P(Examples, IsRightOnTheTimedMachine) {
  for (const std::string& size : sizes()) {
    SCOPED_TRACE("SIZE=" + size);
    const Finished run = a2a3sim(command(size));
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.last_line(), "OK");
  }
}

TEST_P(Examples, IsRightOnTheReferenceExecutor) {
  for (const std::string& size : sizes()) {
    SCOPED_TRACE("SIZE=" + size);
    for (const std::string seed : {"", "1", "2"}) {
      std::vector<std::string> arguments = command(size);
      arguments.insert(arguments.end(), {"--engine", "untimed", "--quiet"});
      if (!seed.empty()) arguments.insert(arguments.end(), {"--seed", seed});
      const Finished run = a2a3sim(arguments);
      EXPECT_EQ(run.status, 0);
      // All there is to say is that this engine holds no claim.
      const std::size_t warning = run.err.find("warning: the claimed traffic is not checked");
      EXPECT_TRUE(run.err.empty() || warning != std::string::npos) << run.err;
      EXPECT_EQ(run.err.find("warning: ", warning + 1), std::string::npos) << run.err;
      EXPECT_EQ(run.err.find("error: "), std::string::npos) << run.err;
      EXPECT_EQ(run.out, "OK\n");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ladder, Examples,
                         testing::Combine(testing::ValuesIn(kExamples),
                                          testing::Values(1, 2, 3, 4, 5, 7, 8)),
                         case_name);

TEST(Examples, AllAreTested) {
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(A2A3_SOURCE_DIR) / "examples")) {
    if (entry.path().extension() != ".py") continue;
    const std::string name = entry.path().stem();
    EXPECT_TRUE(std::ranges::any_of(kExamples, [&](const Example& e) { return e.file == name; }))
        << name;
    EXPECT_TRUE(
        std::filesystem::exists(std::filesystem::path(entry.path()).replace_extension(".yaml")))
        << name << " has no run file";
  }
}

}  // namespace
}  // namespace a2a3::test::examples_test
