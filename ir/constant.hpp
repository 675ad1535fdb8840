// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "isa/dtype.hpp"

namespace a2a3::ir {

/// `pl.dynamic("NR")`: a symbolic dimension. Two calls are two dimensions, also with one name.
struct DynamicDim {
  std::uint32_t id = 0;  ///< index into Module::dynamic_dims

  friend bool operator==(const DynamicDim&, const DynamicDim&) = default;
};

/// A member of one of the language's enums, for example {"NotifyOp", "AtomicAdd", 0}.
struct EnumMember {
  std::string enumeration;
  std::string member;
  std::int64_t value = 0;

  friend bool operator==(const EnumMember&, const EnumMember&) = default;
};

struct NoneValue {
  friend bool operator==(const NoneValue&, const NoneValue&) = default;
};

struct Constant;
using ConstantList = std::vector<Constant>;

/// A value known before the run.
struct Constant {
  std::variant<NoneValue, bool, std::int64_t, double, std::string, isa::DType, EnumMember,
               DynamicDim, ConstantList>
      value;

  friend bool operator==(const Constant&, const Constant&) = default;
};

}  // namespace a2a3::ir
