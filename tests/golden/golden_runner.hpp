// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Golden files: one file holds the input and the output that is expected for it.
///
/// tests/golden/<topic>/<name>.txt consists of sections, each begun by a line "==== ...":
///
///   Any text: what the case shows.
///   ==== set            (optional)  lines `key = value`, handed to the topic's function
///   ==== input NAME     (one or more) NAME is the file name that diagnostics show
///   ==== output         (last)      what the topic's function must return
///
/// A case named bad-* must be refused by the function, every other one accepted. Running the
/// program with A2A3_REBASE=1 in the environment rewrites the output sections that differ.
namespace a2a3::golden {

struct Input {
  std::string name;
  std::string text;
};

struct Case {
  std::string name;  ///< the file's stem
  std::map<std::string, std::string> settings;
  std::vector<Input> inputs;  ///< at least one

  /// The setting, or `fallback` when the file does not give it.
  [[nodiscard]] std::string setting(const std::string& key, std::string fallback) const;
};

struct Outcome {
  bool accepted = true;  ///< false: the input has errors, which `output` shows
  std::string output;
};

using Tool = std::function<Outcome(const Case&)>;

/// Registers one test per file of tests/golden/<topic>/ with GoogleTest, named
/// golden_<topic>.<file>; to be called before main(), by initialising a constant. A topic without
/// files is a failing test.
bool register_topic(std::string topic, Tool tool);

}  // namespace a2a3::golden
