// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "writer.hpp"

namespace a2a3::collectives {
namespace {

using Kind = Parameter::Kind;

/// Writes the host function, and beside it the kernels that it dispatches.
class HostWriter : Writer {
 public:
  explicit HostWriter(const RandomProgram& program) : Writer(program) {
    tensors_ = parameters(program);
    add_signal("flat", {program.ranks});
    add_signal("other", {program.ranks});
    add_signal("lanes", {program.ranks, kLanes});
    add_signal("ring", {2 * (program.ranks - 1) + 1, program.ranks});
  }

  std::string file() {
    indent_ = 2;
    for (const Parameter& tensor : tensors_) {
      if (tensor.kind != Kind::window) continue;
      line(fmt::format("{0}_buf = pld.alloc_window_buffer({1})", tensor.name, shape(tensor)));
      line(fmt::format("{0} = pld.window({0}_buf, {1})", tensor.name, shape(tensor)));
    }
    line(fmt::format("column = pld.window(flat_buf, [{}, 1], dtype=pl.INT32)", program_.ranks));
    block(program_.statements);
    add_kernel(Writer(program_).cells());
    return host_file(tensors_, functions_, text_);
  }

 private:
  void add_signal(const std::string& name, std::vector<std::int64_t> shape) {
    tensors_.push_back({Kind::window, name, shape, isa::DType::int32});
    tensors_.push_back({Kind::out, name + "_left", std::move(shape), isa::DType::int32});
  }
  static std::string shape(const Parameter& tensor) {
    return fmt::format("[{}], dtype=pl.{}", fmt::join(tensor.shape, ", "), isa::name(tensor.dtype));
  }

  /// A kernel with this body, and its dispatch.
  void add_kernel(const std::string& body) {
    const std::string name = fmt::format("round{}", kernels_++);
    std::vector<std::string> indices;
    for (std::size_t i = 0; i < loops_.size(); ++i)
      indices.push_back(fmt::format("i{}", i));
    functions_ += chip_functions(name, tensors_, indices, body);
    line("for r in pl.range(pld.world_size()):");
    line(fmt::format("    self.{}({}, device=r)", name,
                     fmt::join(dispatch_arguments(tensors_, indices), ", ")));
  }

  void add(const Statement& statement) override {
    switch (statement.act) {
      case Act::dispatch:
        return add_kernel(Writer(program_).kernel(statement.body, loops_));
      case Act::for_loop:
      case Act::while_loop:
        return add_loop(statement);
      case Act::branch:
        return add_branch(statement);
      default:
        line(call(statement));
    }
  }

  static std::string call(const Statement& statement) {
    constexpr const char* kSignals[] = {"flat", "column", "other", "lanes", "ring"};
    const bool has_signal = statement.host_signal != HostSignal::automatic;
    const std::string signal =
        has_signal ? kSignals[static_cast<std::size_t>(statement.host_signal)] : "";
    const std::size_t w = statement.window;
    switch (statement.act) {
      case Act::broadcast:
        return fmt::format("pld.tensor.broadcast(w{}, {}, root={})", w, signal, statement.root);
      case Act::mesh:
      case Act::ring: {
        std::string text = fmt::format("pld.tensor.allreduce(w{}", w);
        if (has_signal) text += ", " + signal;
        text += fmt::format(", op=pld.ReduceOp.{}", member(statement.op));
        if (statement.act == Act::ring) text += ", mode=\"ring\"";
        if (statement.cores > 1) text += fmt::format(", core_num={}", statement.cores);
        return text + ")";
      }
      case Act::allgather:
        return fmt::format("pld.tensor.allgather(one{0}, w{0}, {1})", w, signal);
      case Act::reduce_scatter:
        return fmt::format("pld.tensor.reduce_scatter(w{}, {})", w, signal);
      case Act::all_to_all:
        return fmt::format("pld.tensor.all_to_all(src{0}, w{0}, {1})", w, signal);
      case Act::all_to_all_v:
        return fmt::format("pld.tensor.all_to_all_v(src{0}, w{0}, {1}, send{0}, recv{0})", w,
                           signal);
      default:
        return fmt::format("pld.tensor.barrier({})", signal);
    }
  }

  std::vector<Parameter> tensors_;
  std::string functions_;
  int kernels_ = 0;
};

}  // namespace

std::string host_text(const RandomProgram& program) {
  return HostWriter(program).file();
}

}  // namespace a2a3::collectives
