// SPDX-License-Identifier: Apache-2.0
#include "ir/elaborate.hpp"

#include <gtest/gtest.h>

#include "ir/elaborate/settings.hpp"
#include "ir/parser.hpp"

namespace a2a3::ir::elaborate_test {
namespace {

constexpr const char* kTwoPrograms = R"(
SIZE = 64
WIDE = SIZE * 2
NR = pl.dynamic("NR")
SHAPE = [1, WIDE]


@pl.jit
def chip(x: pl.Tensor[[1, SIZE], pl.FP32]):
    pass


@pl.jit
def unused(x: pl.Tensor[[1, SIZE], pl.FP32]):
    pass


@pl.jit.host
def first(x: pl.Tensor[[NR, 1, SIZE], pl.FP32]):
    for r in pl.range(pld.world_size()):
        chip(x[r], device=r)


def build(n_ranks, size=8, *, dtype):
    rounds = 2 * (n_ranks - 1)
    if dtype == pl.FP16:
        kind = "half"
    else:
        kind = "full"

    @pl.program
    class Program:
        @pl.function(level=pl.Level.HOST, role=pl.Role.Orchestrator)
        def host(self, x: pl.Tensor[[n_ranks, size], dtype]):
            pass

    return Program
)";

Elaborated elaborate_text(const std::string& text, const ElaborateOptions& options) {
  static SourceFilePtr source;  // diagnostics point into it
  source = std::make_shared<SourceFile>("test.py", text);
  auto parsed = parse_file(source);
  EXPECT_EQ(format(parsed.diagnostics), "");
  return elaborate(std::move(parsed.file), options);
}

const Constant* captured(const Module& module, const std::string& name) {
  const Scope& scope = *module.functions.front()->captures;
  const auto found = scope.find(name);
  if (found == scope.end() || !found->second.value) return nullptr;
  return std::get_if<Constant>(&*found->second.value);
}

TEST(Elaborate, TakesTheHostFunctionAndWhatItReaches) {
  ElaborateOptions options;
  options.entry = "first";
  const auto result = elaborate_text(kTwoPrograms, options);
  ASSERT_NE(result.module, nullptr) << format(result.diagnostics);
  EXPECT_EQ(result.module->name, "first");
  EXPECT_FALSE(result.module->is_class);
  ASSERT_EQ(result.module->functions.size(), 2u);
  EXPECT_EQ(result.module->functions[0]->name, "chip");
  EXPECT_EQ(result.module->functions[0]->kind, FunctionKind::chip);
  EXPECT_EQ(result.module->entry, result.module->functions[1].get());
  EXPECT_EQ(result.module->find("unused"), nullptr);
  ASSERT_EQ(result.module->unreached.size(), 1u);
  ASSERT_EQ(result.module->dynamic_dims.size(), 1u);
  EXPECT_EQ(result.module->dynamic_dims[0].name, "NR");
  EXPECT_EQ(*captured(*result.module, "WIDE"), Constant{std::int64_t{128}});
}

TEST(Elaborate, SettingsReplaceConstantsBeforeWhatIsComputedFromThem) {
  ElaborateOptions options;
  options.entry = "first";
  options.settings = {{"SIZE", "16"}, {"NR", "4"}, {"NOTHING", "1"}};
  const auto result = elaborate_text(kTwoPrograms, options);
  ASSERT_NE(result.module, nullptr) << format(result.diagnostics);
  EXPECT_EQ(*captured(*result.module, "WIDE"), Constant{std::int64_t{32}});
  EXPECT_EQ(result.unused_settings, std::vector<std::string>{"NOTHING"});
}

TEST(Elaborate, RunsTheFactoryWithSettingsDefaultsAndTheDeviceCount) {
  ElaborateOptions options;
  options.entry = "build";
  options.world_size = 5;
  options.settings = {{"dtype", "FP16"}};
  const auto result = elaborate_text(kTwoPrograms, options);
  ASSERT_NE(result.module, nullptr) << format(result.diagnostics);
  EXPECT_TRUE(result.module->is_class);
  EXPECT_EQ(result.module->name, "build");
  EXPECT_EQ(*captured(*result.module, "n_ranks"), Constant{std::int64_t{5}});
  EXPECT_EQ(*captured(*result.module, "rounds"), Constant{std::int64_t{8}});
  EXPECT_EQ(*captured(*result.module, "size"), Constant{std::int64_t{8}});
  EXPECT_EQ(*captured(*result.module, "kind"), Constant{std::string("half")});
  ASSERT_EQ(result.module->functions.size(), 1u);
  EXPECT_EQ(result.module->functions[0]->parameters.size(), 1u) << "self is dropped";
  EXPECT_TRUE(result.unused_settings.empty());
}

TEST(Elaborate, WithoutAChoiceTheErrorListsThePrograms) {
  const auto result = elaborate_text(kTwoPrograms, {});
  EXPECT_EQ(result.module, nullptr);
  ASSERT_EQ(result.diagnostics.all().size(), 1u);
  const auto& notes = result.diagnostics.all()[0].notes;
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0].message, "--entry first (host function)");
  EXPECT_EQ(notes[1].message, "--entry build (factory)");
}

