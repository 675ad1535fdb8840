// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include "ir/utf8.hpp"
#include "models/config/document.hpp"

namespace a2a3::models {
namespace {

/// Turns yaml-cpp's events into nodes. yaml-cpp's own node tree is not used: it loses duplicate
/// keys and follows aliases.
class Builder : public YAML::EventHandler {
 public:
  Builder(const ir::SourceFile& file, const ConfigLimits& limits, ir::Diagnostics& diagnostics)
      : file_(file), limits_(limits), diagnostics_(diagnostics) {}

  /// yaml-cpp counts lines and bytes of a line from 0, and has -1 for "nowhere".
  [[nodiscard]] ir::SourceLocation place(const YAML::Mark& mark, std::size_t length = 1) {
    ir::SourceLocation location;
    location.file = &file_;
    location.line = mark.line < 0 ? 1 : static_cast<std::uint32_t>(mark.line) + 1;
    const std::string_view line = file_.line(location.line);
    const auto byte = std::min<std::size_t>(mark.column < 0 ? 0 : mark.column, line.size());
    // Marks move forward, so a long line is gone through once.
    if (last_.line != location.line || byte < last_byte_) {
      last_ = location;
      last_.column = 1;
      last_byte_ = 0;
    }
    last_.column += ir::utf8::length(line.substr(last_byte_, byte - last_byte_));
    last_byte_ = byte;
    location.column = last_.column;
    location.length = static_cast<std::uint32_t>(
        std::clamp<std::size_t>(length, 1, std::max<std::size_t>(1, line.size() - byte)));
    return location;
  }

  /// The whole file.
  [[nodiscard]] ConfigNode take_root() { return std::move(root_); }

  /// What stands complete before a syntax error on the given line.
  [[nodiscard]] ConfigNode take_root_before(std::uint32_t line) {
    if (open_.empty()) return std::move(root_);
    ConfigNode root = std::move(open_.front().node);
    std::erase_if(root.entries,
                  [line](const ConfigEntry& entry) { return entry.value.location.line >= line; });
    return root;
  }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add(node(ConfigNode::Kind::null, place(mark)));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    diagnostics_.error(place(mark), "aliases (*name) are not supported: write the value out");
    refused_ = true;
    add(node(ConfigNode::Kind::null, place(mark)));
  }
  void OnAnchor(const YAML::Mark& mark, const std::string&) override {
    diagnostics_.error(place(mark), "anchors (&name) are not supported: write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    check_tag(mark, tag);
    const bool quoted = tag == "!";
    ConfigNode scalar =
        node(ConfigNode::Kind::scalar, place(mark, value.size() + (quoted ? 2 : 0)));
    scalar.quoted = quoted;
    scalar.scalar = value;
    add(std::move(scalar));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, ConfigNode::Kind::sequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, ConfigNode::Kind::mapping);
  }
  void OnMapEnd() override { close(); }

 private:
  /// A sequence or mapping whose end is not yet read.
  struct Open {
    ConfigNode node;
    bool has_key = false;  ///< a mapping's key was read, its value not
    bool key_refused = false;
    std::string key;
    ir::SourceLocation key_location;
    std::map<std::string, ir::SourceLocation> keys;  ///< read so far
  };

  static ConfigNode node(ConfigNode::Kind kind, ir::SourceLocation location) {
    ConfigNode result;
    result.kind = kind;
    result.location = location;
    return result;
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    diagnostics_.error(place(mark), "tags (!type) are not supported: write the plain value");
  }

  void open(const YAML::Mark& mark, const std::string& tag, ConfigNode::Kind kind) {
    check_tag(mark, tag);
    if (open_.size() >= limits_.max_nesting) {
      throw YAML::ParserException(
          mark, fmt::format("nested deeper than {} (--max-nesting)", limits_.max_nesting));
    }
    open_.emplace_back();
    open_.back().node = node(kind, place(mark));
  }

  void close() {
    ConfigNode done = std::move(open_.back().node);
    open_.pop_back();
    add(std::move(done));
  }

