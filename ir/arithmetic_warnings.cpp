// SPDX-License-Identifier: Apache-2.0
#include "ir/arithmetic_warnings.hpp"

#include <fmt/format.h>

namespace a2a3::ir {
namespace {

/// The low bits of an integer, as a dtype of at most 64 bits holds them.
std::int64_t held(WideInteger exact, isa::DType dtype) {
  return wrapped(static_cast<std::int64_t>(static_cast<std::uint64_t>(exact)), dtype);
}

/// What Python gives.
WideInteger floored(const DeviceDivision& division) {
  const WideInteger a = division.lhs;
  const WideInteger b = division.rhs;
  const bool inexact = a % b != 0 && (a < 0) != (b < 0);
  if (division.is_modulo) return inexact ? a % b + b : a % b;
  return inexact ? a / b - 1 : a / b;
}

}  // namespace

void warn_of_truncation(Diagnostics& diagnostics, const SourceLocation& where,
                        const DeviceDivision& division) {
  const char* const op = division.is_modulo ? "%" : "//";
  const bool in_kernel = division.function == FunctionKind::kernel;
  const WideInteger a = division.lhs;
  const WideInteger b = division.rhs;
  const WideInteger here = held(division.is_modulo ? a % b : a / b, division.dtype);
  const WideInteger python = floored(division);
  diagnostics
      .warning(where, fmt::format("{} has a negative operand in a {}", op,
                                  in_kernel ? "kernel" : "per-device function"))
      .notes.push_back(
          {fmt::format(
               "{} toward zero: {} {} {} is {} here, {}{}",
               in_kernel ? "kernels truncate" : "per-device functions truncate, as kernels do,",
               division.lhs, op, division.rhs, here,
               here == python ? "as in Python for these two" : fmt::format("in Python {}", python),
               division.is_modulo ? "; to step back write (r + n - 1) % n"
                                  : "; keep the dividend at 0 or more"),
           {}});
}

bool warns_of_wrapping(isa::DType dtype) {
  return dtype == isa::DType::index || dtype == isa::DType::int64 || dtype == isa::DType::int32;
}

void warn_of_wrapping(Diagnostics& diagnostics, const SourceLocation& where, WideInteger exact,
                      isa::DType dtype) {
  diagnostics
      .warning(where, fmt::format("wraps around: {} does not fit into {}", exact, isa::name(dtype)))
      .notes.push_back({fmt::format("the device keeps the low {} bits: the value is {} here",
                                    isa::size_of(dtype) * 8, held(exact, dtype)),
                        {}});
}

}  // namespace a2a3::ir
