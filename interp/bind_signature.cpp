// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "interp/dim_binding.hpp"
#include "interp/launch_plan.hpp"
#include "interp/scalar.hpp"
#include "ir/fold.hpp"

namespace a2a3::interp {
namespace {

/// A constant as a scalar of that dtype, floats rounded to it; nothing when it is none.
std::optional<isa::Scalar> scalar_of(const ir::Constant& constant, isa::DType dtype) {
  const auto* integer = std::get_if<std::int64_t>(&constant.value);
  const auto* real = std::get_if<double>(&constant.value);
  const auto* truth = std::get_if<bool>(&constant.value);
  if (dtype == isa::DType::boolean) {
    if (truth == nullptr) return std::nullopt;
    return isa::Scalar{dtype, *truth ? 1 : 0, 0.0};
  }
  if (isa::is_float(dtype)) {
    if (integer == nullptr && real == nullptr) return std::nullopt;
    const double value = integer != nullptr ? static_cast<double>(*integer) : *real;
    return isa::Scalar{dtype, 0, round_to_dtype(value, dtype)};
  }
  const bool negative_unsigned = dtype == isa::DType::uint64 && integer != nullptr && *integer < 0;
  if (integer == nullptr || wrap(*integer, dtype) != *integer || negative_unsigned) {
    return std::nullopt;
  }
  return isa::Scalar{dtype, *integer, 0.0};
}

class SignatureBinder {
 public:
  SignatureBinder(const ir::Module& module, const BindOptions& options)
      : module_(module), options_(options) {
    bindings_.world_size = options.world_size;
  }

  BoundSignature run() {
    set_dims();
    unify_known_shapes();
    default_to_world_size();
    for (const ir::Parameter& parameter : module_.entry->parameters)
      bind_parameter(parameter);
    result_.dims = bindings_.dims;
    return std::move(result_);
  }

 private:
  void set_dims() {
    for (std::uint32_t id = 0; id < module_.dynamic_dims.size(); ++id) {
      const ir::DynamicDimInfo& dim = module_.dynamic_dims[id];
      const auto set = options_.settings.find(dim.name);
      if (set == options_.settings.end()) continue;
      if (const auto* value = std::get_if<std::int64_t>(&set->second.value)) {
        bindings_.dims[id] = *value;
      } else {
        result_.diagnostics.error(
            dim.location, fmt::format("dynamic dimension \"{}\" is set to {}: it must be a whole "
                                      "number",
                                      dim.name, ir::to_string(set->second)));
      }
    }
  }

  void unify_known_shapes() {
    std::map<std::string, ir::SourceLocation> ambiguous;  // by what there is to say
    // A product such as NR * SIZE may wait for another parameter to give one factor.
    for (bool learnt = true; learnt;) {
      learnt = false;
      ambiguous.clear();
      for (const ir::Parameter& parameter : module_.entry->parameters) {
        const auto known = options_.known_shapes.find(parameter.name);
        if (known == options_.known_shapes.end()) continue;
        const std::size_t rank = std::min(known->second.size(), parameter.type.shape.size());
        for (std::size_t d = 0; d < rank; ++d) {
          const ir::Dim& dim = parameter.type.shape[d];
          const Unified unified = unify(module_, dim, known->second[d], bindings_);
          learnt |= unified == Unified::bound;
          if (unified != Unified::ambiguous) continue;
          ambiguous.emplace(
              fmt::format("dimension {} of \"{}\" is {}, and the input has {} there: more than one "
                          "value fits, choose with --set",
                          d, parameter.name, module_.describe(dim), known->second[d]),
              parameter.location);
        }
      }
    }
    for (const auto& [message, location] : ambiguous)
      result_.diagnostics.error(location, message);
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
    const auto set = options_.settings.find(parameter.name);
    bound.value.dtype = parameter.type.dtype;
    if (set == options_.settings.end()) {
      result_.diagnostics.error(
          parameter.location,
          fmt::format("scalar parameter \"{0}\" has no value: --set {0}=...", parameter.name));
    } else if (const auto value = scalar_of(set->second, parameter.type.dtype)) {
      bound.value = *value;
    } else {
      result_.diagnostics.error(
          parameter.location,
          fmt::format("scalar parameter \"{}\" is set to {}, which is no {}", parameter.name,
                      ir::to_string(set->second), isa::name(parameter.type.dtype)));
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
