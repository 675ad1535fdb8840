// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "ir/diagnostic.hpp"
#include "ir/file.hpp"

namespace a2a3::ir {

struct ElaborateOptions {
  std::string entry;  ///< host function, program class or factory; empty: the only one there is
  std::map<std::string, std::string> settings;  ///< --set NAME=VALUE: module constants, factory
                                                ///< arguments; dynamic dims are bound later
  std::int64_t world_size =
      1;  ///< value of factory arguments that stand for the rank count and are not set
  /// The parser reported errors: what is missing here may have been lost with them, and is then no
  /// mistake of its own.
  bool has_losses = false;
  /// What names the entry was wrong, which was reported.
  bool entry_lost = false;
  /// Functions of the file that the program does not reach are kept in Module::unreached, to be
  /// checked.
  bool keep_unreached = true;
  bool self_clearing_host_allreduce = false;  ///< --host-allreduce=self-clearing
};

struct Elaborated {
  /// Null when no program could be chosen or built. It may be there beside errors: then check() it
  /// all the same, so that every mistake is reported at once, and stop.
  std::unique_ptr<Module> module;
  Diagnostics diagnostics;
  std::vector<std::string>
      unused_settings;  ///< settings that named no constant, argument or dynamic dim of the file
};

/// Chooses the program of a file, runs its factory, interprets decorators, and folds captured names
/// into constants. Consumes the file: the module takes over the function bodies. Diagnostics point
/// into the file's source, which the caller keeps alive.
[[nodiscard]] Elaborated elaborate(File file, const ElaborateOptions& options);

}  // namespace a2a3::ir
