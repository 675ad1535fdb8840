// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace a2a3::models {

/// JSON schema of a machine file, for editors: yaml/schema/machine.schema.json.
[[nodiscard]] std::string machine_schema();

/// A Markdown table of every key of a machine file: how it is written, its range, its meaning.
[[nodiscard]] std::string machine_reference();

}  // namespace a2a3::models
