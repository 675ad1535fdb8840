// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/diagnostic.hpp"
#include "ir/source.hpp"
#include "isa/array.hpp"

namespace a2a3::models {

/// What an input specification fills.
struct InputTarget {
  isa::DType dtype = isa::DType::fp32;
  std::vector<std::int64_t> shape;  ///< of the host tensor, the leading dimension counting ranks
};

struct InputContext {
  std::int64_t ranks = 1;
  std::map<std::string, double> settings;                 ///< names usable in arguments beside P
  std::filesystem::path base_dir;                         ///< .npy files are relative to it
  std::uint64_t max_file_bytes = std::uint64_t{1} << 32;  ///< --max-tensor-bytes
};

/// The default: values distinct per rank.
inline constexpr const char* kDefaultInput = "arange_by_rank()";

/// Fills a host tensor as a specification says:
///
///   constant(value)
///   arange(start=0, step=1)             start + step * i over the whole tensor
///   arange_by_rank(start=1, step=1)     start + step * ((rank * A + i) mod M), i counted in the
///                                       rank's slice. A, M by dtype: 1000, 1048575 with 32 bits
///                                       and more; 17, 127 for fp16, int16 and 8 bits; 4, 15 for
///                                       bf16. By default no value is 0, up to M ranks hold
///                                       distinct slices, and sums over 16 ranks are exact.
///   normal(seed=1, mean=0, std=1)
///   uniform_int(seed=1, low=0, high=10) low <= value < high
///   file.npy, npy("file.npy")           dtype and shape must be the tensor's
///
/// Random values are a function of seed and flat index alone: splitmix64 of seed and index, then
/// Box-Muller for normal. `source` holds the specification; its path stands for the file name in
/// diagnostics.
[[nodiscard]] std::optional<isa::Array> fill_input(const ir::SourceFilePtr& source,
                                                   const InputTarget& target,
                                                   const InputContext& context,
                                                   ir::Diagnostics& diagnostics);

/// The file that a specification of an input or a golden names, from `base_dir`; nothing when it
/// names none.
[[nodiscard]] std::optional<std::filesystem::path> npy_file(const std::string& specification,
                                                            const std::filesystem::path& base_dir);

/// That file's shape, for host tensors whose shape a file decides; nothing when there is no file,
/// or one that fill_input() will refuse.
[[nodiscard]] std::optional<std::vector<std::int64_t>> npy_input_shape(
    const std::string& specification, isa::DType dtype, const std::filesystem::path& base_dir,
    std::uint64_t max_file_bytes);

}  // namespace a2a3::models
