// SPDX-License-Identifier: Apache-2.0
#include "tools/load_kernel.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "ir/check.hpp"
#include "ir/collective_call.hpp"
#include "ir/elaborate.hpp"
#include "ir/file.hpp"
#include "ir/op.hpp"
#include "ir/passes/pipeline.hpp"
#include "ir/vocabulary.hpp"
#include "models/config/text_file.hpp"

namespace a2a3::tools {
namespace {

/// Everything of the file that a setting may name.
std::vector<std::string> settable_names(const ir::File& file) {
  std::vector<std::string> names;
  for (const auto& item : file.items) {
    if (const auto* constant = std::get_if<ir::ConstantDef>(&item)) {
      names.push_back(constant->name);
    } else if (const auto* factory = std::get_if<ir::Factory>(&item)) {
      for (const ir::Factory::Argument& argument : factory->arguments) {
        names.push_back(argument.name);
      }
    }
  }
  return names;
}

/// The kernels of the real system's HOST collectives take at most so many ranks (kernel_language
/// 4.7). More run here all the same, for what-if studies.
constexpr std::int64_t kHostCollectiveRanks = 16;

/// What the number of ranks of this run rules out in the call of a collective by the host.
void check_host_ranks(const ir::HostCollective& collective, std::int64_t ranks,
                      ir::Diagnostics& diagnostics) {
  const ir::Call& call = std::get<ir::Call>(collective.call->node);
  if (const ir::Expr* root = ir::named_operand(call, "root")) {
    const auto* value =
        root->constant ? std::get_if<std::int64_t>(&root->constant->value) : nullptr;
    if (value != nullptr && *value >= ranks) {
      diagnostics.error(root->location,
                        fmt::format("{} root ({}) must be a valid rank in [0, {}): the collective "
                                    "has {} rank{} in this run",
                                    call.op->name, *value, ranks, ranks, ranks == 1 ? "" : "s"));
    }
  }
  const bool in_rows = call.op->id == ir::OpId::reduce_scatter ||
                       call.op->id == ir::OpId::allgather || call.op->id == ir::OpId::all_to_all;
  const ir::Expr* target = in_rows ? ir::named_operand(call, "target") : nullptr;
  if (target == nullptr || target->type.shape.empty()) return;
  const auto rows = target->type.shape[0].constant();
  if (!rows || *rows >= ranks) return;
  diagnostics.error(target->location,
                    fmt::format("{} target must be 2D [NR, SIZE] with a row for each rank: it has "
                                "{} row{}, the collective has {} ranks in this run",
                                call.op->name, *rows, *rows == 1 ? "" : "s", ranks));
}

void check_host_limits(const ir::Module& module, const KernelRequest& request,
                       ir::Diagnostics& diagnostics) {
  for (const ir::HostCollective& collective : module.host_collectives) {
    const ir::Call& call = std::get<ir::Call>(collective.call->node);
    if (const std::int64_t lanes = ir::lane_count(call); lanes > request.vector_cores) {
      diagnostics.error(collective.call->location,
                        fmt::format("{} core_num ({}) exceeds the backend AIV core count ({})",
                                    call.op->name, lanes, request.vector_cores));
    }
    const auto count = collective.devices.count().evaluate(
        [&](ir::Dim::Symbol) { return std::optional<std::int64_t>(request.ranks); });
    check_host_ranks(collective, count.value_or(0), diagnostics);
    if (count.value_or(0) <= kHostCollectiveRanks) continue;
    diagnostics.warning(
        collective.call->location,
        fmt::format("{} on {} ranks: the real system's HOST kernels take at most {}", call.op->name,
                    *count, kHostCollectiveRanks));
  }
}

}  // namespace

LoadedKernel load_kernel(const KernelRequest& request, ir::Diagnostics& diagnostics) {
  LoadedKernel loaded;
  models::TextFile text =
      models::read_text_file(request.file, request.file, request.limits.max_file_bytes);
  if (text.source == nullptr) {
    diagnostics.error({}, text.error);
    return loaded;
  }
  loaded.source = text.source;

  // A step that found errors leaves placeholders: the next ones report the mistakes of their own.
  ir::ParsedFile parsed = ir::parse_file(text.source, request.limits);
  ir::Diagnostics found = parsed.diagnostics;
  const bool has_losses = found.has_errors();
  const std::vector<std::string> known = settable_names(parsed.file);
  ir::check_imports(parsed.file.imports, found);
  ir::Elaborated elaborated =
      ir::elaborate(std::move(parsed.file),
                    {.entry = request.entry,
                     .settings = request.settings,
                     .world_size = request.ranks,
                     .has_losses = has_losses,
                     .entry_lost = request.entry_lost,
                     .keep_unreached = request.check_unreached,
                     .self_clearing_host_allreduce = request.self_clearing_host_allreduce});
  found.append(std::move(elaborated.diagnostics));
  if (elaborated.module != nullptr) {
    found.append(ir::check(*elaborated.module, parsed.diagnostics));
  }
  found.sort();
  if (has_losses || request.entry_lost) elaborated.unused_settings.clear();
  if (elaborated.module != nullptr && elaborated.module->entry != nullptr) {
    std::erase_if(elaborated.unused_settings, [&](const std::string& name) {
      return std::ranges::any_of(elaborated.module->entry->parameters, [&](const auto& parameter) {
        return parameter.type.kind == ir::TypeKind::scalar && parameter.name == name;
      });
    });
  }
  for (const std::string& name : elaborated.unused_settings) {
    const auto place = request.setting_places.find(name);
    found.error(place == request.setting_places.end() ? ir::SourceLocation{} : place->second,
                fmt::format("{} has no constant or factory argument '{}' to set{}", request.file,
                            name, ir::suggestion(name, known)));
  }
  if (!found.has_errors() && elaborated.module != nullptr) {
    check_host_limits(*elaborated.module, request, found);
  }
  if (!found.has_errors() && elaborated.module != nullptr) {
    if (request.last_pass != kNoPass) {
      found.append(ir::run_passes(*elaborated.module, request.lowering, request.last_pass));
      found.sort();  // what the lowered program is warned of too
    }
    if (!found.has_errors()) loaded.module = std::move(elaborated.module);
  }
  diagnostics.append(std::move(found));
  return loaded;
}

}  // namespace a2a3::tools
