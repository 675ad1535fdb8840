// SPDX-License-Identifier: Apache-2.0
#include "ir/elaborate/settings.hpp"

#include <charconv>

#include "ir/fold.hpp"
#include "ir/vocabulary.hpp"

namespace a2a3::ir {
namespace {

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view unquoted(std::string_view text) {
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                      text.front() == text.back();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace

Constant parse_setting(std::string_view text) {
  if (const auto value = parse_number<std::int64_t>(text)) return {*value};
  if (const auto value = parse_number<double>(text)) return {*value};
  if (text == "True" || text == "true") return {true};
  if (text == "False" || text == "false") return {false};
  if (text == "None") return {NoneValue{}};
  for (const char* prefix : {"", "pl.", "pld."}) {
    if (auto constant = language_constant(prefix + std::string(text))) return *constant;
  }
  return {std::string(unquoted(text))};
}

std::optional<std::string> Settings::take(const std::string& name) {
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  used_.insert(name);
  return found->second;
}

std::vector<std::string> Settings::unused() const {
  std::vector<std::string> names;
  for (const auto& [name, value] : values_) {
    if (!used_.contains(name)) names.push_back(name);
  }
  return names;
}

std::string expected_setting(const Constant& original) {
  if (std::holds_alternative<std::int64_t>(original.value)) return "an integer";
  if (std::holds_alternative<double>(original.value)) return "a number";
  if (std::holds_alternative<bool>(original.value)) return "True or False";
  if (std::holds_alternative<isa::DType>(original.value)) return "a dtype such as FP32";
  if (const auto* member = std::get_if<EnumMember>(&original.value))
    return "a member of " + member->enumeration;
  return "a value like " + to_string(original);
}

std::optional<Constant> setting_like(const Constant& original, std::string_view text) {
  if (std::holds_alternative<std::string>(original.value)) {
    return Constant{std::string(unquoted(text))};
  }
  Constant value = parse_setting(text);
  if (std::holds_alternative<NoneValue>(original.value)) return value;
  if (const auto* integer = std::get_if<std::int64_t>(&value.value);
      integer != nullptr && std::holds_alternative<double>(original.value)) {
    return Constant{static_cast<double>(*integer)};
  }
  if (value.value.index() != original.value.index()) return std::nullopt;
  const auto* member = std::get_if<EnumMember>(&value.value);
  if (member != nullptr &&
      member->enumeration != std::get<EnumMember>(original.value).enumeration) {
    return std::nullopt;
  }
  return value;
}

}  // namespace a2a3::ir
