// SPDX-License-Identifier: Apache-2.0
#include "models/input_spec.hpp"

#include <cmath>
#include <memory>
#include <set>

#include <gtest/gtest.h>

#include "models/npy.hpp"

namespace a2a3::models::input_spec_test {
namespace {

using isa::Array;
using isa::DType;

std::optional<Array> fill(const std::string& text, const InputTarget& target,
                          ir::Diagnostics& diagnostics, std::int64_t ranks = 2) {
  return fill_input(std::make_shared<const ir::SourceFile>("x", text), target,
                    {ranks, {{"SIZE", 4}}, testing::TempDir()}, diagnostics);
}

std::vector<double> values(const std::string& text, const InputTarget& target,
                           std::int64_t ranks = 2) {
  ir::Diagnostics diagnostics;
  const std::optional<Array> array = fill(text, target, diagnostics, ranks);
  if (!array) {
    ADD_FAILURE() << format(diagnostics);
    return {};
  }
  EXPECT_EQ(array->dtype, target.dtype);
  EXPECT_EQ(array->shape, target.shape);
  std::vector<double> result;
  for (std::int64_t i = 0; i < array->elements(); ++i)
    result.push_back(array->at(i));
  return result;
}

std::string error(const std::string& text, const InputTarget& target = {DType::fp32, {2, 3}}) {
  ir::Diagnostics diagnostics;
  EXPECT_FALSE(fill(text, target, diagnostics)) << text;
  return diagnostics.has_errors() ? diagnostics.all().front().message : "";
}

using Values = std::vector<double>;

TEST(InputSpec, ConstantAndArange) {
  const InputTarget target{DType::int32, {2, 3}};
  EXPECT_EQ(values("constant(3)", target), Values(6, 3));
  EXPECT_EQ(values("constant(value=-SIZE * 2)", target), Values(6, -8));
  EXPECT_EQ(values("constant(P)", {DType::int32, {3, 1}}, 3), Values(3, 3));
  EXPECT_EQ(values("arange()", target), (Values{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values("arange", target), (Values{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(values("arange(10, -2)", target), (Values{10, 8, 6, 4, 2, 0}));
  EXPECT_EQ(values("arange(step=0.5)", {DType::fp32, {2, 2}}), (Values{0, 0.5, 1, 1.5}));
}

TEST(InputSpec, ValuesThatTheDtypeDoesNotHoldAreRefused) {
  EXPECT_EQ(error("constant(300)", {DType::int8, {2, 3}}),
            "constant: element 0 of rank 0 is 300: INT8 holds -128 to 127");
  EXPECT_EQ(error("constant(3000000000)", {DType::int32, {2, 3}}),
            "constant: element 0 of rank 0 is 3000000000: INT32 holds -2147483648 to 2147483647");
  EXPECT_EQ(error("arange(125)", {DType::int8, {2, 2}}),
            "arange: element 1 of rank 1 is 128: INT8 holds -128 to 127");
  EXPECT_EQ(error("uniform_int(1, -2, -1)", {DType::uint16, {4}}),
            "uniform_int: element 0 of rank 0 is -2: UINT16 holds 0 to 65535");
  EXPECT_EQ(error("constant(1/0)", {DType::int32, {2, 3}}).substr(0, 9), "constant:");
  EXPECT_EQ(values("constant(3000000000)", {DType::uint32, {2, 1}}), Values(2, 3000000000));
}

TEST(InputSpec, ArangeByRank) {
  EXPECT_EQ(values("arange_by_rank()", {DType::fp32, {2, 1, 3}}),
            (Values{1, 2, 3, 1001, 1002, 1003}));
  EXPECT_EQ(values("arange_by_rank(start=0, step=2)", {DType::int32, {2, 2}}),
            (Values{0, 2, 2000, 2002}));
  EXPECT_EQ(values("arange_by_rank()", {DType::int8, {2, 2}}), (Values{1, 2, 18, 19}));
  EXPECT_EQ(values("arange_by_rank()", {DType::bf16, {2, 2}}), (Values{1, 2, 5, 6}));
  EXPECT_EQ(values("arange_by_rank()", {DType::fp32, {3}}), (Values{1, 2, 3}));
}

TEST(InputSpec, DefaultIsDistinctPerRankExactAndWithoutZeros) {
  for (const DType dtype : {DType::fp32, DType::fp16, DType::bf16, DType::int32, DType::int16,
                            DType::int8, DType::uint8}) {
    constexpr std::int64_t ranks = 15;
    constexpr std::int64_t size = 200;
    const Values all = values(kDefaultInput, {dtype, {ranks, size}}, ranks);
    std::set<Values> slices;
    Values sum(size, 0);
    for (std::int64_t r = 0; r < ranks; ++r) {
      Values slice;
      for (std::int64_t i = 0; i < size; ++i) {
        const double value = all[static_cast<std::size_t>(r * size + i)];
        EXPECT_GT(value, 0);
        EXPECT_EQ(value, std::floor(value));
        slice.push_back(value);
        sum[static_cast<std::size_t>(i)] += value;
      }
      slices.insert(slice);
    }
    EXPECT_EQ(slices.size(), static_cast<std::size_t>(ranks)) << isa::name(dtype);
    if (!isa::is_float(dtype)) continue;
    Array rounded(dtype, {1});
    for (const double value : sum) {
      rounded.set(0, value);
      EXPECT_EQ(rounded.at(0), value) << isa::name(dtype);
    }
  }
}

TEST(InputSpec, NormalIsReproducible) {
  const InputTarget target{DType::fp32, {100, 1000}};
  const Values a = values("normal(seed=1)", target);
  EXPECT_EQ(a, values("normal()", target));
  EXPECT_NE(a, values("normal(seed=2)", target));
  double mean = 0;
  double square = 0;
  for (const double value : a) {
    mean += value / 1e5;
    square += value * value / 1e5;
  }
  EXPECT_NEAR(mean, 0, 0.02);
  EXPECT_NEAR(square, 1, 0.02);
  const Values shifted = values("normal(1, mean=10, std=2)", target);
  EXPECT_NEAR(shifted[17], 10 + 2 * a[17], 1e-5);
  // Values are a function of seed and index alone, on every machine.
  EXPECT_NEAR(a[0], values("normal()", {DType::fp32, {1}})[0], 0);
}

TEST(InputSpec, UniformInt) {
  const Values a = values("uniform_int(seed=3, low=-2, high=3)", {DType::int8, {10'000}});
  std::set<double> seen(a.begin(), a.end());
  EXPECT_EQ(seen, (std::set<double>{-2, -1, 0, 1, 2}));
  double mean = 0;
  for (const double value : a)
    mean += value / 1e4;
  EXPECT_NEAR(mean, 0, 0.06);
}

TEST(InputSpec, NpyFiles) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "a2a3_in.npy";
  Array array(DType::fp16, {2, 3});
  array.set(4, 2.5);
  ASSERT_EQ(write_npy(path, array), "");
  const InputTarget target{DType::fp16, {2, 3}};
  EXPECT_EQ(values("a2a3_in.npy", target), (Values{0, 0, 0, 0, 2.5, 0}));
  EXPECT_EQ(values(" npy(\"a2a3_in.npy\")", target), (Values{0, 0, 0, 0, 2.5, 0}));
  EXPECT_EQ(values(path.string(), target)[4], 2.5);
  EXPECT_EQ(error("a2a3_in.npy", {DType::fp16, {3, 2}}),
            "a2a3_in.npy holds FP16 [2, 3], the tensor is FP16 [3, 2]");
  EXPECT_EQ(error("a2a3_in.npy", {DType::fp32, {2, 3}}),
            "a2a3_in.npy holds FP16 [2, 3], the tensor is FP32 [2, 3]");
  const std::filesystem::path dir = testing::TempDir();
  for (const char* text : {"a2a3_in.npy", "npy('a2a3_in.npy')"}) {
    EXPECT_EQ(npy_input_shape(text, DType::fp16, dir, 1000), (std::vector<std::int64_t>{2, 3}));
  }
  EXPECT_FALSE(npy_input_shape("arange()", DType::fp16, dir, 1000));
  EXPECT_FALSE(npy_input_shape("gone.npy", DType::fp16, dir, 1000));
  EXPECT_FALSE(npy_input_shape("npy(", DType::fp16, dir, 1000));
  std::filesystem::remove(path);
  EXPECT_NE(error("a2a3_in.npy").find("no such file"), std::string::npos);
}

TEST(InputSpec, Errors) {
  EXPECT_EQ(error("constant()"), "constant takes a value, for example constant(3)");
  EXPECT_EQ(error("constant(1, 2)"), "constant takes 1 arguments at most");
  EXPECT_EQ(error("arange(stop=3)"), "arange has no argument 'stop'; did you mean 'step'?");
  EXPECT_EQ(error("arange(1, start=2)"), "'start' is given twice");
  EXPECT_EQ(error("normal(seed='x')"), "'seed' must be a number");
  EXPECT_EQ(error("norml(1)"), "unknown input 'norml'; did you mean 'normal'?");
  EXPECT_EQ(error("uniform_int(low=3, high=3)"), "uniform_int needs whole numbers low < high");
  EXPECT_EQ(error("uniform_int(low=0.5)"), "uniform_int needs whole numbers low < high");
  EXPECT_EQ(error("npy(3)"), "npy takes a file, for example npy(\"x.npy\")");
  EXPECT_EQ(error("constant(WIDTH)"), "unknown name 'WIDTH'");
  EXPECT_EQ(error("constant(r)"), "unknown name 'r'");
  EXPECT_EQ(error("constant(sum(1))"), "this goes over ranks, there are none here");
  EXPECT_EQ(error("1 + 2"), "expected name(arguments)");
  EXPECT_NE(error(""), "");
  EXPECT_NE(error("constant(("), "");
  EXPECT_NE(error("constant(" + std::string(5000, '1') + ")"), "");
}

}  // namespace
}  // namespace a2a3::models::input_spec_test
