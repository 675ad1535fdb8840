// SPDX-License-Identifier: Apache-2.0
#include "models/input_spec.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "ir/vocabulary.hpp"
#include "models/config/trim.hpp"
#include "models/dtype_bounds.hpp"
#include "models/golden/call_text.hpp"
#include "models/golden/nd_array.hpp"
#include "models/npy.hpp"
#include "models/random.hpp"

namespace a2a3::models {
namespace {

/// How far ranks are apart in arange_by_rank, and after how many elements it begins again.
struct RankPattern {
  std::int64_t rank_distance;
  std::int64_t period;
};

RankPattern rank_pattern(isa::DType dtype) {
  if (dtype == isa::DType::boolean) return {1, 2};
  if (dtype == isa::DType::bf16) return {4, 15};
  if (dtype == isa::DType::fp16 || isa::size_of(dtype) < 4) return {17, 127};
  return {1000, (1 << 20) - 1};
}

/// A tensor being filled.
class Filling {
 public:
  Filling(const InputTarget& target, const InputContext& context, ir::Diagnostics& diagnostics)
      : target_(target), context_(context), diagnostics_(diagnostics) {}

  std::optional<isa::Array> from(const CallText& call);
  std::optional<isa::Array> from_file(const std::string& path, const ir::SourceLocation& at);

 private:
  using Parameters = std::initializer_list<std::pair<const char*, double*>>;
  using Element = std::function<double(std::int64_t index)>;

  std::optional<isa::Array> fill(const CallText& call, Parameters parameters,
                                 const Element& element) {
    if (!call.take(parameters, diagnostics_)) return std::nullopt;
    return each(call, element);
  }
  /// Nothing, with an error, when the dtype cannot hold an element.
  std::optional<isa::Array> each(const CallText& call, const Element& element);
  /// Elements of one rank's part; of the whole tensor when its leading dimension counts no ranks.
  [[nodiscard]] std::int64_t part_elements() const {
    const bool by_rank = !target_.shape.empty() && target_.shape[0] == context_.ranks;
    const std::int64_t all = element_count(target_.shape);
    return by_rank ? all / context_.ranks : std::max<std::int64_t>(1, all);
  }
  std::optional<isa::Array> normal_distribution(const CallText& call);
  std::optional<isa::Array> uniform_int(const CallText& call);
  /// The generator of a seed; nothing, with an error, for what is no whole number.
  [[nodiscard]] std::optional<std::uint64_t> seed_bits(const CallText& call, double seed);
  std::optional<isa::Array> arange_by_rank(const CallText& call);

  const InputTarget& target_;
  const InputContext& context_;
  ir::Diagnostics& diagnostics_;
};

std::optional<isa::Array> Filling::each(const CallText& call, const Element& element) {
  isa::Array array(target_.dtype, target_.shape);
  const std::int64_t count = array.elements();
  for (std::int64_t i = 0; i < count; ++i) {
    const double value = element(i);
    if (const std::string reason = misfit(value, target_.dtype); !reason.empty()) {
      const std::int64_t part = part_elements();
      diagnostics_.error(call.location, fmt::format("{}: element {} of rank {} is {}",
                                                    call.function, i % part, i / part, reason));
      return std::nullopt;
    }
    array.set(i, value);
  }
  return array;
}

std::optional<std::uint64_t> Filling::seed_bits(const CallText& call, double seed) {
  if (seed == std::floor(seed) && std::abs(seed) <= 0x1p53) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(seed));
  }
  diagnostics_.error(call.location,
                     fmt::format("{}: a seed is a whole number of at most 2^53", call.function));
  return std::nullopt;
}

std::optional<isa::Array> Filling::from(const CallText& call) {
  if (call.function == "constant") {
    double value = 0;
    if (call.arguments.empty()) {
      diagnostics_.error(call.location, "constant takes a value, for example constant(3)");
      return std::nullopt;
    }
    return fill(call, {{"value", &value}}, [&](std::int64_t) { return value; });
  }
  if (call.function == "arange") {
    double start = 0;
    double step = 1;
    return fill(call, {{"start", &start}, {"step", &step}},
                [&](std::int64_t i) { return start + step * static_cast<double>(i); });
  }
  if (call.function == "arange_by_rank") return arange_by_rank(call);
  if (call.function == "normal") return normal_distribution(call);
  if (call.function == "uniform_int") return uniform_int(call);
  if (call.function == "npy") {
    if (call.arguments.size() == 1 && call.arguments[0].text) {
      return from_file(*call.arguments[0].text, call.arguments[0].location);
    }
    diagnostics_.error(call.location, "npy takes a file, for example npy(\"x.npy\")");
    return std::nullopt;
  }
  static const std::vector<std::string> known = {"constant", "arange",      "arange_by_rank",
                                                 "normal",   "uniform_int", "npy"};
  diagnostics_
      .error(call.location, fmt::format("unknown input '{}'{}", call.function,
                                        ir::suggestion(call.function, known)))
      .notes.push_back({fmt::format("inputs: {}, or a file.npy", fmt::join(known, ", ")), {}});
  return std::nullopt;
}

