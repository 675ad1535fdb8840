// SPDX-License-Identifier: Apache-2.0
// How the parser's time grows with the file: google-benchmark fits the complexity, which is N for
// kernels as people write them and for faulty ones alike.
#include <cstdint>
#include <memory>
#include <string>

#include <benchmark/benchmark.h>

#include "ir/parser.hpp"

namespace a2a3::ir::parser_bench {
namespace {

constexpr const char* kKernel =
    "@pl.jit.incore\ndef k(a: pl.Tensor[[1, 64], pl.FP32], b, c):\n"
    "  for i in pl.range(8):\n    if a != i:\n      x = pl.load(a, [0, i * 64], [1, 64])\n"
    "  return pl.store(x, [0, 0], b)\n\n";

void parse_repeated(benchmark::State& state, const std::string& head, const std::string& part) {
  std::string text = head;
  for (std::int64_t i = 0; i < state.range(0); ++i)
    text += part;
  const auto file = std::make_shared<const SourceFile>("bench.py", text);
  for (auto _ : state)
    benchmark::DoNotOptimize(parse_file(file));
  state.SetBytesProcessed(static_cast<std::int64_t>(text.size()) * state.iterations());
  state.SetComplexityN(state.range(0));
}

void parse_kernels(benchmark::State& state) {
  parse_repeated(state, "", kKernel);
}
void parse_faulty_statements(benchmark::State& state) {
  parse_repeated(state, "@pl.jit\ndef k(a):\n", "  x = (a b)\n");
}
void parse_harness(benchmark::State& state) {
  parse_repeated(state, "", "x = 1 if a else 2\n");
}

BENCHMARK(parse_kernels)->RangeMultiplier(4)->Range(64, 4096)->Complexity(benchmark::oN);
BENCHMARK(parse_faulty_statements)
    ->RangeMultiplier(4)
    ->Range(1 << 10, 1 << 16)
    ->Complexity(benchmark::oN);
BENCHMARK(parse_harness)->RangeMultiplier(4)->Range(1 << 10, 1 << 16)->Complexity(benchmark::oN);

}  // namespace
}  // namespace a2a3::ir::parser_bench
