// SPDX-License-Identifier: Apache-2.0
#include "tools/lowered_text.hpp"

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "ir/printer.hpp"

namespace a2a3::tools {
namespace {

constexpr std::string_view kIndent = "    ";

/// Renames the variables that hold what `operation` gives.
void rename_results(Lines& lines, const std::string& operation, const std::string& name) {
  const std::regex definition("^\\s*(\\w+) = " + operation + "\\(");
  std::set<std::string> found;
  for (const std::string& line : lines) {
    std::smatch match;
    if (std::regex_search(line, match, definition)) found.insert(match[1]);
  }
  for (const std::string& variable : found) {
    const std::regex word("\\b" + variable + "\\b");
    for (std::string& line : lines)
      line = std::regex_replace(line, word, name);
  }
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
  static const std::regex temporary("\\b_[a-z_]+?[0-9]+_([A-Za-z_]\\w*)");
  for (std::string& line : lines)
    line = std::regex_replace(line, temporary, "$1");
  rename_results(lines, "pld\\.(?:system\\.)?get_comm_ctx", "ctx");
  rename_results(lines, "pld\\.(?:system\\.)?rank", "rank");
  rename_results(lines, "pld\\.(?:system\\.)?nranks", "nranks");
  drop_repeated_questions(lines);
}

std::string name_in(const std::string& header) {
  const std::size_t begin = header.find("def ") + 4;
  return header.substr(begin, header.find('(') - begin);
}

}  // namespace

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
