// SPDX-License-Identifier: Apache-2.0
// Values of goldens that an output cannot hold, and how much work a golden may be.
#include <cmath>

#include <gtest/gtest.h>

#include "models/golden.hpp"

namespace a2a3::models::golden_fit_test {
namespace {

using isa::Array;
using isa::DType;
using Values = std::vector<double>;

/// Three ranks: x[r] = [10r, 10r+1], m[r] is 3x2 with 100r + 10row + col.
class GoldenFit : public testing::Test {
 protected:
  GoldenFit() {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 2; ++c)
        x_.set(2 * r + c, 10 * r + c);
      for (int i = 0; i < 6; ++i)
        m_.set(6 * r + i, 100 * r + 10 * (i / 2) + i % 2);
    }
    scope_.ranks = 3;
    scope_.tensors = {{"x", &x_}, {"m", &m_}};
  }

  Values evaluate(const std::string& text, std::vector<std::int64_t> slice,
                  DType dtype = DType::fp32) {
    slice.insert(slice.begin(), 3);
    ir::Diagnostics diagnostics;
    const auto golden = Golden::parse(text, "y", diagnostics);
    const auto result = golden->evaluate(scope_, dtype, slice, diagnostics);
    Values values;
    for (std::int64_t i = 0; result && i < result->elements(); ++i)
      values.push_back(result->at(i));
    EXPECT_TRUE(result) << text << "\n" << format(diagnostics);
    return values;
  }

  /// The first error's message and column.
  std::pair<std::string, std::uint32_t> error(const std::string& text,
                                              std::vector<std::int64_t> slice = {1, 2},
                                              const GoldenLimits& limits = {},
                                              DType dtype = DType::fp32) {
    slice.insert(slice.begin(), 3);
    ir::Diagnostics diagnostics;
    const auto golden = Golden::parse(text, "y", diagnostics);
    EXPECT_FALSE(golden->evaluate(scope_, dtype, slice, diagnostics, limits)) << text;
    if (!diagnostics.has_errors()) return {};
    return {diagnostics.all().front().message, diagnostics.all().front().location.column};
  }
  std::string message(const std::string& text, DType dtype) {
    return error(text, {2}, {}, dtype).first;
  }

  Array x_{DType::fp32, {3, 1, 2}};
  Array m_{DType::fp32, {3, 3, 2}};
  GoldenScope scope_;
};

TEST_F(GoldenFit, IntegersThatADoubleDoesNotHoldAreRefused) {
  EXPECT_EQ(evaluate("9007199254740991 - r", {1}, DType::int64)[1], 9007199254740990.0);
  EXPECT_EQ(evaluate("9007199254740992", {1}, DType::fp32)[0], 9007199254740992.0);
  for (const DType dtype : {DType::int64, DType::uint64}) {
    EXPECT_NE(
        message("9007199254740991 + r", dtype).find("element 0 of rank 1 is 9007199254740992"),
        std::string::npos);
    EXPECT_NE(message("-9007199254740992", dtype).find("element 0 of rank 0"), std::string::npos);
  }
}

TEST_F(GoldenFit, IntegersThatTheDtypeDoesNotHoldAreRefused) {
  EXPECT_EQ(message("x + 4294967296", DType::int32),
            "element 0 of rank 0 is 4294967296: INT32 holds -2147483648 to 2147483647");
  EXPECT_EQ(message("127.25 + where(r == 2, 0.25, 0)", DType::int8),
            "element 0 of rank 2 is 127.5: INT8 holds -128 to 127");
  EXPECT_EQ(message("-1 * (r == 1)", DType::uint8),
            "element 0 of rank 1 is -1: UINT8 holds 0 to 255");
  EXPECT_EQ(message("0 / 0", DType::int16),
            "element 0 of rank 0 is not a number: INT16 holds whole numbers only");
  EXPECT_EQ(message("1 / (r - 1)", DType::int64),
            "element 0 of rank 1 is infinite: INT64 holds whole numbers only");
  EXPECT_EQ(message("-1", DType::uint64), "element 0 of rank 0 is -1: UINT64 does not hold it");
  // Nothing is lost at the ends, in floating point, and where the golden says that it wraps.
  EXPECT_EQ(evaluate("255 - 128 * r + 1 * (r == 2)", {1}, DType::int16), (Values{255, 127, 0}));
  EXPECT_EQ(evaluate("-128", {1}, DType::int8), Values(3, -128));
  EXPECT_EQ(evaluate("cast(x + 4294967296, INT32)", {1, 2}, DType::int32),
            (Values{0, 1, 10, 11, 20, 21}));
  EXPECT_TRUE(std::isnan(evaluate("0 / 0", {1})[0]));
}

TEST_F(GoldenFit, AValueOfAnotherShapeIsRefused) {
  using Error = std::pair<std::string, std::uint32_t>;
  EXPECT_EQ(error("stack(x)", {1, 6}),
            Error("the golden is [3, 1, 2] on rank 0, the output's part there [1, 6]", 1));
  EXPECT_EQ(error("reshape(m[0], 2, 3)", {3, 2}).first,
            "the golden is [2, 3] on rank 0, the output's part there [3, 2]");
  // Axes of extent 1 do not count, wherever they stand.
  EXPECT_EQ(evaluate("arange(P)", {3, 1}), evaluate("reshape(arange(P), 1, 1, 3)", {1, 3}));
}

TEST_F(GoldenFit, Limits) {
  EXPECT_NE(error("zeros(1000000000, 1000000000, 1000000000)").first.find("--max-golden-elements"),
            std::string::npos);
  EXPECT_NE(error("matmul(reshape(m[0], 6, 1), reshape(m[0], 1, 6))", {6, 6}, {30})
                .first.find("[6, 6] has more elements than the limit of 30"),
            std::string::npos);
  const auto limit = [](std::int64_t operations) {
    return GoldenLimits{.max_operations = operations};
  };
  EXPECT_EQ(error("matmul(zeros(4000, 4000), ones(4000, 4000))", {1, 2}).first,
            "the golden takes more than 8589934592 operations (--max-golden-operations)");
  // m, m again, its transpose: 18 elements; then 3 * 2 * 3 products.
  EXPECT_NE(error("matmul(m, transpose(m))", {3, 3}, limit(35)).first.find("more than 35"),
            std::string::npos);
  EXPECT_NE(error("reduce_sum(x + x)", {1}, limit(20)).first.find("more than 20"),
            std::string::npos);
  EXPECT_NE(error("join(x, x, x)", {1, 6}, {4}).first.find("[1, 6]"), std::string::npos);
  EXPECT_NE(error("concat(x)", {1, 6}, {4}).first.find("--max-golden-elements"), std::string::npos);
}

}  // namespace
}  // namespace a2a3::models::golden_fit_test
