// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ir/file.hpp"
#include "ir/module.hpp"

namespace a2a3::ir {

/// Writes the kernel language. parse, print, parse, print gives the same text.
[[nodiscard]] std::string print(const File& file);
/// A module as one @pl.program class with captured constants written out; it parses, elaborates and
/// checks again.
[[nodiscard]] std::string print(const Module& module);
[[nodiscard]] std::string print(const Expr& expr);

}  // namespace a2a3::ir
