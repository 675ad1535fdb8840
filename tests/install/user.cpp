// SPDX-License-Identifier: Apache-2.0
#include <a2a3/simulate.hpp>

// Naming the entry is enough to pull in every library behind it.
int main() {
  return &a2a3::simulate == nullptr ? 1 : 0;
}
