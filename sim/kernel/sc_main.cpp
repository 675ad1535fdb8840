// SPDX-License-Identifier: Apache-2.0
#include <systemc>

/// The SystemC library refers to it; programs of ours have a main of their own and never come here.
int sc_main(int /*argc*/, char* /*argv*/[]) {
  return 0;
}
