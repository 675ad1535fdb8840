// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ir/check/function_checker.hpp"

namespace a2a3::ir {
namespace {

const std::string kPass = "MaterializeCommDomainScopes: ";

}  // namespace

/// The devices that a dispatch reaches in all iterations; nothing when its device= is wrong
/// (reported).
std::optional<DeviceSet::Run> FunctionChecker::check_device(Call& node) {
  const auto keyword = std::find_if(node.keywords.begin(), node.keywords.end(),
                                    [](const Keyword& k) { return k.name == "device"; });
  if (keyword == node.keywords.end()) return DeviceSet::Run{0, 1};
  const Expr& device = *keyword->value;
  if (device.type.kind == TypeKind::unknown) return std::nullopt;
  const auto unsupported = [&] {
    const SourceLocation at = device.location;
    error(at, kPass +
                  "device= expression must be ConstInt or the induction var of pl.range; got "
                  "an unsupported expression at " +
                  at.file->path() + ":" + std::to_string(at.line) + ":" +
                  std::to_string(at.column));
    return std::nullopt;
  };
  if (device.constant) {
    const auto* id = std::get_if<std::int64_t>(&device.constant->value);
    if (id == nullptr || *id < 0) return unsupported();
    return DeviceSet::Run{*id, *id + 1};
  }
  const auto* name = std::get_if<Name>(&device.node);
  if (name == nullptr || name->slot == kNoSlot) return unsupported();
  const auto loop = std::find_if(loops_.rbegin(), loops_.rend(), [&](const Loop& candidate) {
    return candidate.index == name->slot && candidate.range != nullptr;
  });
  // A rebound loop variable is an ordinary scalar.
  const bool is_induction =
      loop != loops_.rend() &&
      variable(name->slot).assigned_at.line == loop->range->index_location.line &&
      variable(name->slot).assigned_at.column == loop->range->index_location.column;
  if (!is_induction) {
    error(device.location,
          kPass + "device= Var is not the induction variable of any enclosing pl.range loop");
    return std::nullopt;
  }
  if (!loop->stop) return std::nullopt;  // its bounds are wrong, which was reported
  if (!(*loop->step == Dim(1))) {
    error(device.location, kPass + "device=" + name->id +
                               " over a non-unit-step loop is not supported (step=" +
                               module().describe(*loop->step) + ")");
    return std::nullopt;
  }
  const Dim& start = *loop->start;
  const Dim& stop = *loop->stop;
  const bool bounds_known =
      start.is_constant() && (stop.is_constant() || stop == Dim::world_size());
  if (!bounds_known) {
    error(device.location,
          kPass + "device=" + name->id + " loop bound must be ConstInt or pld.system.world_size()")
        .notes.push_back({"write `for " + name->id +
                              " in pl.range(pld.world_size()):`, or a number known before the run",
                          {}});
    return std::nullopt;
  }
  if (*start.constant() < 0 || stop.constant().value_or(0) < 0) {
    error(device.location, kPass + "device=" + name->id + " loop range must be [0, N) with N>=0");
    return std::nullopt;
  }
  return DeviceSet::Run{*start.constant(), stop.constant()};
}

void FunctionChecker::mark_dispatched(const Call& node) {
  if (function_.kind != FunctionKind::host) return;
  const auto mark = [this](const Expr& argument) {
    const std::int32_t buffer = origin_of(argument).buffer;
    if (buffer >= 0) program_.buffers.at(static_cast<std::size_t>(buffer)).dispatched = true;
  };
  for (const ExprPtr& argument : node.args)
    mark(*argument);
  for (const Keyword& keyword : node.keywords)
    mark(*keyword.value);
}

void FunctionChecker::mark_devices(const Call& node, DeviceSet::Run devices) {
  if (!is_host()) return;
  for (const ExprPtr& argument : node.args) {
    const std::int32_t buffer = origin_of(*argument).buffer;
    if (buffer < 0) continue;
    program_.buffers.at(static_cast<std::size_t>(buffer)).devices.add(devices);
  }
}

void FunctionChecker::check_buffers(std::size_t first_buffer) {
  if (program_.has_lost_statements()) return;  // a lost statement may be the missing use
  for (std::size_t i = first_buffer; i < program_.buffers.size(); ++i) {
    const BufferUse& buffer = program_.buffers[i];
    if (!buffer.viewed) {
      error(buffer.location, kPass + "pld.tensor.alloc_window_buffer '" + buffer.name +
                                 "' has no pld.tensor.window materialisation (dead allocation)");
    } else if (!buffer.dispatched) {
      error(buffer.location, kPass + "pld.tensor.alloc_window_buffer '" + buffer.name +
                                 "' is not consumed by any chip_orch dispatch");
    }
  }
}

}  // namespace a2a3::ir
