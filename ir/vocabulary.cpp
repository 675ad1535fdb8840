// SPDX-License-Identifier: Apache-2.0
#include "ir/vocabulary.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace a2a3::ir {
namespace {

struct Enumeration {
  std::string_view prefix;
  std::string_view name;
  std::span<const std::string_view> members;  ///< in the order of their values, from 0
  bool in_both = false;                       ///< pl and pld export it
};

bool is_prefix(std::string_view name) {
  return name == "pl" || name == "pld";
}

constexpr std::array<std::string_view, 2> kNotifyOp{"AtomicAdd", "Set"};
constexpr std::array<std::string_view, 2> kWaitCmp{"Eq", "Ge"};
constexpr std::array<std::string_view, 4> kReduceOp{"Sum", "Max", "Min", "Prod"};
constexpr std::array<std::string_view, 2> kAtomicType{"None_", "Add"};
constexpr std::array<std::string_view, 6> kMemorySpace{"DDR", "Vec", "Mat", "Left", "Right", "Acc"};
constexpr std::array<std::string_view, 6> kLevel{"AIV",  "AIC",  "CORE_GROUP",
                                                 "CHIP", "HOST", "CLUSTER"};
constexpr std::array<std::string_view, 3> kRole{"Orchestrator", "SubWorker", "Worker"};
constexpr std::array<std::string_view, 9> kFunctionType{
    "Opaque", "Orchestration", "InCore", "AIC", "AIV", "Group", "Spmd", "Inline", "Graph"};

constexpr std::array<Enumeration, 8> kEnumerations{{
    {"pld", "NotifyOp", kNotifyOp},
    {"pld", "WaitCmp", kWaitCmp},
    {"pld", "ReduceOp", kReduceOp},
    {"pld", "AtomicType", kAtomicType, true},
    {"pl", "MemorySpace", kMemorySpace, true},
    {"pl", "Level", kLevel},
    {"pl", "Role", kRole},
    {"pl", "FunctionType", kFunctionType},
}};

const Enumeration* find_enumeration(std::string_view name) {
  const auto* found = std::find_if(kEnumerations.begin(), kEnumerations.end(),
                                   [&](const Enumeration& e) { return e.name == name; });
  return found == kEnumerations.end() ? nullptr : found;
}

/// Insertions, deletions, replacements and exchanges of neighbours that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);  // row i - 2
  std::vector<std::size_t> last(b.size() + 1);    // row i - 1
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> dotted_name(const Expr& expr) {
  std::vector<std::string_view> parts;
  const Expr* part = &expr;
  while (const auto* attribute = std::get_if<Attribute>(&part->node)) {
    parts.push_back(attribute->attribute);
    part = attribute->object.get();
  }
  const auto* root = std::get_if<Name>(&part->node);
  if (root == nullptr) return std::nullopt;
  std::string text = root->id;
  for (auto it = parts.rbegin(); it != parts.rend(); ++it)
    text.append(".").append(*it);
  return text;
}

std::optional<Constant> language_constant(std::string_view dotted) {
  const std::size_t dot = dotted.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view prefix = dotted.substr(0, dot);
  const std::string_view rest = dotted.substr(dot + 1);
  if (const std::size_t second = rest.find('.'); second != std::string_view::npos) {
    const Enumeration* e = find_enumeration(rest.substr(0, second));
    const bool exports = e != nullptr && (prefix == e->prefix || (e->in_both && is_prefix(prefix)));
    if (!exports) return std::nullopt;
    const auto member = enum_member(e->name, rest.substr(second + 1));
    if (!member) return std::nullopt;
    return Constant{*member};
  }
  if (prefix != "pl") return std::nullopt;
  const auto dtype = isa::dtype_from_name(rest);
  if (!dtype) return std::nullopt;
  return Constant{*dtype};
}

std::optional<EnumMember> enum_member(std::string_view enumeration, std::string_view member) {
  const Enumeration* e = find_enumeration(enumeration);
  if (e == nullptr) return std::nullopt;
  const auto found = std::find(e->members.begin(), e->members.end(), member);
  if (found == e->members.end()) return std::nullopt;
  return EnumMember{std::string(enumeration), std::string(member), found - e->members.begin()};
}

std::optional<EnumMember> enum_member(std::string_view enumeration, std::int64_t value) {
  const Enumeration* e = find_enumeration(enumeration);
  if (e == nullptr || value < 0 || value >= static_cast<std::int64_t>(e->members.size())) {
    return std::nullopt;
  }
  const std::string_view member = e->members[static_cast<std::size_t>(value)];
  return EnumMember{std::string(enumeration), std::string(member), value};
}

const std::vector<std::string>& language_constant_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (int i = 0; i <= static_cast<int>(isa::DType::index); ++i) {
      all.push_back("pl." + std::string(isa::name(static_cast<isa::DType>(i))));
    }
    for (const Enumeration& e : kEnumerations) {
      for (const std::string_view member : e.members) {
        all.push_back(std::string(e.prefix) + "." + std::string(e.name) + "." +
                      std::string(member));
      }
    }
    return all;
  }();
  return names;
}

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates) {
  constexpr std::size_t kLongestName = 64;  // nobody types a longer one
  if (name.size() > kLongestName) return std::nullopt;
  const std::string* best = nullptr;
  // A third of the letters may differ; a single letter is no evidence.
  std::size_t best_distance = std::max<std::size_t>(name.size() / 3, 1) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t shorter = std::min(name.size(), candidate.size());
    if (std::max(name.size(), candidate.size()) - shorter >= best_distance) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance && distance < std::max(name.size(), candidate.size())) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string suggestion(std::string_view name, std::span<const std::string> candidates) {
  const auto nearest = nearest_name(name, candidates);
  return nearest ? "; did you mean '" + *nearest + "'?" : "";
}

}  // namespace a2a3::ir
