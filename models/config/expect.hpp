// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/diagnostic.hpp"
#include "models/config/document.hpp"

namespace a2a3::models {

/// True when the value is a single one; an error at it (at the key, when there is none) otherwise.
bool expect_scalar(const ConfigEntry& entry, ir::Diagnostics& diagnostics);

/// True when the value is a mapping; an error at its key otherwise.
bool expect_mapping(const ConfigEntry& entry, ir::Diagnostics& diagnostics);

/// Where an error about the value stands: a value that is missing has no place of its own.
[[nodiscard]] ir::SourceLocation place_of_value(const ConfigEntry& entry);

}  // namespace a2a3::models
