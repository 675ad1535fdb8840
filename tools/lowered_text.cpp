// SPDX-License-Identifier: Apache-2.0
#include "tools/lowered_text.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <string_view>

#include "ir/printer.hpp"

namespace a2a3::tools {
namespace {

constexpr std::string_view kIndent = "    ";

constexpr std::string_view kLower = "abcdefghijklmnopqrstuvwxyz_";
constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kWord =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

/// The line with every word (letters, digits and underscores) in the form that `rename` gives it.
template <typename Rename>
std::string map_words(std::string_view line, Rename rename) {
  std::string text;
  while (!line.empty()) {
    const std::size_t begin = std::min(line.find_first_of(kWord), line.size());
    text += line.substr(0, begin);
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_not_of(kWord), line.size());
    text += rename(line.substr(0, end));
    line.remove_prefix(end);
  }
  return text;
}

/// "src" of "_allgather0_src", the form of a lowering's temporaries; other words as they are.
std::string_view without_prefix(std::string_view word) {
  if (!word.starts_with('_')) return word;
  const std::size_t digits = std::min(word.find_first_not_of(kLower), word.size());
  const std::size_t behind = std::min(word.find_first_not_of(kDigits, digits), word.size());
  const bool temporary = digits > 1 && behind > digits && word.substr(behind).starts_with('_');
  if (!temporary) return word;
  const std::string_view name = word.substr(behind + 1);
  return name.find_first_of(kLetters) == 0 ? name : word;
}

/// The variables that hold what an operation of `names` gives, with its name.
Renames results_of(const Lines& lines, const Renames& names) {
  Renames variables;
  for (const std::string& line : lines) {
    std::string_view rest = line;
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const std::string_view variable = rest.substr(0, rest.find_first_not_of(kWord));
    rest.remove_prefix(variable.size());
    if (variable.empty() || !rest.starts_with(" = ")) continue;
    const auto operation = names.find(std::string(rest.substr(3, rest.find('(') - 3)));
    if (operation != names.end()) variables.emplace(variable, operation->second);
  }
  return variables;
}

/// Every lowering asks for rank and rank count itself; once is enough to compare.
void drop_repeated_questions(Lines& lines) {
  std::set<std::string> asked;
  std::erase_if(lines, [&](const std::string& line) {
    const bool is_question = line.ends_with("= pld.rank(ctx)") ||
                             line.ends_with("= pld.nranks(ctx)") ||
                             line.find("= pld.get_comm_ctx(") != std::string::npos;
    return is_question && !asked.insert(line).second;
  });
}

void make_comparable(Lines& lines) {
  for (std::string& line : lines)
    line = map_words(line, without_prefix);
  static const Renames names = {{"pld.get_comm_ctx", "ctx"}, {"pld.system.get_comm_ctx", "ctx"},
                                {"pld.rank", "rank"},        {"pld.system.rank", "rank"},
                                {"pld.nranks", "nranks"},    {"pld.system.nranks", "nranks"}};
  const Renames results = results_of(lines, names);
  lines = renamed(std::move(lines), results);
  drop_repeated_questions(lines);
}

std::string name_in(const std::string& header) {
  const std::size_t begin = header.find("def ") + 4;
  return header.substr(begin, header.find('(') - begin);
}

}  // namespace

Lines renamed(Lines lines, const Renames& names) {
  for (std::string& line : lines) {
    line = map_words(line, [&](std::string_view word) {
      const auto other = names.find(word);
      return other == names.end() ? word : std::string_view(other->second);
    });
  }
  return lines;
}

std::vector<PrintedFunction> comparable_functions(const ir::Module& module) {
  std::vector<PrintedFunction> functions;
  std::istringstream text(ir::print(module));
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("    @pl.function")) {
      functions.push_back({{}, line.substr(kIndent.size()), {}});
      continue;
    }
    if (functions.empty() || line.empty()) continue;
    PrintedFunction& function = functions.back();
    if (function.lines.empty()) function.name = name_in(line);
    function.lines.push_back(line.substr(kIndent.size()));
  }
  for (PrintedFunction& function : functions)
    make_comparable(function.lines);
  return functions;
}

std::vector<FunctionPair> pair_functions(const std::vector<PrintedFunction>& left,
                                         const std::vector<PrintedFunction>& right) {
  std::vector<FunctionPair> pairs;
  std::set<const PrintedFunction*> taken;
  const auto partner = [&](const PrintedFunction& function, bool by_name) {
    const auto found = std::find_if(right.begin(), right.end(), [&](const PrintedFunction& other) {
      if (taken.contains(&other) || other.decorator != function.decorator) return false;
      return by_name ? other.name == function.name
                     : std::none_of(left.begin(), left.end(), [&](const PrintedFunction& same) {
                         return same.name == other.name;
                       });
    });
    return found == right.end() ? nullptr : &*found;
  };
  for (const PrintedFunction& function : left) {
    const PrintedFunction* other = partner(function, true);
    if (other == nullptr) other = partner(function, false);
    if (other != nullptr) taken.insert(other);
    pairs.emplace_back(&function, other);
  }
  for (const PrintedFunction& function : right) {
    if (!taken.contains(&function)) pairs.emplace_back(nullptr, &function);
  }
  return pairs;
}

}  // namespace a2a3::tools