std::optional<isa::Array> Filling::normal_distribution(const CallText& call) {
  double seed = 1;
  double mean = 0;
  double deviation = 1;
  if (!call.take({{"seed", &seed}, {"mean", &mean}, {"std", &deviation}}, diagnostics_)) {
    return std::nullopt;
  }
  const auto bits = seed_bits(call, seed);
  if (!bits) return std::nullopt;
  return each(call, [&](std::int64_t i) {
    return mean + deviation * normal_at(*bits, static_cast<std::uint64_t>(i));
  });
}

std::optional<isa::Array> Filling::uniform_int(const CallText& call) {
  double seed = 1;
  double low = 0;
  double high = 10;
  if (!call.take({{"seed", &seed}, {"low", &low}, {"high", &high}}, diagnostics_)) {
    return std::nullopt;
  }
  if (!(low < high) || low != std::floor(low) || high != std::floor(high) || high - low > 0x1p53) {
    diagnostics_.error(call.location, "uniform_int needs whole numbers low < high");
    return std::nullopt;
  }
  const auto bits = seed_bits(call, seed);
  if (!bits) return std::nullopt;
  return each(call, [&](std::int64_t i) {
    const double u = uniform_at(*bits, static_cast<std::uint64_t>(i));
    return std::min(low + std::floor(u * (high - low)), high - 1);
  });
}

std::optional<isa::Array> Filling::arange_by_rank(const CallText& call) {
  double start = 1;
  double step = 1;
  if (!call.take({{"start", &start}, {"step", &step}}, diagnostics_)) return std::nullopt;
  const std::int64_t slice = part_elements();
  const RankPattern pattern = rank_pattern(target_.dtype);
  return each(call, [&](std::int64_t i) {
    const std::int64_t position = i / slice * pattern.rank_distance + i % slice;
    return start + step * static_cast<double>(position % pattern.period);
  });
}

std::optional<isa::Array> Filling::from_file(const std::string& path,
                                             const ir::SourceLocation& at) {
  NpyFile file = read_npy(context_.base_dir / path, target_.dtype, context_.max_file_bytes);
  if (!file.array) {
    diagnostics_.error(at, file.error);
    return std::nullopt;
  }
  const bool same_dtype = file.array->dtype == target_.dtype;
  if (same_dtype && file.array->shape == target_.shape) return std::move(file.array);
  diagnostics_.error(at, fmt::format("{} holds {} {}, the tensor is {} {}", path,
                                     isa::name(file.array->dtype), shape_text(file.array->shape),
                                     isa::name(target_.dtype), shape_text(target_.shape)));
  return std::nullopt;
}

}  // namespace

std::optional<isa::Array> fill_input(const ir::SourceFilePtr& source, const InputTarget& target,
                                     const InputContext& context, ir::Diagnostics& diagnostics) {
  diagnostics.keep(source);
  Filling filling(target, context, diagnostics);
  const std::string_view text = trimmed(source->text());
  if (text.ends_with(".npy")) {
    const auto length = static_cast<std::uint32_t>(text.size());
    return filling.from_file(std::string(text), {source.get(), 1, 1, length});
  }
  std::map<std::string, double> names = context.settings;
  for (const char* rank_count : {"P", "nranks"})
    names.emplace(rank_count, context.ranks);
  const std::optional<CallText> call = parse_call(source, names, diagnostics);
  if (!call) return std::nullopt;
  return filling.from(*call);
}

std::optional<std::filesystem::path> npy_file(const std::string& specification,
                                              const std::filesystem::path& base_dir) {
  const std::string text{trimmed(specification)};
  if (text.ends_with(".npy")) return base_dir / text;
  ir::Diagnostics unreported;
  const std::optional<CallText> call =
      parse_call(std::make_shared<const ir::SourceFile>("input", text), {}, unreported);
  const bool named = call && call->function == "npy" && call->arguments.size() == 1;
  if (!named || !call->arguments[0].text) return std::nullopt;
  return base_dir / *call->arguments[0].text;
}

std::optional<std::vector<std::int64_t>> npy_input_shape(const std::string& specification,
                                                         isa::DType dtype,
                                                         const std::filesystem::path& base_dir,
                                                         std::uint64_t max_file_bytes) {
  const auto file = npy_file(specification, base_dir);
  if (!file) return std::nullopt;
  NpyHeader header = read_npy_header(*file, dtype, max_file_bytes);
  if (!header.error.empty()) return std::nullopt;
  return std::move(header.shape);
}

}  // namespace a2a3::models
