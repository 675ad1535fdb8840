// SPDX-License-Identifier: Apache-2.0
#include "tools/program.hpp"

int main(int argc, char** argv) {
  return static_cast<int>(a2a3::tools::run_program(argc, argv));
}
