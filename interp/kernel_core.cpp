// SPDX-License-Identifier: Apache-2.0
#include "interp/kernel_core.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace a2a3::interp {

KernelCore::KernelCore(RunContext& context, std::uint32_t device, std::uint32_t core)
    : context_(context), device_(device), core_(core), memories_(context.limits) {}

isa::Fetch KernelCore::emit(isa::SourceId source) {
  instruction_.source = source;
  instruction_.scalar_ops = frame_.scalar_ops;
  frame_.scalar_ops = 0;
  handed_out_.swap(created_);
  created_.clear();
  instruction_.created = handed_out_;
  return {isa::FetchStatus::instruction, &instruction_};
}

void KernelCore::start_task() {
  const Task& now = task();
  const Program& program = *context_.task_programs[task_];
  frame_.start(program);
  memories_.clear();
  tiles_.assign(program.tile_names.size(), TileValue{});
  tensors_.clear();
  for (const auto& [dim, into] : program.dims) {
    const auto value = now.dims.find(dim);
    if (value != now.dims.end()) frame_.scalars[static_cast<std::size_t>(into)] = value->second;
  }
  for (std::size_t i = 0; i < program.parameters.size() && i < now.arguments.size(); ++i) {
    const auto into = static_cast<std::size_t>(program.parameters[i].index);
    if (const auto* tensor = std::get_if<TensorArgument>(&now.arguments[i])) {
      frame_.references[into] = static_cast<std::int32_t>(tensors_.size());
      tensors_.push_back(bind_tensor(*tensor, now.device, context_.places));
    } else {
      frame_.scalars[into] = register_bits(std::get<isa::Scalar>(now.arguments[i]));
    }
  }
  first_view_ = tensors_.size();
  arrays_.clear();
  instruction_.operation.emplace<isa::TaskBegin>().task = task_;
  in_task_ = true;
}

isa::Fetch KernelCore::next() {
  if (status_ != isa::FetchStatus::instruction) return {status_, nullptr};
  if (read_into_ != kNoRegister) {
    frame_.scalars[static_cast<std::size_t>(read_into_)] = register_bits(read_value_);
    read_into_ = kNoRegister;
  }
  while (stage_count_ > 0)
    memories_.release(stages_[static_cast<std::size_t>(--stage_count_)]);
  if (!in_task_) {
    const TaskScheduler::Turn turn = context_.scheduler.take(device_, core_);
    if (turn.kind == TaskScheduler::Turn::Kind::idle) return {isa::FetchStatus::idle, nullptr};
    if (turn.kind == TaskScheduler::Turn::Kind::done) {
      status_ = isa::FetchStatus::done;
      return {status_, nullptr};
    }
    task_ = turn.task;
    start_task();
    return emit(context_.task_sources[task_]);
  }
  for (;;) {
    const Advance now = advance(frame_, context_.limits.max_steps);
    const Step step = now.stop == Stop::effect ? effect(*now.op) : stopped(now);
    if (step == Step::emit) return emit(now.op->source);
    if (step == Step::fault) {
      status_ = isa::FetchStatus::fault;
      return {status_, nullptr};
    }
  }
}

