// SPDX-License-Identifier: Apache-2.0
// Slices of tensors and window views above kernels, and boxes that kernels write their results to.
#include <algorithm>

#include <fmt/format.h>

#include "interp/host_run.hpp"
#include "interp/host_view.hpp"

namespace a2a3::interp {
namespace {

/// From the first byte to the last one.
bool may_have_common_bytes(const HostObject& a, const HostObject& b) {
  return same_memory(a, b) && a.offset_bytes < b.offset_bytes + b.bytes &&
         b.offset_bytes < a.offset_bytes + a.bytes;
}

bool have_common_bytes(const std::vector<ByteRun>& left, const std::vector<ByteRun>& right) {
  for (std::size_t i = 0, k = 0; i < left.size() && k < right.size();) {
    if (left[i].begin < right[k].end && right[k].begin < left[i].end) return true;
    ++(left[i].end <= right[k].end ? i : k);
  }
  return false;
}

std::vector<std::int64_t> without_ones(std::vector<std::int64_t> shape) {
  std::erase(shape, 1);
  return shape;
}

}  // namespace

std::optional<HostObject> HostRun::box(const Activation& activation, const Op& op,
                                       const HostObject& whole, const HostObject* source) {
  const ViewSite& site = activation.frame.program->views[op.site];
  const auto number = [&](Register index) {
    return activation.frame.scalars[static_cast<std::size_t>(index)];
  };
  if (site.offsets.rank != whole.shape.size()) {
    error(where(op), fmt::format("a box of {} dimensions in \"{}\", which has {}",
                                 site.offsets.rank, whole.name, whole.shape.size()));
    return std::nullopt;
  }
  std::vector<HostAxis> axes;
  for (std::size_t d = 0; d < whole.shape.size(); ++d) {
    HostAxis axis{number(site.offsets.index[d]), 1, site.dropped[d]};
    if (d < site.shape.rank) {
      axis.extent = number(site.shape.index[d]);
    } else if (source != nullptr && source->shape.size() + d >= whole.shape.size()) {
      axis.extent = source->shape[source->shape.size() + d - whole.shape.size()];
    }
    const std::int64_t size = whole.shape[d];
    if (axis.dropped && (axis.offset < 0 || axis.offset >= size)) {
      ir::Diagnostic& outside = diagnostics_.error(
          where(op), fmt::format("index {} of \"{}\" is outside dimension {}, which has size {}",
                                 axis.offset, whole.name, d, size));
      if (axis.offset >= size && axis.offset < options_.world_size) {
        outside.notes.push_back({fmt::format("the run has {} ranks: make the dimension a "
                                             "pl.dynamic one, or run with {} device{}",
                                             options_.world_size, size, size == 1 ? "" : "s"),
                                 {}});
      }
      return std::nullopt;
    }
    if (axis.offset < 0 || axis.extent < 1 || axis.offset > size - axis.extent) {
      error(where(op), fmt::format("a slice of \"{}\" at {} with {} elements is outside dimension "
                                   "{}, which has size {}",
                                   whole.name, axis.offset, axis.extent, d, size));
      return std::nullopt;
    }
    axes.push_back(axis);
  }
  return box_of(whole, axes);
}

bool HostRun::slice(Activation& activation, const Op& op) {
  const HostObject* whole = object_of(activation, op, op.a);
  if (whole == nullptr) return false;
  auto part = box(activation, op, *whole, nullptr);
  if (!part) return false;
  activation.frame.references[static_cast<std::size_t>(op.dst)] =
      static_cast<std::int32_t>(add_object(std::move(*part)));
  return true;
}

bool HostRun::extent(Activation& activation, const Op& op) {
  const HostObject* object = object_of(activation, op, op.a);
  if (object == nullptr) return false;
  const auto axis =
      static_cast<std::size_t>(activation.frame.scalars[static_cast<std::size_t>(op.b)]);
  if (axis >= object->shape.size()) {
    return error(where(op), fmt::format("\"{}\" has {} dimensions, no dimension {}", object->name,
                                        object->shape.size(), axis));
  }
  activation.frame.scalars[static_cast<std::size_t>(op.dst)] = object->shape[axis];
  return true;
}

bool HostRun::assemble(Activation& activation, const Op& op) {
  const HostObject* target = object_of(activation, op, op.a);
  const HostObject* result = target == nullptr ? nullptr : object_of(activation, op, op.b);
  if (result == nullptr) return false;
  const auto into = box(activation, op, *target, result);
  if (!into) return false;
  if (same_elements(*into, *result)) return true;  // the kernel wrote there
  if (result->kind == HostObject::Kind::temporary && !same_memory(*result, *target)) {
    return put_into(*result, *into, op);
  }
  diagnostics_.unsupported(
      where(op),
      fmt::format("pl.assemble of \"{}\" into \"{}\" would copy data between kernels, which is",
                  result->name, into->name),
      "give the kernel that makes the data the box as its output, as in y[a:b] = kernel(x, "
      "y[a:b]), or copy it in a kernel");
  return false;
}

bool HostRun::is_used_by_others(const HostObject& temporary, const HostObject& box, const Op& op) {
  const MadeTensor& made = temporaries_[temporary.index];
  if (made.uses.empty()) return false;
  const std::uint32_t device = record_.temporaries[temporary.index].device;
  const auto box_runs = runs_of(box, 1, where(op));
  if (!box_runs) return true;
  const std::size_t first_task = record_.open_arguments[made.uses.front()].task;
  for (auto use = record_.open_arguments.rbegin();
       use != record_.open_arguments.rend() && use->task >= first_task; ++use) {
    ++steps_;
    const HostObject& object = record_.objects[use->object];
    const Task& task = record_.tasks[use->task];
    if (task.device != device || !may_have_common_bytes(object, box)) continue;
    const auto runs = runs_of(object, 1, where(op));
    if (!runs) return true;
    steps_ += box_runs->size();
    if (!have_common_bytes(*runs, *box_runs)) continue;
    diagnostics_
        .unsupported(
            where(op),
            fmt::format("pl.assemble of \"{}\" into \"{}\", which a kernel uses while \"{}\" is "
                        "made, is",
                        temporary.name, box.name, temporary.name),
            "the kernels write their result into the box from the start: assemble it before "
            "others use the box")
        .notes.push_back({fmt::format("kernel \"{}\" uses it here", task.kernel->name), task.call});
    return true;
  }
  return false;
}

bool HostRun::put_into(const HostObject& result, const HostObject& box, const Op& op) {
  const std::size_t index = result.index;
  const HostObject whole = temporaries_[index].whole;
  const bool is_whole = result.offset_bytes == 0 && result.stride.empty() &&
                        result.bytes == whole.bytes && result.dtype == box.dtype;
  if (!is_whole) {
    diagnostics_.unsupported(where(op),
                             fmt::format("pl.assemble of a part of \"{}\" is", whole.name),
                             "give the kernel that makes the data the box as its output");
    return false;
  }
  if (without_ones(result.shape) != without_ones(box.shape)) {
    return error(where(op), fmt::format("pl.assemble source \"{}\" of shape [{}] does not fit the "
                                        "box [{}]",
                                        result.name, fmt::join(result.shape, ", "),
                                        fmt::join(box.shape, ", ")));
  }
  HostObject shaped = whole;
  (void)reshape(shaped, box.shape, box.dtype);
  if (is_used_by_others(result, box, op)) return false;
  for (const std::size_t part : temporaries_[index].objects) {
    HostObject& object = record_.objects[part];
    const auto moved = moved_into(object, shaped, box);
    if (!moved) {
      diagnostics_.unsupported(
          where(op),
          fmt::format("pl.assemble of \"{}\", which kernels see with another shape, into a box "
                      "with gaps between its rows is",
                      whole.name),
          "give the kernels the shape of the box");
      return false;
    }
    object = *moved;
    object.assembled = true;
  }
  record_.temporaries[index].bytes = 0;
  for (const std::size_t use : temporaries_[index].uses) {
    const OpenArgument& open = record_.open_arguments[use];
    const Task& task = record_.tasks[open.task];
    const HostObject& object = record_.objects[open.object];
    const auto runs = runs_of(object, kStepsPerKeptRun, where(op));
    if (!runs) return false;
    note_order(task.launch, task.kernel->parameters[open.argument], object, *runs, task.device);
  }
  if (box.kind != HostObject::Kind::temporary) return true;
  MadeTensor& outer = temporaries_[box.index];
  MadeTensor& inner = temporaries_[index];
  outer.objects.insert(outer.objects.end(), inner.objects.begin(), inner.objects.end());
  outer.uses.insert(outer.uses.end(), inner.uses.begin(), inner.uses.end());
  std::sort(outer.uses.begin(), outer.uses.end());
  return true;
}

}  // namespace a2a3::interp
