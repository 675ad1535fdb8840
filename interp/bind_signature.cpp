// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "interp/dim_binding.hpp"
#include "interp/launch_plan.hpp"

namespace a2a3::interp {
namespace {

class SignatureBinder {
 public:
  SignatureBinder(const ir::Module& module, const BindOptions& options)
      : module_(module), options_(options) {
    bindings_.world_size = options.world_size;
  }

  BoundSignature run() {
    for (std::uint32_t id = 0; id < module_.dynamic_dims.size(); ++id) {
      const auto set = options_.dims.find(module_.dynamic_dims[id].name);
      if (set != options_.dims.end()) bindings_.dims[id] = set->second;
    }
    unify_known_shapes();
    default_to_world_size();
    for (const ir::Parameter& parameter : module_.entry->parameters)
      bind_parameter(parameter);
    result_.dims = bindings_.dims;
    return std::move(result_);
  }

 private:
  void unify_known_shapes() {
    // A product such as NR * SIZE may wait for another parameter to give one factor.
    for (bool learnt = true; learnt;) {
      learnt = false;
      for (const ir::Parameter& parameter : module_.entry->parameters) {
        const auto known = options_.known_shapes.find(parameter.name);
        if (known == options_.known_shapes.end()) continue;
        const std::size_t rank = std::min(known->second.size(), parameter.type.shape.size());
        for (std::size_t d = 0; d < rank; ++d) {
          const ir::Dim& dim = parameter.type.shape[d];
          learnt |= unify(module_, dim, known->second[d], bindings_) == Unified::bound;
        }
      }
    }
  }

  void default_to_world_size() {
    for (const ir::Parameter& parameter : module_.entry->parameters) {
      for (const ir::Dim& dim : parameter.type.shape) {
        (void)dim.evaluate([&](ir::Dim::Symbol symbol) -> std::optional<std::int64_t> {
          if (symbol < ir::Dim::kFirstOpaque) {
            bindings_.dims.try_emplace(symbol, options_.world_size);
          }
          return 1;
        });
      }
    }
  }

  void bind_parameter(const ir::Parameter& parameter) {
    const ir::Type& type = parameter.type;
    HostParameter bound;
    bound.name = parameter.name;
    bound.dtype = type.dtype;
    bound.kind = type.kind;
    bound.direction = type.direction;
    bound.location = parameter.location;
    if (type.kind == ir::TypeKind::scalar) {
      bind_scalar(parameter, bound);
    } else {
      for (const ir::Dim& dim : type.shape) {
        const auto value = ir::evaluate(module_, dim, bindings_);
        if (!value || *value <= 0) {
          result_.diagnostics.error(
              parameter.location,
              value ? fmt::format("dimension {} of \"{}\" is {}, it must be positive",
                                  module_.describe(dim), parameter.name, *value)
                    : fmt::format("dimension {} of \"{}\" has no value", module_.describe(dim),
                                  parameter.name));
        }
        bound.shape.push_back(value.value_or(1));
      }
      compare_with_known_shape(parameter, bound);
      if (!tensor_bytes(bound.shape, bound.dtype)) {
        result_.diagnostics.error(parameter.location,
                                  fmt::format("\"{}\" is too large", parameter.name));
        bound.shape.assign(bound.shape.size(), 1);
      }
    }
    result_.parameters.push_back(std::move(bound));
  }

  void bind_scalar(const ir::Parameter& parameter, HostParameter& bound) {
    const auto set = options_.dims.find(parameter.name);
    bound.value.dtype = parameter.type.dtype;
    if (set == options_.dims.end()) {
      result_.diagnostics.error(
          parameter.location,
          fmt::format("scalar parameter \"{0}\" has no value: --set {0}=...", parameter.name));
    } else if (isa::is_float(parameter.type.dtype)) {
      bound.value.f = static_cast<double>(set->second);
    } else {
      bound.value.i = set->second;
    }
  }

  void compare_with_known_shape(const ir::Parameter& parameter, const HostParameter& bound) {
    const auto known = options_.known_shapes.find(parameter.name);
    if (known == options_.known_shapes.end() || known->second == bound.shape) return;
    result_.diagnostics.error(
        parameter.location,
        fmt::format("the input for \"{}\" has shape [{}], but the parameter's is [{}]",
                    parameter.name, fmt::join(known->second, ", "), fmt::join(bound.shape, ", ")));
  }

  const ir::Module& module_;
  const BindOptions& options_;
  ir::DimBindings bindings_;
  BoundSignature result_;
};

}  // namespace

BoundSignature bind_signature(const ir::Module& module, const BindOptions& options) {
  return SignatureBinder(module, options).run();
}

}  // namespace a2a3::interp
