// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/constant.hpp"

namespace a2a3::ir {

/// The value of a `--set NAME=VALUE`: int, float, True/False, None, a dtype (`FP32`, `pl.FP32`), an
/// enum member (`ReduceOp.Max`, `pld.ReduceOp.Max`), else a string (quotes are optional).
[[nodiscard]] Constant parse_setting(std::string_view text);

/// The settings of a run, with a record of which of them the file asked for.
class Settings {
 public:
  explicit Settings(const std::map<std::string, std::string>& values) : values_(values) {}

  /// The setting for `name` as written, marked as used; nothing when there is none.
  [[nodiscard]] std::optional<std::string> take(const std::string& name);
  [[nodiscard]] std::vector<std::string> unused() const;

 private:
  const std::map<std::string, std::string>& values_;
  std::set<std::string> used_;
};

/// What a setting in place of `original` must be, in words: "an integer".
[[nodiscard]] std::string expected_setting(const Constant& original);

/// `text` as a value of the same kind as `original` (an int may stand for a float); nothing when it
/// is of another kind.
[[nodiscard]] std::optional<Constant> setting_like(const Constant& original, std::string_view text);

}  // namespace a2a3::ir
