// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tools/run_options.hpp"

namespace a2a3::test {

/// One mode of the run file of one example.
struct ExampleMode {
  std::string file;  ///< relative to the source tree
  std::string mode;
  bool has_size = false;  ///< the number of elements of a row is a constant SIZE

  friend std::ostream& operator<<(std::ostream& out, const ExampleMode& one);
};

[[nodiscard]] std::vector<ExampleMode> all_modes();

/// Options of a run with rows of 17 elements, where the example has them, whose goldens are not
/// computed.
[[nodiscard]] tools::RunOptions measuring_run(const ExampleMode& one, int ranks);

[[nodiscard]] std::string mode_name(const testing::TestParamInfo<ExampleMode>& at);

}  // namespace a2a3::test
