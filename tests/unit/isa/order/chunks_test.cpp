// SPDX-License-Identifier: Apache-2.0
#include "isa/order/chunks.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace a2a3::isa::chunks_test {
namespace {

std::vector<std::string> values(const Chunks<std::string>& chunks) {
  std::vector<std::string> all;
  for (const std::string& one : chunks)
    all.push_back(one);
  return all;
}

std::vector<std::string> fill(Chunks<std::string>& chunks, std::size_t count) {
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < count; ++i) {
    expected.push_back("entry " + std::to_string(i));
    chunks.add() = expected.back();
  }
  return expected;
}

TEST(Chunks, KeepTheirEntriesInOrderAndInPlace) {
  for (const std::size_t count : {0, 1, 63, 64, 65, 1000}) {
    Chunks<std::string> chunks;
    chunks.grow(1);
    const std::string* const first = &chunks[0];
    chunks[0] = "first";
    const std::vector<std::string> rest = fill(chunks, count);
    EXPECT_EQ(first, &chunks[0]);
    EXPECT_EQ(chunks.size(), count + 1);
    std::vector<std::string> expected{"first"};
    expected.insert(expected.end(), rest.begin(), rest.end());
    EXPECT_EQ(values(chunks), expected);
  }
}

TEST(Chunks, GrowByNewEntriesOnly) {
  Chunks<std::string> chunks;
  EXPECT_EQ(chunks.grow(70), 70U);
  EXPECT_EQ(chunks.grow(70), 0U);
  EXPECT_EQ(chunks.grow(3), 0U);
  EXPECT_EQ(chunks.grow(71), 1U);
  EXPECT_EQ(values(chunks), std::vector<std::string>(71));
}

TEST(Chunks, ACopyIsOneOfItsOwn) {
  Chunks<std::string> chunks;
  const std::vector<std::string> expected = fill(chunks, 100);
  const Chunks<std::string> copy = chunks;
  for (std::string& one : chunks)
    one = "changed";
  EXPECT_EQ(values(copy), expected);
  Chunks<std::string> moved = std::move(chunks);
  EXPECT_EQ(moved[99], "changed");
  moved = copy;
  EXPECT_EQ(values(moved), expected);
  moved = {};
  EXPECT_EQ(moved.size(), 0U);
  EXPECT_EQ(values(copy), expected);
}

}  // namespace
}  // namespace a2a3::isa::chunks_test
