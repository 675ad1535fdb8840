// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernel_text.hpp"
#include "kernels.hpp"

namespace a2a3::interp::plan_test {
namespace {

/// A program whose host body is given: chip(x, y, win, s) on a [1, 8] tensor, window and scalar.
std::string with_host(const std::string& body, const std::string& parameters =
                                                   "x: pl.Tensor[[NR, 1, 8], pl.FP32], "
                                                   "y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]") {
  return kImports + R"(NR = pl.dynamic("NR")

@pl.jit.incore
def kern(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
         win: pld.DistributedTensor[[1, 8], pl.FP32], s: pl.Scalar[pl.INT32]):
    c = pld.get_comm_ctx(win)
    t = pl.load(x, [0, 0], [1, 8])
    t = pl.add(t, s)
    t = pl.add(t, pl.cast(pld.rank(c) * 100 + pld.nranks(c) * 1000, pl.INT32))
    y = pl.store(t, [0, 0], y)
    return y

@pl.jit
def chip(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
         win: pld.DistributedTensor[[1, 8], pl.FP32], s: pl.Scalar[pl.INT32]):
    y = kern(x, y, win, s)
    return y

@pl.jit.host
def host()" +
         parameters + "):\n" + body;
}

TextRun run(const std::string& body, std::int64_t ranks) {
  TextOptions options;
  options.ranks = ranks;
  options.input = [](const std::string&, std::int64_t) { return 0.0; };
  return run_text(with_host(body), options);
}

const std::string kBuffer =
    "    buf = pld.alloc_window_buffer(32)\n"
    "    win = pld.window(buf, [1, 8], dtype=pl.FP32)\n";

TEST(Plan, ADomainIsTheDevicesThatReceiveAView) {
  const TextRun result = run(kBuffer +
                                 "    for r in pl.range(1, 3):\n"
                                 "        chip(x[r], y[r], win, r * 10, device=r)\n",
                             4);
  ASSERT_TRUE(result.finished()) << result.text();
  ASSERT_EQ(result.plan.domains.size(), 1u);
  EXPECT_EQ(result.plan.domains[0].devices, (std::vector<std::uint32_t>{1, 2}));
  const isa::Array& y = result.arrays.at("y");
  EXPECT_EQ(y.at(1 * 8), 10.0 + 0 + 2000);  // rank 0 of 2
  EXPECT_EQ(y.at(2 * 8), 20.0 + 100 + 2000);
  EXPECT_NE(result.text().find("2 of 4 devices get no dispatch: 0, 3"), std::string::npos)
      << result.text();
  EXPECT_NE(result.text().find("rank never used: no dispatch gets y[0], y[3]"), std::string::npos)
      << result.text();
}

TEST(Plan, EqualDeviceSetsFormOneDomain) {
  const TextRun result =
      run("    a = pld.alloc_window_buffer(32)\n    b = pld.alloc_window_buffer(32)\n"
          "    c = pld.alloc_window_buffer(32)\n"
          "    wa = pld.window(a, [1, 8], dtype=pl.FP32)\n"
          "    wb = pld.window(b, [8], dtype=pl.FP32)\n"
          "    wc = pld.window(c, [1, 8], dtype=pl.FP32)\n"
          "    for r in pl.range(pld.world_size()):\n"
          "        chip(x[r], y[r], wa, 0, device=r)\n"
          "        chip(x[r], y[r], wb, 1, device=r)\n"
          "    chip(x[0], y[0], wc, 2, device=0)\n",
          3);
  ASSERT_TRUE(result.finished()) << result.text();
  ASSERT_EQ(result.plan.domains.size(), 2u);
  EXPECT_EQ(result.plan.windows[0].domain, result.plan.windows[1].domain);
  EXPECT_EQ(result.plan.domains[result.plan.windows[2].domain].devices,
            (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(result.arrays.at("y").at(0), 2.0 + 1000);  // the last dispatch to device 0
  EXPECT_EQ(result.arrays.at("y").at(16), 1.0 + 200 + 3000);
}

TEST(Plan, ADispatchWithoutDeviceRunsOnDeviceZero) {
  const TextRun result = run(kBuffer + "    chip(x[1], y[1], win, 5)\n", 2);
  ASSERT_TRUE(result.finished()) << result.text();
  ASSERT_EQ(result.plan.tasks.size(), 1u);
  EXPECT_EQ(result.plan.tasks[0].device, 0u);
  EXPECT_EQ(result.arrays.at("y").at(8), 1005.0);
}

TEST(Plan, HostDivisionFloors) {
  const TextRun result =
      run(kBuffer +
              "    for r in pl.range(pld.world_size()):\n"
              "        chip(x[r], y[r], win, (r - 1) % 4 + 10 * ((r - 3) // 2), device=r)\n",
          2);
  ASSERT_TRUE(result.finished()) << result.text();
  EXPECT_EQ(result.arrays.at("y").at(0), 3.0 - 20 + 2000);
  EXPECT_EQ(result.arrays.at("y").at(8), 0.0 - 10 + 2100);
}

struct HostError {
  std::string body;
  std::string at;
  std::string message;
  std::int64_t ranks = 2;
};

TEST(Plan, ErrorsPointAtTheCall) {
  const HostError cases[] = {
      {"    buf = pld.alloc_window_buffer(NR)\n"
       "    for r in pl.range(pld.world_size()):\n"
       "        win = pld.window(buf, [1, 8], dtype=pl.FP32)\n"
       "        chip(x[r], y[r], win, r, device=r)\n",
       "pld.window(", "view needs 32 bytes, buffer 'buf' has 2"},
      {kBuffer + "    for r in pl.range(3):\n        chip(x[r], y[r], win, r, device=r)\n", "x[r]",
       "index 2 of \"x\" is outside dimension 0, which has size 2"},
      {kBuffer + "    chip(x[0], y[0], win, 0, device=7)\n", "chip(x[0]",
       "device=7, but the run has devices 0..1"},
      {kBuffer + "    for r in pl.range(pld.world_size()):\n"
                 "        chip(x[r], y[r], win, 4 // (r - 1), device=r)\n",
       "4 // (r - 1)", "division by zero"},
  };
  for (const HostError& error : cases) {
    const std::string text = with_host(error.body);
    TextOptions options;
    options.ranks = error.ranks;
    const TextRun result = plan_text(text, options);
    EXPECT_NE(result.text().find(error.message), std::string::npos) << result.text();
    EXPECT_EQ(place_of(result.diagnostics, error.message), position(text, error.at))
        << result.text();
  }
}

TEST(Plan, TheSameOutputSliceTwiceIsAWarning) {
  const TextRun result = run(kBuffer +
                                 "    for r in pl.range(pld.world_size()):\n"
                                 "        chip(x[r], y[0], win, r, device=r)\n",
                             2);
  ASSERT_TRUE(result.finished()) << result.text();
  EXPECT_NE(result.text().find("output \"y[0]\" is dispatched to device 0 and to device 1"),
            std::string::npos)
      << result.text();
  EXPECT_EQ(result.text().find("rank never used"), std::string::npos) << result.text();
}

TEST(Plan, AWholeOutputOnSeveralDevicesIsAnError) {
  TextOptions options;
  const TextRun result =
      plan_text(with_host(kBuffer + "    for r in pl.range(pld.world_size()):\n"
                                    "        chip(x, y, win, r, device=r)\n",
                          "x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]"),
                options);
  EXPECT_NE(result.text().find("output \"y\" is given whole to devices 0 and 1"), std::string::npos)
      << result.text();
}

TEST(Plan, AWholeInputIsCopiedToEachDevice) {
  TextOptions options;
  options.ranks = 3;
  const TextRun result = run_text(
      with_host(kBuffer + "    for r in pl.range(pld.world_size()):\n"
                          "        chip(x, y[r], win, r, device=r)\n",
                "x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]"),
      options);
  ASSERT_TRUE(result.finished()) << result.text();
  EXPECT_EQ(result.arrays.at("y").at(2 * 8 + 7), 8.0 + 2 + 200 + 3000);
}

TEST(Plan, MemoryThatIsTooSmallIsAnError) {
  TextOptions options;
  options.plan.gm_capacity_bytes = 1000;
  const TextRun result = plan_text(kAllgather, options);
  EXPECT_NE(
      result.text().find("device 0 needs 2048 bytes of global memory for windows and tensors, "
                         "1000 are available"),
      std::string::npos)
      << result.text();
}

TEST(Plan, HostStepsAreBounded) {
  TextOptions options;
  options.plan.max_host_steps = 1000;
  const TextRun result = plan_text(
      with_host(kBuffer + "    n = 0\n    for i in pl.range(1000000000):\n        n = n + 1\n"
                          "    chip(x[0], y[0], win, n, device=0)\n"),
      options);
  EXPECT_NE(result.text().find("more than 1000 steps; --max-host-steps"), std::string::npos)
      << result.text();
}

TEST(Plan, IsPrintedReadably) {
  TextOptions options;
  const TextRun result = plan_text(kAllgather, options);
  const std::string text = print(result.plan);
  EXPECT_NE(text.find("domain 0: devices 0, 1"), std::string::npos) << text;
  EXPECT_NE(text.find("window data_buf: 512 bytes, domain 0, at 0:gm+0 1:gm+0"), std::string::npos);
  EXPECT_NE(text.find("task 1: hand_step on device 1, launch 1"), std::string::npos);
  EXPECT_NE(text.find("  y = y[1] [1, 128] FP32 at gm+1536"), std::string::npos) << text;
}

TEST(BindSignature, UsesSettingsThenShapesThenTheWorldSize) {
  TextOptions options;
  options.ranks = 3;
  const std::string text =
      with_host("    y = x\n",
                "x: pl.Tensor[[M * 8, K], pl.FP32], y: pl.Out[pl.Tensor[[NR, M, K], pl.FP32]]");
  const std::string declared = text.substr(0, kImports.size()) +
                               "M = pl.dynamic(\"M\")\nK = pl.dynamic(\"K\")\n" +
                               text.substr(kImports.size());
  const TextRun parsed = plan_text(declared, options);
  ASSERT_NE(parsed.module, nullptr) << parsed.text();
  BindOptions bind;
  bind.world_size = 3;
  bind.settings = {{"K", {std::int64_t{5}}}};
  bind.known_shapes = {{"x", {32, 5}}};
  const BoundSignature bound = bind_signature(*parsed.module, bind);
  EXPECT_FALSE(bound.diagnostics.has_errors()) << ir::format(bound.diagnostics);
  EXPECT_EQ(bound.parameters[0].shape, (std::vector<std::int64_t>{32, 5}));
  EXPECT_EQ(bound.parameters[1].shape, (std::vector<std::int64_t>{3, 4, 5}));

  bind.known_shapes = {{"x", {30, 5}}};  // no multiple of 8
  EXPECT_TRUE(bind_signature(*parsed.module, bind).diagnostics.has_errors());
  bind.known_shapes = {{"x", {32, 6}}};  // K is set to 5
  EXPECT_TRUE(bind_signature(*parsed.module, bind).diagnostics.has_errors());
  bind.known_shapes = {{"x", {32}}};
  EXPECT_TRUE(bind_signature(*parsed.module, bind).diagnostics.has_errors());
  bind.settings = {{"K", {std::string("2*2")}}};
  EXPECT_NE(ir::format(bind_signature(*parsed.module, bind).diagnostics)
                .find("dynamic dimension \"K\" is set to \"2*2\": it must be a whole number"),
            std::string::npos);
}

/// What the host's scalar `s` of that type becomes; "bad" when the setting is refused.
std::string scalar_setting(const std::string& dtype, const ir::Constant& setting) {
  TextOptions options;
  options.scalars = {{"s", setting}};
  const TextRun run =
      plan_text(with_host("    y = x\n",
                          "x: pl.Tensor[[NR, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 8], pl.FP32]], "
                          "s: pl.Scalar[pl." +
                              dtype + "]"),
                options);
  if (run.diagnostics.has_errors()) {
    EXPECT_NE(run.text().find(", which is no " + dtype), std::string::npos) << run.text();
    return "bad";
  }
  const isa::Scalar& value = run.signature.parameters[2].value;
  return isa::is_float(value.dtype) ? std::to_string(value.f) : std::to_string(value.i);
}

TEST(BindSignature, ScalarSettingsAreValuesOfTheParametersDtype) {
  const auto whole = [](std::int64_t value) { return ir::Constant{value}; };
  EXPECT_EQ(scalar_setting("FP32", {0.5}), "0.500000");
  EXPECT_EQ(scalar_setting("FP16", {2049.0}), "2048.000000");  // rounded
  EXPECT_EQ(scalar_setting("FP32", whole(2)), "2.000000");
  EXPECT_EQ(scalar_setting("FP32", {true}), "bad");
  EXPECT_EQ(scalar_setting("INT32", whole(-2147483648)), "-2147483648");
  EXPECT_EQ(scalar_setting("INT32", whole(5000000000)), "bad");
  EXPECT_EQ(scalar_setting("INT32", {0.5}), "bad");
  EXPECT_EQ(scalar_setting("UINT8", whole(255)), "255");
  EXPECT_EQ(scalar_setting("UINT8", whole(256)), "bad");
  EXPECT_EQ(scalar_setting("UINT64", whole(-1)), "bad");
  EXPECT_EQ(scalar_setting("BOOL", {true}), "1");
  EXPECT_EQ(scalar_setting("BOOL", whole(1)), "bad");
}

TEST(Plan, WindowsTooLargeForMemoryAreAnError) {
  const auto text = [](const std::string& bytes) {
    std::string body;
    for (int i = 0; i < 2; ++i) {
      const std::string n = std::to_string(i);
      body += "    b" + n + " = pld.alloc_window_buffer(" + bytes + ")\n    w" + n +
              " = pld.window(b" + n + ", [1, 8], dtype=pl.FP32)\n";
    }
    body +=
        "    for r in pl.range(pld.world_size()):\n        chip(x[r], y[r], w0, 0, device=r)\n"
        "        chip(x[r], y[r], w1, 0, device=r)\n";
    return plan_text(with_host(body)).text();
  };
  const auto says = [&](const std::string& bytes, const std::string& part) {
    EXPECT_NE(text(bytes).find(part), std::string::npos) << text(bytes);
  };
  says("9223372036854775807", "at most 2^48 bytes");
  says("281474976710657", "at most 2^48 bytes");
  says("281474976710656", "bytes of global memory for windows and tensors");
}

TEST(Plan, ManyHugeWindowsAreAnError) {
  std::string body;
  for (int i = 0; i < 300; ++i) {
    body += "    b" + std::to_string(i) + " = pld.alloc_window_buffer(281474976710656)\n    w" +
            std::to_string(i) + " = pld.window(b" + std::to_string(i) +
            ", [1, 8], dtype=pl.FP32)\n" + "    chip(x[0], y[0], w" + std::to_string(i) +
            ", 0, device=0)\n";
  }
  const std::string text = plan_text(with_host(body)).text();
  EXPECT_NE(text.find("bytes of global memory for windows and tensors"), std::string::npos)
      << text.substr(0, 1000);
}

TEST(Plan, ViewsCountAsHostSteps) {
  TextOptions options;
  options.plan.max_host_steps = 100'000;
  const std::string text =
      plan_text(with_host("    buf = pld.alloc_window_buffer(32)\n"
                          "    for k in pl.range(2000):\n"
                          "        win = pld.window(buf, [1, 8], dtype=pl.FP32)\n"
                          "    chip(x[0], y[0], win, 0, device=0)\n"),
                options)
          .text();
  EXPECT_NE(text.find("host orchestration took more than 100000 steps"), std::string::npos) << text;
}

TEST(Plan, AResultThatIsNoArgumentCannotBeUsed) {
  const std::string unknown = "the result of a function that returns none of its arguments";
  const auto of = [&](const std::string& use) {
    return plan_text(kImports + R"(NR = pl.dynamic("NR")
@pl.jit.incore
def kern(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
         z: pl.Out[pl.Tensor[[1, 8], pl.FP32]], n: pl.Scalar[pl.INT32]) -> pl.Tensor[[1, 8], pl.FP32]:
    t = pl.load(x, [0, 0], [1, 8])
    y = pl.store(t, [0, 0], y)
    z = pl.store(t, [0, 0], z)
    if n > 1:
        return y
    return z
@pl.jit
def chip(x: pl.Tensor[[1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]],
         z: pl.Out[pl.Tensor[[1, 8], pl.FP32]], n: pl.Scalar[pl.INT32]) -> pl.Tensor[[1, 8], pl.FP32]:
    q = kern(x, y, z, n)
    return q
@pl.jit.host
def host(x: pl.Tensor[[NR, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]],
         z: pl.Out[pl.Tensor[[NR, 1, 8], pl.FP32]]):
    for r in pl.range(pld.world_size()):
        k = chip(x[r], y[r], z[r], r, device=r)
)" + use)
        .text();
  };
  EXPECT_NE(of("        m = k[0]\n").find(unknown), std::string::npos) << of("        m = k[0]\n");
  const std::string call = "        chip(k, y[r], z[r], r, device=r)\n";
  EXPECT_NE(of(call).find(unknown), std::string::npos) << of(call);
}

TEST(Plan, ADimensionThatSeveralValuesFitIsAmbiguous) {
  const std::string text = plan_text(kImports + R"(M = pl.dynamic("M")
@pl.jit.incore
def kern(x: pl.Tensor[[1, M // 2], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    t = pl.load(x, [0, 0], [1, 8])
    y = pl.store(t, [0, 0], y)
    return y
@pl.jit
def chip(x: pl.Tensor[[1, M // 2], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]):
    y = kern(x, y)
    return y
@pl.jit.host
def host(x: pl.Tensor[[1, 1, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 1, 8], pl.FP32]]):
    chip(x[0], y[0], device=0)
    return y
)")
                               .text();
  EXPECT_NE(text.find("more than one value fits"), std::string::npos) << text;
}

}  // namespace
}  // namespace a2a3::interp::plan_test
