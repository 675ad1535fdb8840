// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <systemc>
#include <vector>

namespace a2a3::sim {

/// A SystemC kernel of its own: time, modules, events. Modules are made, run and destroyed while it
/// is entered; the former kernel is back afterwards. SystemC never prints anything meanwhile:
/// errors are thrown as std::runtime_error, warnings collected, information dropped.
class SystemcContext {
 public:
  SystemcContext();
  ~SystemcContext();
  SystemcContext(const SystemcContext&) = delete;
  SystemcContext& operator=(const SystemcContext&) = delete;

  class Entered {
   public:
    explicit Entered(SystemcContext& context);
    ~Entered();
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;

   private:
    sc_core::sc_simcontext* former_context_;
    sc_core::sc_report_handler_proc former_handler_;
    SystemcContext* former_entered_;
  };

  /// What SystemC warned of so far. Nothing that this project builds gives it a reason.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  static void handle(const sc_core::sc_report& report, const sc_core::sc_actions& actions);

  static SystemcContext* entered_;
  std::unique_ptr<sc_core::sc_simcontext> context_;
  std::vector<std::string> warnings_;
};

}  // namespace a2a3::sim
