// SPDX-License-Identifier: Apache-2.0
#include "ir/passes/lower_host_collectives.hpp"

#include <algorithm>
#include <cctype>
#include <memory>

#include <fmt/format.h>

#include "ir/collective_call.hpp"
#include "ir/op.hpp"
#include "ir/passes/collectives/collective.hpp"
#include "ir/passes/rewrite.hpp"

namespace a2a3::ir {
namespace {

std::string upper_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

/// The operands of a collective that are windows, the signal that a HOST allreduce may leave out
/// included: they become the parameters of its kernel.
std::vector<std::size_t> window_operands(const Call& call) {
  const std::size_t signal = operand_index(*call.op, "signal");
  std::vector<std::size_t> windows;
  for (std::size_t i = 0; i < call.op->parameters.size(); ++i) {
    const Expr* operand = call.operand(i);
    if (i == signal || (operand != nullptr && operand->type.kind == TypeKind::distributed_tensor)) {
      windows.push_back(i);
    }
  }
  return windows;
}

/// The number of devices in the language's words.
std::string count_text(const DeviceSet& devices) {
  const Dim count = devices.count();
  if (const auto known = count.constant()) return std::to_string(*known);
  const std::int64_t others = *(count - Dim::world_size()).constant();
  if (others == 0) return "pld.world_size()";
  return fmt::format("pld.world_size() {} {}", others < 0 ? "-" : "+", std::abs(others));
}

/// The host function's collectives use signal windows of both layouts.
bool host_uses_both_layouts(const Module& module) {
  const auto is_ring_call = [](const HostCollective& collective) {
    const Call& call = std::get<Call>(collective.call->node);
    return call.op->id == OpId::allreduce && is_ring(call);
  };
  const auto& all = module.host_collectives;
  return std::any_of(all.begin(), all.end(), is_ring_call) &&
         !std::all_of(all.begin(), all.end(), is_ring_call);
}

/// One call on its way to a kernel, a per-device function and a loop.
class HostLowering {
 public:
  HostLowering(Module& module, const Expr& expr, const DeviceSet& devices, bool both_layouts,
               std::string prefix)
      : module_(module),
        expr_(expr),
        call_(std::get<Call>(expr.node)),
        devices_(devices),
        both_layouts_(both_layouts),
        prefix_(std::move(prefix)),
        windows_(window_operands(call_)),
        out_(prefix_, expr.location) {}

  /// The statements that take the place of the call; what the pass adds to the module.
  Block run(std::vector<std::unique_ptr<Function>>& functions) {
    for (const std::size_t i : windows_) {
      if (const Expr* operand = call_.operand(i)) out_.bind(placeholder(i), clone(*operand));
    }
    if (!call_.operand(operand_index(*call_.op, "signal"))) make_signal();
    functions.push_back(kernel());
    functions.push_back(chip());
    dispatch();
    return out_.take();
  }

  /// The buffer that the call gives.
  [[nodiscard]] ExprPtr result() const {
    const std::size_t target = operand_index(*call_.op, "target");
    return out_.value(target < call_.op->parameters.size() ? "TARGET" : "SIGNAL");
  }

 private:
  [[nodiscard]] std::string parameter(std::size_t i) const {
    return std::string(call_.op->parameters[i].name);
  }
  [[nodiscard]] std::string placeholder(std::size_t i) const { return upper_case(parameter(i)); }

  void make_signal() {
    const std::int64_t lanes = lane_count(call_);
    const std::string columns = lanes == 1 ? "" : fmt::format(", {}", lanes);
    const std::string shape = fmt::format("[{}{}], dtype=pl.INT32", count_text(devices_), columns);
    out_.add(
        fmt::format("signal_buffer = pld.alloc_window_buffer({0})\n"
                    "signal = pld.window(signal_buffer, {0})\n",
                    shape));
    out_.bind("SIGNAL", make_expr(Name{out_.temporary("signal"), kNoSlot}, expr_.location));
  }

  /// A function without statements. Its parameters take their types from the call.
  [[nodiscard]] std::unique_ptr<Function> function(FunctionKind kind, const char* name) const {
    auto function = std::make_unique<Function>();
    function->name = prefix_ + name;
    function->location = expr_.location;
    function->kind = kind;
    for (const std::size_t i : windows_) {
      Parameter window;
      window.name = parameter(i);
      window.location = expr_.location;
      function->parameters.push_back(std::move(window));
    }
    return function;
  }

