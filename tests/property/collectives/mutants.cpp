// SPDX-License-Identifier: Apache-2.0
#include "mutants.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace a2a3::collectives {
namespace {

/// Longer than any other rank takes for the whole program.
constexpr int kDelay = 400;

const std::string kRank = " = pld.rank(";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

bool has(const std::string& line, const std::string& part) {
  return line.find(part) != std::string::npos;
}

std::size_t indent_of(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

/// What a line does for the synchronisation; empty: nothing.
std::string kind_of(const std::string& line) {
  if (has(line, "(rest,")) return "";
  if (has(line, "pld.system.wait(")) return "wait";
  if (!has(line, "pld.system.notify(")) return "";
  if (has(line, "NotifyOp.Set")) return "count";
  return has(line, "value=-") ? "clear" : "credit";
}

std::string joined(const std::vector<std::string>& lines) {
  return fmt::format("{}\n", fmt::join(lines, "\n"));
}

}  // namespace

LoweredCollective::LoweredCollective(const std::string& text) : lines_(lines_of(text)) {
  // A HOST form has a kernel of its own, in which the name is that alone.
  auto rank = std::ranges::find_if(
      lines_, [](const std::string& line) { return has(line, " rank" + kRank); });
  if (rank == lines_.end()) {
    rank = std::ranges::find_if(lines_, [](const std::string& line) { return has(line, kRank); });
  }
  if (rank == lines_.end()) throw std::invalid_argument("no collective in\n" + text);
  begin_ = static_cast<std::size_t>(rank - lines_.begin()) + 1;
  end_ = begin_;
  while (end_ < lines_.size() && !lines_[end_].empty() && !has(lines_[end_], "get_comm_ctx("))
    ++end_;
  const std::size_t at = indent_of(*rank);
  rank_ = rank->substr(at, rank->find(kRank) - at);
  for (const std::string& line : lines_) {
    if (kind_of(line) != "wait") continue;
    const std::size_t signal = line.find("wait(") + 5;
    const std::string cell =
        line.substr(line.find("offsets=["), line.find("], expected") - line.find("offsets=["));
    cell_ = line.substr(signal, line.find(',') - signal) + (has(cell, ", ") ? ", [0, 0]" : ", [0]");
  }
}

std::vector<Mutant> LoweredCollective::mutants() const {
  std::vector<Mutant> all;
  std::map<std::string, int> count;
  std::size_t credit = 0;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const std::string kind = kind_of(lines_[i]);
    if (kind.empty()) continue;
    const auto left_out = [&](std::string name, std::vector<std::size_t> which) {
      std::vector<std::string> lines = lines_;
      for (const std::size_t line : which)
        lines[line] = std::string(indent_of(lines[line]), ' ') + "pass";
      all.push_back({std::move(name), joined(lines)});
    };
    const int number = count[kind]++;
    left_out(fmt::format("{} {}", kind, number), {i});
    if (kind == "credit") credit = i;
    if (kind == "wait") left_out(fmt::format("barrier {}", number), {credit, i});
  }
  return all;
}

std::vector<std::string> LoweredCollective::delayed(const std::string& text,
                                                    std::int64_t late) const {
  const std::vector<std::string> lines = lines_of(text);
  std::vector<std::string> all;
  const auto insert = [&](std::size_t at, const std::string& rank, const std::string& cell) {
    std::vector<std::string> one = lines;
    one[at] = fmt::format(
        "{0}if {1} == {2}:\n{0}    for _late in pl.range({3}):\n"
        "{0}        _seen = pl.read({4})\n{5}",
        std::string(indent_of(lines[at]), ' '), rank, late, kDelay, cell, lines[at]);
    all.push_back(joined(one));
  };
  const auto kernel =
      std::ranges::find_if(lines, [](const std::string& line) { return line.ends_with("):"); });
  insert(static_cast<std::size_t>(kernel - lines.begin()) + 1, "pld.rank(pld.get_comm_ctx(rest))",
         "rest, [0, 0]");
  for (std::size_t i = begin_; i < end_; ++i) {
    if (!lines[i].substr(indent_of(lines[i])).starts_with("else")) insert(i, rank_, cell_);
  }
  return all;
}

}  // namespace a2a3::collectives
