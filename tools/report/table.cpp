// SPDX-License-Identifier: Apache-2.0
#include "tools/report/table.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace a2a3::tools {

Table::Table(std::vector<Column> columns, std::size_t left_columns)
    : columns_(std::move(columns)), left_columns_(left_columns) {}

void Table::add_row(std::vector<std::string> cells) {
  if (cells.size() > columns_.size()) throw std::logic_error("a table row has surplus cells");
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

void Table::add_rule() {
  rows_.emplace_back();
}

std::string Table::text() const {
  std::vector<std::string> titles;
  std::vector<std::string> units;
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    units.push_back(column.unit);
    widths.push_back(std::max(column.title.size(), column.unit.size()));
  }
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c)
      widths[c] = std::max(widths[c], row[c].size());
  }

  std::string text;
  const auto append = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) line += "  ";
      line += c < left_columns_ ? fmt::format("{:<{}}", cells[c], widths[c])
                                : fmt::format("{:>{}}", cells[c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  append(titles);
  if (std::ranges::any_of(units, [](const std::string& unit) { return !unit.empty(); })) {
    append(units);
  }
  std::size_t total = 2 * (columns_.size() - 1);
  for (const std::size_t width : widths)
    total += width;
  for (const auto& row : rows_) {
    if (row.empty()) {
      text += std::string(total, '-') + '\n';
    } else {
      append(row);
    }
  }
  return text;
}

}  // namespace a2a3::tools
