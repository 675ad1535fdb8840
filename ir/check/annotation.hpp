// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/diagnostic.hpp"
#include "ir/module.hpp"

namespace a2a3::ir {

/// Where an annotation stands decides which types it may name.
enum class AnnotationPlace : std::uint8_t { parameter, result, variable };

/// The type that an annotation of a function with these captures means; unknown, with an error at
/// the offending part, when it means none.
[[nodiscard]] Type resolve_annotation(TypeExpr& annotation, AnnotationPlace place, Module& module,
                                      Scope& captures, Diagnostics& diagnostics);

}  // namespace a2a3::ir
