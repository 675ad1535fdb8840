// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "isa/effect/effect.hpp"
#include "isa/transfer_plan.hpp"

namespace a2a3::isa {
namespace {

void run(TransferPlan plan, LocalMemory local, GlobalPort& global) {
  Operation step;
  while (plan.next(step))
    execute(step, local, global);
}

}  // namespace

void apply(const TPut& put, LocalMemory local, GlobalPort& global) {
  run(TransferPlan(put), local, global);
}

void apply(const TGet& get, LocalMemory local, GlobalPort& global) {
  run(TransferPlan(get), local, global);
}

void apply(const TNotify& notify, GlobalPort& global) {
  const auto bytes = std::as_bytes(std::span(&notify.value, 1));
  if (notify.op == NotifyOp::set) {
    global.write(notify.cell, bytes);
  } else {
    global.atomic_add(notify.cell, DType::int32, bytes);
  }
}

}  // namespace a2a3::isa
