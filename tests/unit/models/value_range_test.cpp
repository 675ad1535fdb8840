// SPDX-License-Identifier: Apache-2.0
#include "models/value_range.hpp"

#include <gtest/gtest.h>

namespace a2a3::models::value_range_test {
namespace {

using Values = std::vector<std::string>;

TEST(ValueRange, StepsAddOrMultiply) {
  EXPECT_EQ(parse_range("2..5")->values, (Values{"2", "3", "4", "5"}));
  EXPECT_EQ(parse_range("0..25 by 10")->values, (Values{"0", "10", "20"}));
  EXPECT_EQ(parse_range("3..48 times 2")->values, (Values{"3", "6", "12", "24", "48"}));
  EXPECT_EQ(parse_range(" 7 .. 7 ")->values, (Values{"7"}));
  EXPECT_EQ(parse_range("18446744073709551610..18446744073709551615 by 4")->values.size(), 2u);
}

TEST(ValueRange, OtherTextsAreNone) {
  for (const char* text : {"a2", "../../k.py", "17", "", "x..y", "k..2"})
    EXPECT_FALSE(parse_range(text)) << text;
}

TEST(ValueRange, ErrorsSayWhatIsWrong) {
  const auto error = [](const char* text) { return parse_range(text)->error; };
  EXPECT_NE(error("5..2").find("backwards"), std::string::npos);
  EXPECT_NE(error("0..8 times 2").find("never reaches its end"), std::string::npos);
  EXPECT_NE(error("1..8 times 1").find("never reaches its end"), std::string::npos);
  EXPECT_NE(error("1..8 by 0").find("never reaches its end"), std::string::npos);
  EXPECT_NE(error("1..x").find("no range of whole numbers"), std::string::npos);
  EXPECT_NE(error("1..8 per 2").find("no range of whole numbers"), std::string::npos);
  EXPECT_NE(error("1..1000000").find("more than"), std::string::npos);
  EXPECT_TRUE(parse_range("1..1000000")->values.empty());
}

}  // namespace
}  // namespace a2a3::models::value_range_test
