// SPDX-License-Identifier: Apache-2.0
#include "ir/op.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace a2a3::ir::op_test {
namespace {

TEST(OpTable, EveryRowIsComplete) {
  std::set<std::string> names;
  for (const OpInfo& op : op_table()) {
    EXPECT_EQ(&op_info(op.id), &op);
    EXPECT_TRUE(names.insert(std::string(op.name)).second) << op.name << " stands twice";
    EXPECT_NE(op.levels, 0) << op.name;
    EXPECT_FALSE(op.instruction.empty()) << op.name;
    EXPECT_TRUE(op.summary.ends_with('.')) << op.name;
    if (op.id == OpId::get_byte) continue;  // a method of dtypes: no name and no rule of its own
    EXPECT_NE(op.rule, nullptr) << op.name;
    EXPECT_EQ(find_op(op.name), &op);
    for (const std::string_view alias : op.aliases) {
      EXPECT_TRUE(names.insert(std::string(alias)).second) << alias << " stands twice";
      EXPECT_EQ(find_op(alias), &op);
    }
  }
  for (const UnsupportedOp& op : unsupported_ops()) {
    EXPECT_TRUE(names.insert(std::string(op.name)).second) << op.name << " is supported or twice";
    EXPECT_EQ(find_unsupported_op(op.name), &op);
  }
}

TEST(OpTable, OptionalOperandsHaveADefaultAndKeywordOnlyOnesStandLast) {
  for (const OpInfo& op : op_table()) {
    bool keyword_only = false;
    bool optional = false;
    for (const OpParameter& parameter : op.parameters) {
      EXPECT_EQ(parameter.required, parameter.default_value.empty()) << op.name;
      EXPECT_TRUE(parameter.keyword_only || !keyword_only) << op.name;
      EXPECT_TRUE(parameter.keyword_only || !parameter.required || !optional) << op.name;
      keyword_only = parameter.keyword_only;
      optional = optional || !parameter.required;
    }
  }
}

TEST(OpTable, ShortNamesAreThoseOfTheLanguage) {
  for (const char* name :
       {"pld.alloc_window_buffer", "pld.window", "pld.world_size", "pld.get_comm_ctx", "pld.rank",
        "pld.nranks", "pld.remote_load", "pld.remote_store"}) {
    EXPECT_NE(find_op(name), nullptr) << name;
  }
  for (const char* name :
       {"pld.put", "pld.get", "pld.notify", "pld.wait", "get_byte", "load", ""}) {
    EXPECT_EQ(find_op(name), nullptr) << name;
  }
}

TEST(OpTable, SignatureIsWhatTheReferenceWrites) {
  EXPECT_EQ(signature(op_info(OpId::wait)), "pld.system.wait(signal, offsets, expected, *, cmp)");
  EXPECT_EQ(signature(op_info(OpId::remote_load)),
            "pld.tile.remote_load(target, peer, offsets, shape, valid_shape=None)");
  EXPECT_EQ(signature(op_info(OpId::world_size)), "pld.system.world_size()");
}

}  // namespace
}  // namespace a2a3::ir::op_test
