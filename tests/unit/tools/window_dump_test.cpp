// SPDX-License-Identifier: Apache-2.0
#include "tools/window_dump.hpp"

#include <gtest/gtest.h>

#include "ir/module.hpp"

namespace a2a3::tools::window_dump_test {
namespace {

using Shape = std::vector<std::int64_t>;

/// Devices 0 and 2 share the windows "a" of 64 bytes and "b" of 16.
class WindowDump : public testing::Test {
 protected:
  WindowDump() {
    kernel_.parameters.resize(2);
    kernel_.parameters[0].name = "data";
    kernel_.parameters[1].name = "more";
    plan_.domains.push_back({{2, 0}});
    plan_.windows.push_back({"a", 64, 0, {{0, 0}, {2, 128}}, {}});
    plan_.windows.push_back({"b", 16, 0, {{0, 64}, {2, 0}}, {}});
  }

  void give(std::uint32_t device, std::int32_t window, isa::DType dtype, Shape shape,
            std::uint64_t offset = 0, bool second = false, Shape stride = {}) {
    interp::TensorArgument view;
    view.dtype = dtype;
    view.shape = std::move(shape);
    view.stride = std::move(stride);
    view.window = window;
    view.window_offset_bytes = offset;
    interp::Task& task = plan_.tasks.emplace_back();
    task.device = device;
    task.kernel = &kernel_;
    if (second) task.arguments.emplace_back(isa::Scalar{});
    task.arguments.emplace_back(view);
  }

  ir::Function kernel_;
  interp::LaunchPlan plan_;
};

TEST_F(WindowDump, TheViewIsTheLargestThatBeginsWithTheBuffer) {
  give(0, 0, isa::DType::fp32, {2, 4});
  give(0, 0, isa::DType::fp32, {4, 4});
  give(2, 0, isa::DType::fp32, {4, 4});
  for (const char* name : {"a", "data"}) {
    const auto view = find_window(plan_, name);
    ASSERT_TRUE(view) << name;
    EXPECT_EQ(view->window, 0U);
    EXPECT_EQ(view->dtype, isa::DType::fp32);
    EXPECT_EQ(view->shape, (Shape{4, 4}));
  }
}

TEST_F(WindowDump, WithoutSuchAViewItIsTheBytes) {
  const auto bytes = [&] {
    const auto view = find_window(plan_, "a");
    return view && view->dtype == isa::DType::int8 && view->shape == Shape{64};
  };
  EXPECT_TRUE(bytes()) << "nobody sees it";
  give(0, 0, isa::DType::fp32, {4, 2}, 32);
  EXPECT_TRUE(bytes()) << "a part of it";
  plan_.tasks.clear();
  give(0, 0, isa::DType::fp32, {4, 2}, 0, false, {4, 1});
  EXPECT_TRUE(bytes()) << "with gaps";
  plan_.tasks.clear();
  give(0, 0, isa::DType::fp32, {4, 4});
  give(2, 0, isa::DType::int32, {4, 4});
  EXPECT_TRUE(bytes()) << "the ranks differ";
}

TEST_F(WindowDump, ANameOfSeveralWindowsIsNone) {
  give(0, 0, isa::DType::fp32, {4, 4});
  give(0, 1, isa::DType::fp32, {4});
  EXPECT_FALSE(find_window(plan_, "data"));
  EXPECT_FALSE(find_window(plan_, "more"));
  EXPECT_EQ(find_window(plan_, "b")->shape, Shape{4});
  EXPECT_EQ(window_names(plan_), (std::vector<std::string>{"a", "b", "data"}));
  EXPECT_EQ(describe_windows(plan_),
            (std::vector<std::string>{"a (also: data)", "b (also: data)"}));
}

TEST_F(WindowDump, ViewsAboveTheKernelsHaveNamesToo) {
  give(0, 0, isa::DType::fp32, {2, 2}, 16);
  give(2, 1, isa::DType::fp32, {4});
  plan_.windows[0].view_names = {"win", "b", "both"};
  plan_.windows[1].view_names = {"both"};
  EXPECT_EQ(find_window(plan_, "win")->window, 0U);
  EXPECT_EQ(find_window(plan_, "b")->window, 1U) << "the buffer of that name";
  EXPECT_FALSE(find_window(plan_, "both"));
  EXPECT_EQ(describe_windows(plan_)[0], "a (also: b, both, data, win)");
  EXPECT_EQ(window_names(plan_), (std::vector<std::string>{"a", "b", "both", "data", "win"}));
  kernel_.parameters[0].name = "both";
  plan_.tasks.pop_back();
  EXPECT_EQ(find_window(plan_, "both")->window, 0U) << "of one window only in kernels";
}

TEST_F(WindowDump, TheRanksOfTheDomainStandInTheirOrder) {
  give(0, 1, isa::DType::int16, {3});
  WindowContents contents(2);
  for (const std::uint32_t device : {0U, 2U})
    contents[1][device] = std::vector<std::byte>(16, std::byte{static_cast<unsigned char>(device)});
  const isa::Array array = window_array(plan_, find_window(plan_, "b").value(), contents);
  EXPECT_EQ(array.shape, (Shape{2, 3}));
  EXPECT_EQ(array.bytes.size(), 12U) << "without what lies behind the view";
  EXPECT_EQ(array.at(0), 0x0202);
  EXPECT_EQ(array.at(3), 0);
}

}  // namespace
}  // namespace a2a3::tools::window_dump_test
