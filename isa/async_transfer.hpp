// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/operand.hpp"

namespace a2a3::isa {

// Transfers that the device's DMA engine (SDMA) makes while the core goes on. Source and
// destination have the same shape and dtype and do not overlap. The engine takes the request when
// everything that this core has issued before on the same bytes is complete; from then on until a
// TWaitEvent the core has to keep away from them. A task ends only when all it has asked for is
// complete.

/// Asks for a copy of own memory `src` to `dst` on a peer. `event` is a number that the program
/// chooses; several requests may share one.
struct TPutAsync {
  GmBox dst;
  GmBox src;
  std::uint32_t event = 0;
};

/// Asks for a copy of a peer's `src` to own memory `dst`; `event` as in TPutAsync.
struct TGetAsync {
  GmBox dst;
  GmBox src;
  std::uint32_t event = 0;
};

/// Blocks the core until all its requests of that event are complete.
struct TWaitEvent {
  std::uint32_t event = 0;
};

}  // namespace a2a3::isa
