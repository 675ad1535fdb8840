// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "random_program.hpp"

namespace a2a3::collectives {

/// Writes the statements of one kernel.
class Writer {
 public:
  explicit Writer(const RandomProgram& program) : program_(program) {}

  /// The body of the only kernel.
  std::string body();
  /// The body of a kernel that a host function dispatches in loops of these rounds; the indices of
  /// the loops are `i0`, `i1` and so on.
  std::string kernel(const std::vector<Statement>& statements,
                     const std::vector<std::int64_t>& loops);
  /// The same of a kernel that copies all signal cells at rest.
  std::string cells();

 protected:
  void line(const std::string& code) {
    text_ += std::string(4 * static_cast<std::size_t>(indent_), ' ') + code + '\n';
  }
  void block(const std::vector<Statement>& statements);
  virtual void add(const Statement& statement);
  void add_loop(const Statement& statement);
  void add_branch(const Statement& statement);

  const RandomProgram& program_;
  std::string text_;
  std::int64_t indent_ = 0;
  std::vector<std::int64_t> loops_;  ///< rounds of the loops around, outermost first

 private:
  void copy_cells(const std::string& signal, std::int64_t rows, std::int64_t cols);
  void copy_mesh_and_ring_cells();
  void add_publish(const Statement& statement);
  /// The first row that a record in these loops writes.
  [[nodiscard]] std::string output_row(std::int64_t first, std::int64_t rows) const;
};

/// Sum, Max, Min or Prod.
[[nodiscard]] const char* member(Reduce op);

/// The tensors of the kernels, without the signals of HOST collectives.
[[nodiscard]] std::vector<Parameter> parameters(const RandomProgram& program);
/// The file of a host function.
[[nodiscard]] std::string host_text(const RandomProgram& program);

}  // namespace a2a3::collectives
