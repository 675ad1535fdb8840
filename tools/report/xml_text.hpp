// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace a2a3::tools {

/// Any text as characters of an XML 1.0 document in UTF-8, between tags or in quotes: markup is
/// escaped, and U+FFFD stands for what XML does not allow (control characters but tab and line
/// feed, U+FFFE, U+FFFF) and for bytes that are no UTF-8.
[[nodiscard]] std::string xml_text(const std::string& text);

}  // namespace a2a3::tools
