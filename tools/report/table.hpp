// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace a2a3::tools {

/// A table of text with a heading of two lines, what and in which unit. The first columns are
/// flush left, all others right.
class Table {
 public:
  struct Column {
    std::string title;
    std::string unit;
  };

  explicit Table(std::vector<Column> columns, std::size_t left_columns = 1);

  void add_row(std::vector<std::string> cells);
  /// A rule between the rows before and after.
  void add_rule();
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Column> columns_;
  std::size_t left_columns_;
  std::vector<std::vector<std::string>> rows_;  ///< an empty row is a rule
};

}  // namespace a2a3::tools
