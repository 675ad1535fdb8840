// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Lowered collectives with a part of their synchronisation left out, and schedules of the cores
/// that bring out what is missing.
namespace a2a3::collectives {

/// A text with one thing left out.
struct Mutant {
  std::string name;  ///< "credit 0", "wait 1", "barrier 1", "clear 0", "count 0"
  std::string text;
};

/// The lowered text of a program with one collective. Its statements are those from behind
/// `rank = ...` to the next rank or the end of the kernel; lines that name the signal window `rest`
/// belong to the test.
class LoweredCollective {
 public:
  explicit LoweredCollective(const std::string& text);

  /// Every notify and every wait left out, and every pair of a credit and its wait: a barrier.
  [[nodiscard]] std::vector<Mutant> mutants() const;
  /// `text`, this one or a mutant of it, with rank `late` held up before the first statement of the
  /// first kernel or before one of the collective; one text for each of them.
  [[nodiscard]] std::vector<std::string> delayed(const std::string& text, std::int64_t late) const;

 private:
  std::vector<std::string> lines_;
  std::size_t begin_ = 0;  ///< lines of the collective
  std::size_t end_ = 0;
  std::string rank_;  ///< name of the variable
  std::string cell_;  ///< operands of pl.read: some cell of the signal window
};

}  // namespace a2a3::collectives
