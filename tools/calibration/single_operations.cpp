// SPDX-License-Identifier: Apache-2.0
// Workloads of one operation.
#include <array>
#include <utility>

#include "isa/memory.hpp"
#include "tools/calibration/operands.hpp"
#include "tools/calibration/program.hpp"
#include "tools/calibration/workload_runs.hpp"

namespace a2a3::tools {
namespace {

enum class VectorOp : std::uint8_t { add, sub, mul, div, adds, muls, exp, ln, sqrt, relu, row_sum };

constexpr std::array kVectorOps = {
    std::pair{"add", VectorOp::add},         std::pair{"sub", VectorOp::sub},
    std::pair{"mul", VectorOp::mul},         std::pair{"div", VectorOp::div},
    std::pair{"adds", VectorOp::adds},       std::pair{"muls", VectorOp::muls},
    std::pair{"exp", VectorOp::exp},         std::pair{"ln", VectorOp::ln},
    std::pair{"sqrt", VectorOp::sqrt},       std::pair{"relu", VectorOp::relu},
    std::pair{"row_sum", VectorOp::row_sum},
};

isa::Operation vector_operation(VectorOp op, const isa::Tile& tile) {
  switch (op) {
    case VectorOp::add:
      return isa::TBinary{isa::BinaryOp::add, tile, tile, tile};
    case VectorOp::sub:
      return isa::TBinary{isa::BinaryOp::sub, tile, tile, tile};
    case VectorOp::mul:
      return isa::TBinary{isa::BinaryOp::mul, tile, tile, tile};
    case VectorOp::div:
      return isa::TBinary{isa::BinaryOp::div, tile, tile, tile};
    case VectorOp::adds:
      return isa::TBinaryScalar{isa::BinaryOp::add, tile, {tile.dtype, 0, 1}, tile};
    case VectorOp::muls:
      return isa::TBinaryScalar{isa::BinaryOp::mul, tile, {tile.dtype, 0, 1}, tile};
    case VectorOp::exp:
      return isa::TUnary{isa::UnaryOp::exp, tile, tile};
    case VectorOp::ln:
      return isa::TUnary{isa::UnaryOp::ln, tile, tile};
    case VectorOp::sqrt:
      return isa::TUnary{isa::UnaryOp::sqrt, tile, tile};
    case VectorOp::relu:
      return isa::TUnary{isa::UnaryOp::relu, tile, tile};
    case VectorOp::row_sum:
      break;
  }
  isa::Tile sums = whole_tile(tile.dtype, tile.rows, 1);
  sums.layout = isa::TileLayout::col_major;
  return isa::TRowSum{tile, tile, sums};
}

Simulated time_of_one(const isa::Operation& operation, const models::MachineDescription& machine,
                      std::uint64_t gm_bytes = 0) {
  return {time_of({program_of({operation})}, {gm_bytes}, machine), 0};
}

}  // namespace

std::vector<std::string> vector_operations() {
  std::vector<std::string> words;
  for (const auto& [word, op] : kVectorOps)
    words.emplace_back(word);
  return words;
}

Simulated run_load(const WorkloadInput& input, const models::MachineDescription& machine) {
  const auto rows = static_cast<std::int64_t>(input.at("rows"));
  const auto bytes = static_cast<std::uint64_t>(input.at("bytes"));
  isa::GmBox box = gm_row(0, 0, bytes);
  box.shape[2] = rows;
  isa::Tile tile = row_tile(bytes);
  tile.rows = tile.valid_rows = static_cast<std::int32_t>(rows);
  return time_of_one(isa::TLoad{box, tile}, machine, bytes * static_cast<std::uint64_t>(rows));
}

Simulated run_operation(const WorkloadInput& input, const models::MachineDescription& machine) {
  const auto op = kVectorOps.at(static_cast<std::size_t>(input.at("op"))).second;
  const isa::DType dtype = input.at("dtype") == 0 ? isa::DType::fp32 : isa::DType::fp16;
  const isa::Tile tile = whole_tile(dtype, static_cast<std::int32_t>(input.at("rows")),
                                    static_cast<std::int32_t>(input.at("cols")));
  return time_of_one(vector_operation(op, tile), machine);
}

Simulated run_matmul(const WorkloadInput& input, const models::MachineDescription& machine) {
  constexpr std::array kDTypes = {isa::DType::fp32, isa::DType::fp16, isa::DType::int8};
  const isa::DType dtype = kDTypes.at(static_cast<std::size_t>(input.at("dtype")));
  const auto m = static_cast<std::int32_t>(input.at("m"));
  const auto k = static_cast<std::int32_t>(input.at("k"));
  const auto n = static_cast<std::int32_t>(input.at("n"));
  const auto behind = [&](std::initializer_list<std::uint64_t> memories) {
    return static_cast<std::uint32_t>(isa::local_bytes(memories));
  };
  const std::uint64_t ub = machine.core.ub_bytes;
  const models::CubeParameters& cube = machine.cube;
  isa::Tile lhs = whole_tile(dtype, m, k, behind({ub, cube.l1_bytes}));
  lhs.space = isa::MemorySpace::l0a;
  isa::Tile rhs = whole_tile(dtype, k, n, behind({ub, cube.l1_bytes, cube.l0a_bytes}));
  rhs.space = isa::MemorySpace::l0b;
  isa::Tile product = whole_tile(*isa::accumulator_of(dtype), m, n,
                                 behind({ub, cube.l1_bytes, cube.l0a_bytes, cube.l0b_bytes}));
  product.space = isa::MemorySpace::l0c;
  return time_of_one(isa::TMatmul{lhs, rhs, product}, machine);
}

}  // namespace a2a3::tools
