// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "isa/array.hpp"

namespace a2a3::models {

struct NpyFile {
  std::optional<isa::Array> array;
  std::string error;  ///< why there is no array
};

/// Reads a NumPy file (format 1.0, 2.0, 3.0), little-endian, C order. bf16, which NumPy does not
/// have, is its 2 raw bytes: dtype V2 or uint16, taken as bf16 when `as` says so. Errors: no such
/// file, no .npy file, big-endian, Fortran order, a dtype the simulator does not have, a header
/// that does not fit the file's size.
[[nodiscard]] NpyFile read_npy(const std::filesystem::path& path, isa::DType as,
                               std::uint64_t max_bytes);

struct NpyHeader {
  isa::DType dtype = isa::DType::fp32;
  std::vector<std::int64_t> shape;
  std::uint64_t data_begin = 0;  ///< bytes before the data
  std::string error;             ///< why there is no header
};

/// Reads and checks only what stands before the data; errors as read_npy().
[[nodiscard]] NpyHeader read_npy_header(const std::filesystem::path& path, isa::DType as,
                                        std::uint64_t max_bytes);

/// Writes format 1.0, bf16 as V2. Returns why it failed, or nothing.
[[nodiscard]] std::string write_npy(const std::filesystem::path& path, const isa::Array& array);

}  // namespace a2a3::models
