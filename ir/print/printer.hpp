// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/file.hpp"
#include "ir/module.hpp"

namespace a2a3::ir {

/// Writes nodes as they were parsed; a module's printer overrides how names and calls are written.
class Printer {
 public:
  virtual ~Printer() = default;

  void print(const File& file);
  /// `min_precedence`: an expression that binds less is put into parentheses.
  void print(const Expr& expr, int min_precedence = 0);

  [[nodiscard]] std::string take() { return std::move(out_); }

 protected:
  virtual void print_name(const Name& name, const Expr& expr, int min_precedence);
  virtual void print_callee(const Call& call);
  /// The type of a parameter without an annotation; empty when there is none to write.
  [[nodiscard]] virtual std::string annotation_of(const Parameter& parameter);
  /// An annotation, which Python evaluates outside of its function.
  virtual void print_annotation(const TypeExpr& annotation);

  void print_imports();
  void print_function(const Function& function, bool with_self);
  void print_docstring(const std::string& text);
  void print_block(const Block& block);
  void write(std::string_view text) { out_ += text; }
  /// Text in parentheses where its precedence asks for them.
  void write(std::string_view text, int precedence, int min_precedence);
  void begin_line() { out_.append(4 * indent_, ' '); }
  void end_line() { out_ += '\n'; }
  void line(std::string_view text);

  struct Indent {
    explicit Indent(Printer& printer) : printer_(printer) { ++printer_.indent_; }
    ~Indent() { --printer_.indent_; }
    Indent(const Indent&) = delete;
    Indent& operator=(const Indent&) = delete;

   private:
    Printer& printer_;
  };

 private:
  friend struct ExpressionWriter;
  friend struct StatementWriter;
  friend struct FactoryWriter;

  void print_list(const std::vector<ExprPtr>& items);
  void print_decorators(const std::vector<Decorator>& decorators);
  void print(const ParsedFunction& function);
  void print(const ParsedClass& parsed);
  void print(const Factory& factory);
  void print(const ConstantDef& constant);
  void print(const std::vector<FactoryStmt>& body);
  [[nodiscard]] std::string header(const Function& function, bool with_self,
                                   std::string_view separator);

  std::string out_;
  std::size_t indent_ = 0;
};

/// The literal in double quotes, escaped.
[[nodiscard]] std::string quoted(const std::string& value);
/// A float so that it reads back as one.
[[nodiscard]] std::string float_text(double value);

inline constexpr int kUnaryPrecedence = 11;
inline constexpr int kSumPrecedence = 9;
inline constexpr int kTermPrecedence = 10;
inline constexpr int kNumberPrecedence = 13;  ///< `(1).name` needs its parentheses
inline constexpr int kAtomPrecedence = 14;

}  // namespace a2a3::ir
