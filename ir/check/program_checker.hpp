// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/module.hpp"

namespace a2a3::ir {

/// A window buffer that the host program allocates.
struct BufferUse {
  std::string name;
  SourceLocation location;
  std::optional<Dim> bytes;
  bool counts_bytes = false;  ///< allocated in the int form
  bool viewed = false;
  bool dispatched = false;
};

/// Checks the functions of a module on demand: a call checks its callee first, with the types that
/// unannotated parameters take from it.
class ProgramChecker {
 public:
  ProgramChecker(Module& module, Diagnostics& diagnostics, const Diagnostics& earlier);

  void run();

  [[nodiscard]] Module& module() { return module_; }
  [[nodiscard]] Diagnostics& diagnostics() { return *diagnostics_; }

  /// The function of that name that code of the program or, for functions outside of it, of the
  /// file sees.
  [[nodiscard]] Function* find_function(std::string_view name);
  [[nodiscard]] std::vector<std::string> function_names() const;
  /// Gives unannotated parameters the arguments' types, checks the body if that has not happened
  /// yet, and returns the result's type. Reports callers that disagree. (There is no recursion: a
  /// host function calls per-device functions, those call kernels, and kernels call nothing.)
  Type enter(Function& callee, const std::vector<Type>& arguments, SourceLocation call);

  /// The name was assigned or defined by something that did not parse.
  [[nodiscard]] bool is_lost(std::string_view name) const { return lost_.contains(name); }
  [[nodiscard]] bool has_lost_statements() const { return has_lost_statements_; }

  std::vector<BufferUse> buffers;

 private:
  enum class State : std::uint8_t { waiting, done };
  struct Status {
    State state = State::waiting;
    SourceLocation first_call;
  };

  void resolve_signature(Function& function);
  /// The type an unannotated parameter takes from an argument: dimensions that only the caller
  /// knows (its run-time scalars, the world size) become dynamic dimensions of the callee.
  [[nodiscard]] Type parameter_type(const Type& argument, const std::string& parameter);
  void check_body(Function& function);
  void check_remaining(std::vector<std::unique_ptr<Function>>& functions, bool report_unannotated);
  void check_unreached();
  void collect_lost(const Diagnostics& earlier);

  Module& module_;
  Diagnostics* diagnostics_;
  std::map<const Function*, Status> status_;
  std::vector<std::pair<Dim, Dim>> inferred_dims_;  ///< the caller's, the callee's
  std::set<std::string, std::less<>> lost_;
  bool has_lost_statements_ = false;
};

}  // namespace a2a3::ir
