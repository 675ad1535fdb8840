// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "schedules.hpp"

/// What holds of every collective, wherever it is called. `text` is a program around it.
namespace a2a3::collectives {

/// Element i of rank r's part of an input.
[[nodiscard]] double input(const std::string& name, std::int64_t rank, std::int64_t i);

/// The timed run gives the result and moves what the closed form says.
void check_result_and_traffic(const Contract& contract, const Size& at, const std::string& text);
/// The result is the same in whatever order the cores run.
void check_orders(const Contract& contract, const Size& at, const std::string& text);
/// The lowered program, printed and read again, prints, gives and costs the same.
void check_reread(const Contract& contract, const Size& at, const std::string& text);

}  // namespace a2a3::collectives