TEST(Settings, AreReadAsTheLanguageWritesValues) {
  EXPECT_EQ(parse_setting("-12"), Constant{std::int64_t{-12}});
  EXPECT_EQ(parse_setting("1e3"), Constant{1000.0});
  EXPECT_EQ(parse_setting("True"), Constant{true});
  EXPECT_EQ(parse_setting("None"), Constant{NoneValue{}});
  EXPECT_EQ(parse_setting("FP16"), Constant{isa::DType::fp16});
  EXPECT_EQ(parse_setting("pl.INT8"), Constant{isa::DType::int8});
  EXPECT_EQ(parse_setting("ReduceOp.Max"), (Constant{EnumMember{"ReduceOp", "Max", 1}}));
  EXPECT_EQ(parse_setting("pld.WaitCmp.Eq"), (Constant{EnumMember{"WaitCmp", "Eq", 0}}));
  EXPECT_EQ(parse_setting("'12'"), Constant{std::string("12")});
  EXPECT_EQ(parse_setting("ring"), Constant{std::string("ring")});
  EXPECT_EQ(parse_setting(""), Constant{std::string()});
}

TEST(Settings, FitTheKindOfWhatTheyReplace) {
  EXPECT_EQ(setting_like({1.5}, "2"), Constant{2.0});
  EXPECT_EQ(setting_like({std::string("a")}, "2"), Constant{std::string("2")});
  EXPECT_EQ(setting_like({std::int64_t{1}}, "2.5"), std::nullopt);
  EXPECT_EQ(setting_like({std::int64_t{1}}, "True"), std::nullopt);
  EXPECT_EQ(setting_like({EnumMember{"ReduceOp", "Max", 1}}, "NotifyOp.Set"), std::nullopt);
  EXPECT_EQ(setting_like({isa::DType::fp32}, "INT32"), Constant{isa::DType::int32});
}

constexpr const char* kFactoryAround = R"(K = 1
@pl.jit.incore
def kernel():
    pass

@pl.jit
def outer():
    kernel()

def build(n_ranks):
    K = 100
    @pl.jit.incore
    def inner():
        pass
    @pl.jit
    def chip():
        inner()
    @pl.jit.host
    def host():
        outer()
    @pl.jit.host
    def host():
        outer()
        chip()
    return host
)";

TEST(Elaborate, AFactorysNamesAreNotThoseOfTheModulesFunctions) {
  const auto result = elaborate_text(kFactoryAround, {});
  ASSERT_NE(result.module, nullptr) << format(result.diagnostics);
  const auto value = [&](const char* function) {
    return result.module->find(function)->captures->at("K").value;
  };
  EXPECT_EQ(value("kernel"), StaticValue(Constant{std::int64_t{1}}));
  EXPECT_EQ(value("inner"), StaticValue(Constant{std::int64_t{100}}));
  EXPECT_NE(result.module->find("chip"), nullptr) << "of two hosts the later one is returned";
}

TEST(Elaborate, OfTwoProgramsWithOneNameTheLaterCounts) {
  const auto result = elaborate_text(
      "@pl.jit.host\ndef host():\n    pass\n@pl.jit\ndef chip():\n    pass\n@pl.jit.host\ndef "
      "host():\n    chip()\n",
      {});
  ASSERT_NE(result.module, nullptr) << format(result.diagnostics);
  EXPECT_NE(result.module->find("chip"), nullptr);
}

TEST(Elaborate, ConstantsMayNotDoubleWithoutEnd) {
  for (const std::string first : {"'ab'\n", "[1, 2]\n"}) {
    std::string text = "V = " + first;
    for (int i = 0; i < 60; ++i)
      text += first[0] == '[' ? "V = [V, V]\n" : "V = V + V\n";
    const auto result = elaborate_text(text + "@pl.jit.host\ndef host():\n    pass\n", {});
    const std::string messages = format(result.diagnostics);
    EXPECT_NE(messages.find(too_many_constants()), std::string::npos) << messages;
  }
}

}  // namespace
}  // namespace a2a3::ir::elaborate_test