  /// The collective's call with its windows as parameters of the kernel.
  [[nodiscard]] Call call_in_kernel() const {
    Call call;
    call.op = call_.op;
    call.operands.assign(call_.op->parameters.size(), -1);
    const auto put = [&](std::size_t i, ExprPtr operand) {
      call.operands[i] = static_cast<std::int32_t>(call.args.size());
      call.args.push_back(std::move(operand));
    };
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
      const Expr* operand = call_.operand(i);
      if (std::find(windows_.begin(), windows_.end(), i) == windows_.end()) {
        if (operand != nullptr) put(i, clone(*operand));
        continue;
      }
      ExprPtr name = make_expr(Name{parameter(i), kNoSlot}, expr_.location);
      if (operand != nullptr) {
        name->type = operand->type;
      } else {
        name->type = Type::of(TypeKind::distributed_tensor);
        name->type.dtype = isa::DType::int32;
        name->type.shape = {devices_.count()};
        if (lane_count(call_) > 1) name->type.shape.emplace_back(lane_count(call_));
      }
      put(i, std::move(name));
    }
    return call;
  }

  [[nodiscard]] std::unique_ptr<Function> kernel() const {
    auto kernel = function(FunctionKind::kernel, "kernel");
    if (lane_count(call_) > 1) {
      kernel->parameters.push_back({"lane", expr_.location, {}, {}});
    }
    const Call call = call_in_kernel();
    Expansion body("", expr_.location);
    Collective collective(module_, call, body, devices_, both_layouts_);
    lower_collective(collective);
    kernel->body = body.take();
    return kernel;
  }

  [[nodiscard]] std::string called(const std::string& name, bool placeholders) const {
    std::string arguments;
    for (const std::size_t i : windows_)
      arguments += (arguments.empty() ? "" : ", ") + (placeholders ? placeholder(i) : parameter(i));
    return fmt::format("{}{}{}({}", module_.is_class ? "self." : "", prefix_, name, arguments);
  }

  [[nodiscard]] std::unique_ptr<Function> chip() const {
    auto chip = function(FunctionKind::chip, "chip");
    Expansion body("", expr_.location);
    const std::int64_t lanes = lane_count(call_);
    body.add(lanes == 1 ? called("kernel", false) + ")\n"
                        : fmt::format("for lane in pl.spmd({}):\n    {}, lane)\n", lanes,
                                      called("kernel", false)));
    chip->body = body.take();
    return chip;
  }

  void dispatch() {
    const std::string call = called("chip", true);
    for (const DeviceSet::Run& run : devices_.runs()) {
      if (run.end && *run.end == run.begin + 1) {
        out_.add(fmt::format("{}, device={})\n", call, run.begin));
        continue;
      }
      const std::string end = run.end ? std::to_string(*run.end) : "pld.world_size()";
      out_.add(fmt::format("for device in pl.range({}{}):\n    {}, device=device)\n",
                           run.begin == 0 ? "" : std::to_string(run.begin) + ", ", end, call));
    }
  }

  Module& module_;
  const Expr& expr_;
  const Call& call_;
  const DeviceSet& devices_;
  bool both_layouts_;
  std::string prefix_;
  std::vector<std::size_t> windows_;
  Expansion out_;
};

/// A prefix that starts no name of the host function and no function's name.
std::string free_prefix(const Module& module, const Function& host, const std::string& stem,
                        int& next) {
  for (;;) {
    std::string prefix = fresh_prefix(host, stem, next);
    const bool taken =
        std::any_of(module.functions.begin(), module.functions.end(),
                    [&](const auto& function) { return function->name.starts_with(prefix); });
    if (!taken) return prefix;
  }
}

}  // namespace

void lower_host_collectives(Module& module, const LoweringOptions& /*options*/) {
  const bool both_layouts = host_uses_both_layouts(module);
  for (std::size_t index = 0; index < module.functions.size(); ++index) {
    Function& host = *module.functions[index];
    if (host.kind != FunctionKind::host) continue;
    std::vector<std::unique_ptr<Function>> added;
    int next = 0;
    rewrite(host.body, [&](Stmt& stmt) -> std::optional<Block> {
      const Expr* expr = statement_call(stmt);
      if (expr == nullptr) return std::nullopt;
      const auto found =
          std::find_if(module.host_collectives.begin(), module.host_collectives.end(),
                       [&](const HostCollective& collective) { return collective.call == expr; });
      if (found == module.host_collectives.end()) return std::nullopt;
      const std::string_view name = std::get<Call>(expr->node).op->name;
      const std::string stem(name.substr(name.rfind('.') + 1));
      HostLowering lowering(module, *expr, found->devices, both_layouts,
                            free_prefix(module, host, stem, next));
      Block block = lowering.run(added);
      use_result(stmt, lowering.result(), block);
      return block;
    });
    const std::size_t count = added.size();
    module.functions.insert(module.functions.begin() + static_cast<std::ptrdiff_t>(index),
                            std::make_move_iterator(added.begin()),
                            std::make_move_iterator(added.end()));
    index += count;
  }
}

}  // namespace a2a3::ir
