// SPDX-License-Identifier: Apache-2.0
#include "isa/contents/written_bytes.hpp"

#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace a2a3::isa::written_bytes_test {
namespace {

std::string gaps(const WrittenBytes& bytes, std::uint64_t begin, std::uint64_t size) {
  std::string text;
  bytes.for_each_gap({0, begin}, size, [&](GlobalAddress gap, std::uint64_t count) {
    text += fmt::format("{}{}+{}", text.empty() ? "" : " ", gap.offset_bytes, count);
  });
  return text;
}

WrittenBytes one_device(std::uint64_t max_records = 1000) {
  return {1, max_records,
          [](GlobalAddress address) { return address.offset_bytes < 100 ? 0 : -1; }};
}

TEST(WrittenBytes, GapsAreWhatLiesBetweenTheWrites) {
  WrittenBytes bytes = one_device();
  EXPECT_EQ(gaps(bytes, 8, 8), "8+8");
  bytes.write({0, 16}, 8);
  bytes.write({0, 32}, 8);
  EXPECT_EQ(gaps(bytes, 0, 64), "0+16 24+8 40+24");
  EXPECT_EQ(gaps(bytes, 20, 14), "24+8");
  EXPECT_EQ(gaps(bytes, 16, 8), "");
  bytes.write({0, 20}, 14);
  EXPECT_EQ(gaps(bytes, 0, 64), "0+16 40+24");
  bytes.write({0, 48}, 0);
  EXPECT_EQ(gaps(bytes, 40, 8), "40+8");
}

TEST(WrittenBytes, AreThoseOfAnArrayOfFlags) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    WrittenBytes bytes = one_device();
    std::vector<bool> flags(64, false);
    for (int i = 0; i < 12; ++i) {
      const std::uint64_t begin = random() % 60;
      const std::uint64_t size = random() % (64 - begin);
      bytes.write({0, begin}, size);
      for (std::uint64_t b = begin; b < begin + size; ++b)
        flags[b] = true;
    }
    std::vector<bool> seen(64, true);
    bytes.for_each_gap({0, 0}, 64, [&](GlobalAddress gap, std::uint64_t count) {
      for (std::uint64_t b = gap.offset_bytes; b < gap.offset_bytes + count; ++b)
        seen[b] = false;
    });
    EXPECT_EQ(seen, flags);
  }
}

TEST(WrittenBytes, ReadsAreToldApartByLineAndPartOfMemory) {
  WrittenBytes bytes = one_device();
  bytes.write({0, 0}, 16);
  bytes.read(0, 10, {0, 0}, 16);
  EXPECT_TRUE(bytes.reads().empty());
  bytes.read(0, 10, {0, 8}, 16);
  bytes.read(1, 10, {0, 64}, 4);
  bytes.read(0, 10, {0, 200}, 4);
  bytes.read(0, 11, {0, 200}, 4);
  const auto reads = bytes.reads();
  ASSERT_EQ(reads.size(), 3U);
  EXPECT_EQ(reads[0].region, -1);
  EXPECT_FALSE(reads[0].remote);
  EXPECT_EQ(reads[1].address.offset_bytes, 16U);
  EXPECT_EQ(reads[1].bytes, 8U);
  EXPECT_EQ(reads[1].count, 2U);
  EXPECT_EQ(reads[1].readers, (std::set<std::uint32_t>{0, 1}));
  EXPECT_TRUE(reads[1].remote);
  EXPECT_EQ(reads[2].source, 11U);
}

TEST(WrittenBytes, AnAtomicAddReadsWhatBeginsWithAnything) {
  WrittenBytes bytes = one_device();
  const auto add = [&](SourceId source, std::uint64_t begin) {
    bytes.on_access({0, 0, 0, source}, AccessKind::atomic_add, {0, begin}, 8);
  };
  add(10, 8);
  EXPECT_TRUE(bytes.reads().empty()) << "region 0 begins with zeros";
  EXPECT_EQ(gaps(bytes, 0, 24), "0+8 16+8");
  add(11, 200);
  add(12, 200);
  const auto reads = bytes.reads();
  ASSERT_EQ(reads.size(), 1U) << "what was added to once is told once";
  EXPECT_TRUE(reads[0].adds);
  EXPECT_EQ(reads[0].source, 11U);
  EXPECT_EQ(reads[0].address.offset_bytes, 200U);
}

TEST(WrittenBytes, TellNothingMoreBeyondTheirBound) {
  constexpr std::uint64_t kPage = 4096;
  WrittenBytes bytes = one_device(100);
  bytes.read(0, 10, {0, 200}, 4);
  for (std::uint64_t page = 0; page < 10; ++page)
    bytes.write({0, page * kPage}, 4);
  EXPECT_TRUE(bytes.is_complete());
  EXPECT_EQ(gaps(bytes, 0, 8), "4+4");
  for (std::uint64_t page = 10; page < 20; ++page)
    bytes.write({0, page * kPage}, 4);
  EXPECT_FALSE(bytes.is_complete());
  EXPECT_EQ(gaps(bytes, 0, 8), "");
  bytes.read(0, 11, {0, 200}, 4);
  ASSERT_EQ(bytes.reads().size(), 1U);
  EXPECT_EQ(bytes.reads()[0].source, 10U) << "what was found before";
}

TEST(WrittenBytes, AMemoryThatIsWrittenAsAWholeNeedsLittle) {
  WrittenBytes bytes = one_device(200);
  for (std::uint64_t at = 0; at < 1'000'000; at += 100)
    bytes.write({0, at}, 100);
  EXPECT_TRUE(bytes.is_complete());
  EXPECT_EQ(gaps(bytes, 0, 1'000'001), "1000000+1");
}

}  // namespace
}  // namespace a2a3::isa::written_bytes_test
