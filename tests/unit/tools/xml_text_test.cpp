// SPDX-License-Identifier: Apache-2.0
#include "tools/report/xml_text.hpp"

#include <string>

#include <gtest/gtest.h>

namespace a2a3::tools::xml_text_test {
namespace {

TEST(XmlText, MarkupIsEscaped) {
  EXPECT_EQ(xml_text("a<b>&\"c\" ]]>\n\t"), "a&lt;b&gt;&amp;&quot;c&quot; ]]&gt;\n\t");
}

TEST(XmlText, WhatXmlDoesNotAllowIsReplaced) {
  const std::string replaced = "\xEF\xBF\xBD";
  for (const std::string& bad :
       {std::string("\0", 1), std::string("\x1B"), std::string("\r"), std::string("\xEF\xBF\xBE"),
        std::string("\xEF\xBF\xBF"), std::string("\x80"), std::string("\xFF")})
    EXPECT_EQ(xml_text("x" + bad + "y"), "x" + replaced + "y");
  EXPECT_EQ(xml_text("\xED\xA0\x80"), replaced + replaced + replaced) << "half a surrogate pair";
  EXPECT_EQ(xml_text("caf\xC3\xA9 \xF0\x9F\x98\x80 \xEF\xBF\xBD"),
            "caf\xC3\xA9 \xF0\x9F\x98\x80 \xEF\xBF\xBD");
  EXPECT_EQ(xml_text("\xC3"), replaced) << "cut off";
}

}  // namespace
}  // namespace a2a3::tools::xml_text_test
