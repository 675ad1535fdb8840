// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "isa/instruction.hpp"

namespace a2a3::isa {

/// Calls visit(tile) for the staging tiles through which a put or a get passes its data: it leaves
/// bytes of the transfer in them.
template <class Visit>
void for_each_stage(const Operation& operation, Visit&& visit) {
  const auto stages = [&](const auto& transfer) {
    visit(transfer.stage);
    if (transfer.stage2) visit(*transfer.stage2);
  };
  if (const auto* put = std::get_if<TPut>(&operation)) stages(*put);
  if (const auto* get = std::get_if<TGet>(&operation)) stages(*get);
}

}  // namespace a2a3::isa
