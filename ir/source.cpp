// SPDX-License-Identifier: Apache-2.0
#include "ir/source.hpp"

#include <utility>

namespace a2a3::ir {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

SourceFile::SourceFile(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)) {
  if (text_.starts_with(kByteOrderMark)) text_.erase(0, kByteOrderMark.size());
  line_begin_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i) {
    const bool line_ends =
        text_[i] == '\n' || (text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n'));
    if (line_ends) line_begin_.push_back(i + 1);
  }
}

std::string_view SourceFile::line(std::uint32_t line) const {
  if (line == 0 || line > line_begin_.size()) return {};
  const std::size_t begin = line_begin_[line - 1];
  std::size_t end = line < line_begin_.size() ? line_begin_[line] : text_.size();
  if (end > begin && text_[end - 1] == '\n') --end;
  if (end > begin && text_[end - 1] == '\r') --end;
  return text().substr(begin, end - begin);
}

}  // namespace a2a3::ir
