// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/source.hpp"
#include "models/config/text_file.hpp"

namespace a2a3::models {

struct ConfigEntry;

/// One node of a YAML file with the place it stands at.
struct ConfigNode {
  enum class Kind : std::uint8_t { null, scalar, sequence, mapping };

  Kind kind = Kind::null;
  bool quoted = false;  ///< a scalar in quotes: text, never a number
  ir::SourceLocation location;
  std::string scalar;
  std::vector<ConfigNode> items;     ///< of a sequence
  std::vector<ConfigEntry> entries;  ///< of a mapping, in the order of the file, keys distinct

  [[nodiscard]] const ConfigEntry* find(std::string_view key) const;
};

struct ConfigEntry {
  std::string key;
  ir::SourceLocation key_location;
  ConfigNode value;
};

/// "a mapping", "a list", "a single value", "nothing": for messages.
[[nodiscard]] std::string_view describe(ConfigNode::Kind kind);

/// A YAML file that holds one mapping.
struct ConfigDocument {
  ir::SourceFilePtr source;
  ConfigNode root;  ///< what could be read before the first syntax error
  ir::Diagnostics diagnostics;
};

/// Parses YAML. Errors: syntax, text that is no UTF-8, nesting, duplicate and non-scalar keys, a
/// root that is no mapping, a second document; anchors, aliases, merge keys and tags are refused,
/// so that a small file cannot stand for a large one.
[[nodiscard]] ConfigDocument parse_document(ir::SourceFilePtr source,
                                            const ConfigLimits& limits = {});

/// The comment behind a value on its line, without `#`, joined with the comment-only lines right
/// below that begin in the same column. Empty when there is none.
[[nodiscard]] std::string trailing_comment(const ir::SourceLocation& value);

/// An error for every key of the mapping that is not one of `known`, with the nearest known one.
/// `path` is the mapping's own path in the file, empty for the root.
void report_unknown_keys(const ConfigNode& mapping, std::string_view path,
                         const std::vector<std::string>& known, ir::Diagnostics& diagnostics);

}  // namespace a2a3::models
