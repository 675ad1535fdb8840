// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/systemc_context.hpp"

#include <cstdlib>
#include <exception>

namespace a2a3::sim {
namespace {

/// The library reads the variable when its first kernel is made.
void silence_banner() {
  static const int done = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  static_cast<void>(done);
}

std::string text(const sc_core::sc_report& report) {
  std::string text = std::string("SystemC: ") + report.get_msg_type();
  if (report.get_msg() != nullptr && *report.get_msg() != '\0')
    text += std::string(": ") + report.get_msg();
  return text;
}

}  // namespace

SystemcContext* SystemcContext::entered_ = nullptr;

SystemcContext::SystemcContext() {
  silence_banner();
  context_ = std::make_unique<sc_core::sc_simcontext>();
}

SystemcContext::~SystemcContext() {
  const Entered entered(*this);
  context_.reset();
}

SystemcContext::Entered::Entered(SystemcContext& context)
    : former_context_(sc_core::sc_curr_simcontext),
      former_handler_(sc_core::sc_report_handler::get_handler()),
      former_entered_(entered_) {
  entered_ = &context;
  sc_core::sc_curr_simcontext = context.context_.get();
  sc_core::sc_report_handler::set_handler(&SystemcContext::handle);
}

SystemcContext::Entered::~Entered() {
  sc_core::sc_report_handler::set_handler(former_handler_);
  sc_core::sc_curr_simcontext = former_context_;
  entered_ = former_entered_;
}

void SystemcContext::handle(const sc_core::sc_report& report,
                            const sc_core::sc_actions& /*actions*/) {
  if (report.get_severity() == sc_core::SC_INFO) return;
  if (report.get_severity() == sc_core::SC_WARNING) {
    entered_->warnings_.push_back(text(report));
    return;
  }
  throw std::runtime_error(text(report));
}

}  // namespace a2a3::sim
