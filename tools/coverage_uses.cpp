// SPDX-License-Identifier: Apache-2.0
#include "tools/coverage_uses.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace a2a3::tools {
namespace {

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

/// The dotted names in front of an opening parenthesis: `pl.load` of `x = pl.load(...)`. A method
/// of something else, `pl.FP32.get_byte`, counts as `get_byte` too.
std::set<std::string> called_names(const std::string& text) {
  std::set<std::string> names;
  for (std::size_t at = text.find('('); at != std::string::npos; at = text.find('(', at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && is_name_character(text[begin - 1]))
      --begin;
    const std::string name = text.substr(begin, at - begin);
    if (name.empty()) continue;
    names.insert(name);
    names.insert(name.substr(name.rfind('.') + 1));
  }
  return names;
}

}  // namespace

void OperationUses::read(const std::filesystem::path& directory, ir::Diagnostics& diagnostics) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::recursive_directory_iterator files(directory, error);
  if (error) {
    diagnostics.error({},
                      fmt::format("--uses {}: no directory that can be read", directory.string()));
    return;
  }
  static const std::set<std::string> kExtensions = {".py", ".txt", ".cpp", ".hpp"};
  for (const fs::directory_entry& entry : files) {
    if (!entry.is_regular_file() || !kExtensions.contains(entry.path().extension())) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    const std::string file = entry.path().lexically_normal().generic_string();
    for (const std::string& name : called_names(text.str())) {
      files_by_name_[name].insert(file);
      if (name.starts_with("pl.") || name.starts_with("pld.")) ++names_in_file_[file];
    }
  }
}

std::vector<std::string> OperationUses::of(const std::vector<std::string_view>& names) const {
  std::set<std::string> files;
  for (const std::string_view name : names) {
    const auto found = files_by_name_.find(name);
    if (found != files_by_name_.end()) files.insert(found->second.begin(), found->second.end());
  }
  std::vector<std::string> sorted(files.begin(), files.end());
  std::ranges::stable_sort(sorted, {}, [&](const std::string& file) {
    const auto count = names_in_file_.find(file);
    return count == names_in_file_.end() ? 0 : count->second;
  });
  return sorted;
}

std::string shortened(const std::vector<std::string>& files) {
  constexpr std::size_t kShown = 3;
  const std::vector<std::string> first(
      files.begin(), files.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, files.size())));
  std::string text = fmt::format("{}", fmt::join(first, ", "));
  if (files.size() > kShown) text += ", ...";
  return text;
}

}  // namespace a2a3::tools