KernelCore::Step KernelCore::effect(const Op& op) {
  const Program& program = *frame_.program;
  switch (op.code) {
    case OpCode::finish:
      instruction_.operation.emplace<isa::TaskEnd>().task = task_;
      in_task_ = false;
      return Step::emit;
    case OpCode::move_tile:
      return move_tile(op);
    case OpCode::release:
      for (const Register dead : program.releases[op.site])
        release(dead);
      return Step::go_on;
    case OpCode::rank:
      frame_.scalars[static_cast<std::size_t>(op.dst)] = tensor(op.a).own_rank;
      return Step::go_on;
    case OpCode::nranks:
      frame_.scalars[static_cast<std::size_t>(op.dst)] = tensor(op.a).ranks();
      return Step::go_on;
    case OpCode::load:
      return load(op, program.loads[op.site]);
    case OpCode::store:
      return store(op, program.stores[op.site]);
    case OpCode::transfer:
      return transfer(op, program.transfers[op.site]);
    case OpCode::notify:
    case OpCode::wait:
    case OpCode::defer_wait:
      return signal(op, program.signals[op.site]);
    case OpCode::tile_binary:
    case OpCode::tile_binary_scalar:
      return binary(op, program.binaries[op.site]);
    case OpCode::tile_cast:
    case OpCode::tile_copy:
      return cast(op, program.casts[op.site]);
    case OpCode::tile_create:
    case OpCode::tile_fill:
      return create(op, program.tiles[op.site], op.code == OpCode::tile_fill);
    case OpCode::read:
    case OpCode::write:
      return element(op, program.elements[op.site]);
    case OpCode::set_valid_shape:
      return set_valid_shape(op);
    case OpCode::fill_padding:
      return fill_padding(op, program.tiles[op.site]);
    case OpCode::reshape:
      return reshape(op, program.shapes[op.site]);
    case OpCode::view:
      return view(op, program.views[op.site]);
    case OpCode::tile_reshape:
      return reshape_tile(op, program.tiles[op.site]);
    case OpCode::tile_slice:
      return slice_tile(op, program.boxes[op.site]);
    case OpCode::tile_insert:
      return insert_tile(op, program.boxes[op.site]);
    case OpCode::tile_move:
      return feed_cube(op, program.boxes[op.site]);
    case OpCode::row_sum:
      return row_sum(op);
    case OpCode::matmul:
      return matmul(op);
    case OpCode::array_create:
      return create_array(op);
    case OpCode::array_load:
    case OpCode::array_store:
      return array_element(op);
    case OpCode::extent:
      frame_.scalars[static_cast<std::size_t>(op.dst)] =
          tensor(op.a).shape[static_cast<std::size_t>(scalar(op.b))];
      return Step::go_on;
    case OpCode::block_index:
      frame_.scalars[static_cast<std::size_t>(op.dst)] = task().block;
      return Step::go_on;
    case OpCode::block_count:
      frame_.scalars[static_cast<std::size_t>(op.dst)] =
          context_.plan.launches[task().launch].blocks;
      return Step::go_on;
    case OpCode::check_signal:
      return check_signal(op, program.signal_checks[op.site]);
    case OpCode::check_count:
      return check_count(op);
    case OpCode::begin_collective:
      return begin_collective(op, program.collectives[op.site]);
    default:
      return fault(op, "this operation cannot stand in a kernel");
  }
}

KernelCore::Step KernelCore::fault(const Op& op, std::string message, std::vector<ir::Note> notes) {
  const Task& now = task();
  const auto window = std::find_if(tensors_.begin(), tensors_.end(),
                                   [](const BoundTensor& t) { return t.places != nullptr; });
  FaultPlace place{.kernel = now.kernel->name, .device = now.device, .call = now.call};
  place.block = now.block;
  place.blocks = context_.plan.launches[now.launch].blocks;
  if (window != tensors_.end()) {
    place.has_rank = true;
    place.rank = static_cast<std::uint32_t>(window->own_rank);
    place.ranks = static_cast<std::uint32_t>(window->ranks());
  }
  context_.faults.add({.location = context_.sources.location(op.source),
                       .message = std::move(message),
                       .notes = std::move(notes)},
                      place);
  return Step::fault;
}

KernelCore::Step KernelCore::stopped(const Advance& advance) {
  const Op& op = *advance.op;
  switch (advance.stop) {
    case Stop::effect:
      return Step::go_on;
    case Stop::negative_operand: {
      auto& warned = context_.warned_negative_operand;
      if (op.source >= warned.size()) warned.resize(op.source + 1, false);
      if (!warned[op.source]) {
        warned[op.source] = true;
        const std::int64_t lhs = advance.lhs;
        const std::int64_t rhs = advance.rhs;
        const bool is_modulo = op.code == OpCode::modulo;
        context_.diagnostics
            .warning(context_.sources.location(op.source),
                     fmt::format("{} has a negative operand in a kernel", is_modulo ? "%" : "//"))
            .notes.push_back(
                {fmt::format(
                     "kernels truncate toward zero: {} {} {} is {} here, in Python {}; {}", lhs,
                     is_modulo ? "%" : "//", rhs,
                     is_modulo ? truncated_remainder(lhs, rhs) : truncated_quotient(lhs, rhs),
                     is_modulo ? floored_remainder(lhs, rhs) : floored_quotient(lhs, rhs),
                     is_modulo ? "to step back write (r + n - 1) % n"
                               : "keep the dividend at 0 or more"),
                 {}});
      }
      return Step::go_on;
    }
    case Stop::division_by_zero:
      return fault(op,
                   fmt::format("{} by zero: {} {} 0",
                               op.code == OpCode::modulo ? "remainder of a division" : "division",
                               advance.lhs, op.code == OpCode::modulo ? "%" : "//"));
    case Stop::shift_out_of_range:
      return fault(op, fmt::format("shift by {}: a shift count must be in 0..63", advance.rhs));
    case Stop::zero_step:
      return fault(op, "the loop's step is 0");
    case Stop::step_limit:
      return fault(op, fmt::format("the core executed more than {} steps; --max-steps sets the "
                                   "limit",
                                   context_.limits.max_steps));
  }
  return Step::fault;
}

}  // namespace a2a3::interp
