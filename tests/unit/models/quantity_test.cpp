// SPDX-License-Identifier: Apache-2.0
#include "models/config/quantity.hpp"

#include <regex>

#include <gtest/gtest.h>

namespace a2a3::models::quantity_test {
namespace {

double value(const std::string& text, Quantity quantity) {
  const ParsedQuantity parsed = parse_quantity(text, quantity);
  EXPECT_EQ(parsed.error, "") << text;
  return parsed.value;
}

std::string error(const std::string& text, Quantity quantity) {
  return parse_quantity(text, quantity).error;
}

TEST(Quantity, Units) {
  EXPECT_EQ(value("192 KiB", Quantity::bytes), 192 * 1024);
  EXPECT_EQ(value("64GiB", Quantity::bytes), 64.0 * (1 << 30));
  EXPECT_EQ(value("1.5 kB", Quantity::bytes), 1500);
  EXPECT_EQ(value("28 GB/s", Quantity::bandwidth), 28e9);
  EXPECT_EQ(value("1.49 TB/s", Quantity::bandwidth), 1.49e12);
  EXPECT_DOUBLE_EQ(value("160 ns", Quantity::time), 160e-9);
  EXPECT_DOUBLE_EQ(value(" 0.16 us ", Quantity::time), 160e-9);
  EXPECT_EQ(value("1.85 GHz", Quantity::frequency), 1.85e9);
  EXPECT_EQ(value("264 cycles", Quantity::cycles), 264);
  EXPECT_EQ(value("1 cycle", Quantity::cycles), 1);
  EXPECT_EQ(value("2.11 cycles/repeat", Quantity::cycles_per_repeat), 2.11);
  EXPECT_EQ(value("128 B/cycle", Quantity::bytes_per_cycle), 128);
  EXPECT_EQ(value("48", Quantity::count), 48);
  EXPECT_EQ(value("0.93", Quantity::ratio), 0.93);
  EXPECT_DOUBLE_EQ(value("-3 ns", Quantity::time), -3e-9);
}

TEST(Quantity, Errors) {
  EXPECT_NE(error("28 GiB", Quantity::bandwidth).find("'GiB'"), std::string::npos);
  EXPECT_NE(error("28", Quantity::bandwidth).find("no unit"), std::string::npos);
  EXPECT_NE(error("28 gb/s", Quantity::bandwidth).find("did you mean 'GB/s'"), std::string::npos);
  EXPECT_NE(error("0.5 B", Quantity::bytes).find("not whole"), std::string::npos);
  EXPECT_NE(error("1.2", Quantity::count).find("not whole"), std::string::npos);
  EXPECT_NE(error("7 cores", Quantity::count).find("after the number"), std::string::npos);
  for (const char* text : {"", " ", "fast", "GB/s", "nan GB/s", "inf GB/s", "1e400 GB/s",
                           "--1 GB/s", "0x10 GB/s", "1,5 GB/s", "28 GB/s each"}) {
    EXPECT_NE(error(text, Quantity::bandwidth), "") << text;
  }
}

TEST(Quantity, ErrorsPointAtTheWrongPart) {
  const ParsedQuantity parsed = parse_quantity("28  Gbps", Quantity::bandwidth);
  EXPECT_EQ(parsed.error_begin, 4u);
  EXPECT_EQ(parsed.error_length, 4u);
}

TEST(Quantity, FormatIsShortAndReadsBack) {
  EXPECT_EQ(format_quantity(28e9, Quantity::bandwidth), "28 GB/s");
  EXPECT_EQ(format_quantity(160e-9, Quantity::time), "160 ns");
  EXPECT_EQ(format_quantity(2.5e-6, Quantity::time), "2.5 us");
  EXPECT_EQ(format_quantity(1, Quantity::time), "1 s");
  EXPECT_EQ(format_quantity(0, Quantity::time), "0 ns");
  EXPECT_EQ(format_quantity(1e-12, Quantity::time), "1 ps");
  EXPECT_EQ(format_quantity(196608, Quantity::bytes), "192 KiB");
  EXPECT_EQ(format_quantity(1000, Quantity::bytes), "1 kB");
  EXPECT_EQ(format_quantity(0, Quantity::bytes), "0 B");
  EXPECT_EQ(format_quantity(513, Quantity::bytes), "513 B");
  EXPECT_EQ(format_quantity(12345678901, Quantity::bytes), "12345678901 B");
  EXPECT_EQ(format_quantity(1.23456789012345, Quantity::ratio), "1.23456789012345");
  EXPECT_EQ(format_quantity(0.93, Quantity::ratio), "0.93");
  EXPECT_EQ(format_quantity(2.0032, Quantity::cycles_per_repeat), "2.0032 cycles/repeat");
  for (const double number : {1.0, 3.25, 999.0, 4096.0, 65537.0, 1e9, 123456789.0}) {
    for (const Quantity quantity : {Quantity::bandwidth, Quantity::frequency, Quantity::cycles}) {
      EXPECT_NEAR(value(format_quantity(number, quantity), quantity), number, number * 1e-9);
    }
  }
}

TEST(Quantity, SchemaPatternAcceptsWhatParses) {
  const std::regex pattern(unit_pattern(Quantity::bandwidth));
  for (const char* text : {"28 GB/s", "1.49TB/s", "5e11 B/s", ".5 GB/s"}) {
    EXPECT_TRUE(std::regex_match(text, pattern)) << text;
    EXPECT_EQ(error(text, Quantity::bandwidth), "") << text;
  }
  for (const char* text : {"28", "28 GHz", "GB/s", "-1 GB/s"}) {
    EXPECT_FALSE(std::regex_match(text, pattern)) << text;
  }
  EXPECT_EQ(unit_pattern(Quantity::count), "");
}

}  // namespace
}  // namespace a2a3::models::quantity_test
