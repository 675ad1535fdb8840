// SPDX-License-Identifier: Apache-2.0
#include "ir/imports.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "ir/parse/token_cursor.hpp"

namespace a2a3::ir {
namespace {

class ImportScan {
 public:
  explicit ImportScan(TokenCursor cursor) : cursor_(cursor) {}

  Imports run() {
    bool starts_statement = true;
    bool behind_dot = false;
    while (!cursor_.at(TokenKind::end)) {
      if (starts_statement && cursor_.accept("import")) {
        import_list("", false);
      } else if (starts_statement && cursor_.accept("from")) {
        const std::string module = dotted();
        if (cursor_.accept("import")) import_list(module + ".", true);
      } else if (!behind_dot && cursor_.is(1, ".")) {
        note_use();
      }
      starts_statement = cursor_.at(TokenKind::newline) || cursor_.at(TokenKind::indent) ||
                         cursor_.at(TokenKind::dedent) || cursor_.at(";") || cursor_.at(":");
      behind_dot = cursor_.at(".");
      cursor_.advance();
    }
    return std::move(imports_);
  }

 private:
  void note_use() {
    auto* first = cursor_.at("pl")    ? &imports_.first_pl
                  : cursor_.at("pld") ? &imports_.first_pld
                                      : nullptr;
    if (first != nullptr && !*first) *first = cursor_.here();
  }

  std::string dotted() {
    std::string text;
    while (cursor_.at(".") || cursor_.at("...") || cursor_.at_name()) {
      text += cursor_.text();
      cursor_.advance();
    }
    return text;
  }

  /// Names separated by commas up to the end of the statement.
  void import_list(const std::string& prefix, bool from) {
    (void)cursor_.accept("(");
    do {
      const std::size_t first = cursor_.position();
      if (from && cursor_.accept("*")) imports_.unknown = true;
      ImportedName imported{"", prefix + dotted(), {}};
      // `import a.b` binds a; `from a import b` binds b.
      const std::size_t dot = imported.module.find('.');
      imported.name = from ? imported.module.substr(prefix.size()) : imported.module.substr(0, dot);
      if (cursor_.accept("as") && cursor_.at_name()) {
        imported.name = cursor_.text();
        cursor_.advance();
      }
      if (cursor_.position() == first) return;
      imported.location = cursor_.since(first);
      imports_.names.push_back(std::move(imported));
    } while (cursor_.accept(","));
  }

  TokenCursor cursor_;
  Imports imports_;
};

void check_import(const Imports& imports, const std::string& name, const std::string& module,
                  const std::optional<SourceLocation>& use, Diagnostics& diagnostics) {
  const std::string statement = "import " + module + " as " + name;
  const auto bound = std::find_if(imports.names.rbegin(), imports.names.rend(),
                                  [&](const ImportedName& i) { return i.name == name; });
  if (bound != imports.names.rend()) {
    if (bound->module == module || !use) return;
    diagnostics.error(bound->location, "'" + name + "' is " + bound->module +
                                           " here, and kernels need it for the language: write " +
                                           statement);
    return;
  }
  const auto other = std::find_if(imports.names.begin(), imports.names.end(),
                                  [&](const ImportedName& i) { return i.module == module; });
  if (other != imports.names.end()) {
    diagnostics.error(other->location, "the kernel language is read by the name '" + name +
                                           "' alone: write " + statement);
  } else if (use && !imports.unknown) {
    diagnostics.warning(*use, "nothing imports '" + name +
                                  "': the real compiler stops here with a NameError; write " +
                                  statement);
  }
}

}  // namespace

Imports find_imports(TokenCursor cursor) {
  return ImportScan(cursor).run();
}

void check_imports(const Imports& imports, Diagnostics& diagnostics) {
  check_import(imports, "pl", "pypto.language", imports.first_pl, diagnostics);
  check_import(imports, "pld", "pypto.language.distributed", imports.first_pld, diagnostics);
}

}  // namespace a2a3::ir