  void add(ConfigNode node) {
    const bool refused = std::exchange(refused_, false);
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == ConfigNode::Kind::sequence) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.has_key) {
      parent.has_key = true;
      parent.key = node.scalar;
      parent.key_location = node.location;
      parent.key_refused = refused || !check_key(node);
    } else {
      parent.has_key = false;
      if (!refused && !parent.key_refused) add_entry(parent, std::move(node));
    }
  }

  /// Reports a key that is none.
  bool check_key(const ConfigNode& key) {
    if (key.kind != ConfigNode::Kind::scalar) {
      diagnostics_.error(key.location,
                         fmt::format("a key must be a word, got {}", describe(key.kind)));
      return false;
    }
    if (key.scalar != "<<" || key.quoted) return true;
    diagnostics_.error(key.location,
                       "merge keys (<<) are not supported: write the values out, or use extends");
    return false;
  }

  void add_entry(Open& parent, ConfigNode value) {
    const auto [first, added] = parent.keys.emplace(parent.key, parent.key_location);
    if (!added) {
      diagnostics_.error(parent.key_location, fmt::format("duplicate key '{}'", parent.key))
          .notes.push_back({"first given here", first->second});
      return;
    }
    parent.node.entries.push_back({std::move(parent.key), parent.key_location, std::move(value)});
  }

  const ir::SourceFile& file_;
  const ConfigLimits& limits_;
  ir::Diagnostics& diagnostics_;
  std::vector<Open> open_;
  ConfigNode root_;
  bool refused_ = false;     ///< the next node was reported and must not be used
  ir::SourceLocation last_;  ///< the place returned last, which is at byte last_byte_ of its line
  std::size_t last_byte_ = 0;
};

/// Reports the first character that no text file holds.
bool check_text(const ir::SourceFile& file, ir::Diagnostics& diagnostics) {
  const std::string_view text = file.text();
  std::size_t wrong = ir::utf8::first_invalid(text);
  for (std::size_t at = 0; at < std::min(wrong, text.size()); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool control =
        (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7f;
    if (control) wrong = at;
  }
  if (wrong == std::string_view::npos) return true;
  const std::string_view before = text.substr(0, wrong);
  const std::size_t newline = before.rfind('\n');
  const std::size_t line_begin = newline == std::string_view::npos ? 0 : newline + 1;
  const auto line = static_cast<std::uint32_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::uint32_t column = ir::utf8::length(before.substr(line_begin)) + 1;
  diagnostics.error({&file, line, column, 1}, fmt::format("not a text file: byte 0x{:02x}",
                                                          static_cast<unsigned char>(text[wrong])));
  return false;
}

/// yaml-cpp's most frequent messages in the words of somebody who writes the file.
std::string explain(const std::string& message) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> known = {{
      {"end of map not found", "this does not fit the keys above it: check its indentation"},
      {"end of map flow not found", "a mapping in braces goes on here: expected ',' or '}'"},
      {"end of sequence not found", "this does not fit the list above it: check its indentation"},
      {"end of sequence flow not found", "a list in brackets goes on here: expected ',' or ']'"},
      {"illegal map value",
       "no key can stand here: check the indentation (spaces, no tabs), or put the text in quotes"},
      {"illegal block entry", "no list item can stand here: check the indentation"},
  }};
  for (const auto& [theirs, ours] : known) {
    if (message == theirs) return std::string(ours);
  }
  return "YAML: " + message;
}

}  // namespace

ConfigDocument parse_document(ir::SourceFilePtr source, const ConfigLimits& limits) {
  ConfigDocument document;
  document.source = std::move(source);
  document.diagnostics.keep(document.source);
  if (!check_text(*document.source, document.diagnostics)) return document;
  std::istringstream stream{std::string(document.source->text())};
  Builder builder(*document.source, limits, document.diagnostics);
  bool complete = false;
  try {
    YAML::Parser parser(stream);
    complete = parser.HandleNextDocument(builder);
    document.root = builder.take_root();
    Builder second(*document.source, limits, document.diagnostics);
    if (complete && parser.HandleNextDocument(second)) {
      document.diagnostics.error(second.take_root().location,
                                 "a second document: the file must hold one");
    }
  } catch (const YAML::Exception& error) {
    const ir::SourceLocation where = builder.place(error.mark);
    document.diagnostics.error(where, explain(error.msg));
    if (!complete) document.root = builder.take_root_before(where.line);
    return document;
  }
  if (document.root.kind == ConfigNode::Kind::mapping) return document;
  const bool empty = document.root.kind == ConfigNode::Kind::null;
  ir::SourceLocation where = document.root.location;
  if (!where.known()) where = {document.source.get(), 1, 1, 1};
  if (!document.diagnostics.has_errors()) {
    document.diagnostics.error(where, empty ? "the file is empty: expected 'key: value' lines"
                                            : fmt::format("expected 'key: value' lines, got {}",
                                                          describe(document.root.kind)));
  }
  return document;
}

}  // namespace a2a3::models
