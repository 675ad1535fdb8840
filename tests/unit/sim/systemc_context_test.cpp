// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/systemc_context.hpp"

#include <gtest/gtest.h>

namespace a2a3::sim::systemc_context_test {
namespace {

TEST(SystemcContext, ErrorsAreThrownWarningsCollectedNothingPrinted) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  SystemcContext context;
  {
    const SystemcContext::Entered entered(context);
    SC_REPORT_INFO("a2a3", "information");
    SC_REPORT_WARNING("a2a3", "a warning");
    EXPECT_THROW(SC_REPORT_ERROR("a2a3", "an error"), std::runtime_error);
  }
  ASSERT_EQ(context.warnings().size(), 1u);
  EXPECT_EQ(context.warnings()[0], "SystemC: a2a3: a warning");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(SystemcContext, EachHasATimeOfItsOwn) {
  SystemcContext first;
  SystemcContext second;
  {
    const SystemcContext::Entered entered(first);
    sc_core::sc_start(sc_core::sc_time(5, sc_core::SC_NS));
    {
      const SystemcContext::Entered inner(second);
      EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
      sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_NS));
    }
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(5, sc_core::SC_NS));
  }
  const SystemcContext::Entered entered(second);
  EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(1, sc_core::SC_NS));
}

}  // namespace
}  // namespace a2a3::sim::systemc_context_test
