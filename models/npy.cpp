// SPDX-License-Identifier: Apache-2.0
#include "models/npy.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/golden/nd_array.hpp"

namespace a2a3::models {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeaderBytes = 1 << 16;
constexpr std::size_t kAlignment = 64;  // of the data, by the format's description

struct DTypeName {
  std::string_view text;
  isa::DType dtype;
};
// The first name of a dtype is the one that is written.
constexpr std::array kNames = {
    DTypeName{"<f4", isa::DType::fp32},    DTypeName{"<f2", isa::DType::fp16},
    DTypeName{"|V2", isa::DType::bf16},    DTypeName{"<V2", isa::DType::bf16},
    DTypeName{"|i1", isa::DType::int8},    DTypeName{"<i1", isa::DType::int8},
    DTypeName{"<i2", isa::DType::int16},   DTypeName{"<i4", isa::DType::int32},
    DTypeName{"<i8", isa::DType::int64},   DTypeName{"|u1", isa::DType::uint8},
    DTypeName{"<u1", isa::DType::uint8},   DTypeName{"<u2", isa::DType::uint16},
    DTypeName{"<u4", isa::DType::uint32},  DTypeName{"<u8", isa::DType::uint64},
    DTypeName{"|b1", isa::DType::boolean}, DTypeName{"<b1", isa::DType::boolean},
    DTypeName{"<i8", isa::DType::index}};

/// Text behind `'key':` in the header's Python dictionary, blanks skipped.
std::optional<std::string_view> item(std::string_view header, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = fmt::format("{}{}{}", quote, key, quote);
    const std::size_t at = header.find(quoted);
    if (at == std::string_view::npos) continue;
    std::string_view rest = header.substr(at + quoted.size());
    const std::size_t value = rest.find_first_not_of(" \t");
    if (value == std::string_view::npos || rest[value] != ':') return std::nullopt;
    rest.remove_prefix(value + 1);
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(" \t")));
    return rest;
  }
  return std::nullopt;
}

std::optional<std::string_view> text_item(std::string_view header, std::string_view key) {
  const std::optional<std::string_view> rest = item(header, key);
  if (!rest || rest->size() < 2 || ((*rest)[0] != '\'' && (*rest)[0] != '"')) return std::nullopt;
  const std::size_t end = rest->find((*rest)[0], 1);
  if (end == std::string_view::npos) return std::nullopt;
  return rest->substr(1, end - 1);
}

std::optional<Shape> shape_item(std::string_view header) {
  const std::optional<std::string_view> rest = item(header, "shape");
  if (!rest || rest->empty() || rest->front() != '(') return std::nullopt;
  const std::size_t end = rest->find(')');
  if (end == std::string_view::npos) return std::nullopt;
  Shape shape;
  std::string_view dims = rest->substr(1, end - 1);
  for (;;) {
    dims.remove_prefix(std::min(dims.size(), dims.find_first_not_of(" ,")));
    if (dims.empty()) return shape;
    std::int64_t dim = 0;
    const auto [stop, failure] = std::from_chars(dims.data(), dims.data() + dims.size(), dim);
    if (failure != std::errc() || dim < 0) return std::nullopt;
    shape.push_back(dim);
    dims.remove_prefix(static_cast<std::size_t>(stop - dims.data()));
    if (!dims.empty() && dims.front() == 'L') dims.remove_prefix(1);
    if (!dims.empty() && dims.front() != ',' && dims.front() != ' ') return std::nullopt;
  }
}

/// The header's text and where the data begins; an error when it is none.
struct HeaderText {
  std::string text;
  std::uint64_t data_begin = 0;
  std::string error;
};

HeaderText read_header_text(std::ifstream& stream) {
  std::array<char, 12> start{};
  stream.read(start.data(), 10);
  if (stream.gcount() < 10 || std::string_view(start.data(), kMagic.size()) != kMagic) {
    return {"", 0, "not a .npy file"};
  }
  const auto byte = [&start](std::size_t i) {
    return static_cast<std::uint64_t>(static_cast<unsigned char>(start.at(i)));
  };
  const std::uint64_t version = byte(6);
  std::uint64_t length = byte(8) | byte(9) << 8;
  std::uint64_t begin = 10;
  if (version == 2 || version == 3) {
    stream.read(start.data() + 10, 2);
    length |= byte(10) << 16 | byte(11) << 24;
    begin = 12;
  } else if (version != 1) {
    return {"", 0, fmt::format("format version {} is not known", version)};
  }
  if (!stream || length > kMaxHeaderBytes) return {"", 0, "the header is damaged"};
  HeaderText header;
  header.text.resize(length);
  stream.read(header.text.data(), static_cast<std::streamsize>(length));
  if (static_cast<std::uint64_t>(stream.gcount()) != length) {
    return {"", 0, "the file ends inside its header"};
  }
  header.data_begin = begin + length;
  return header;
}

/// The dtype of a header's descr, or what is wrong with it.
std::optional<isa::DType> dtype_of(std::string_view descr, isa::DType as, std::string& error) {
  if (descr == "<u2" && as == isa::DType::bf16) return as;
  if (descr == "<i8" && as == isa::DType::index) return as;
  for (const DTypeName& name : kNames) {
    if (name.text == descr) return name.dtype;
  }
  error = descr.starts_with(">")
              ? fmt::format("dtype '{}' is big-endian: save it as little-endian", descr)
              : fmt::format("dtype '{}' is not supported", descr);
  if (descr == "<f8") error += ": save it as float32";
  return std::nullopt;
}

}  // namespace

NpyHeader read_npy_header(const std::filesystem::path& path, isa::DType as,
                          std::uint64_t max_bytes) {
  NpyHeader header;
  const auto wrong = [&](std::string_view what) {
    header.error = fmt::format("{}: {}", path.string(), what);
    return header;
  };
  std::error_code failure;
  if (!std::filesystem::exists(path, failure)) return wrong("no such file");
  if (!std::filesystem::is_regular_file(path, failure)) return wrong("not a regular file");
  const std::uint64_t size = std::filesystem::file_size(path, failure);
  if (size > max_bytes) {
    return wrong(
        fmt::format("{} bytes, more than the limit of {} (--max-tensor-bytes)", size, max_bytes));
  }
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return wrong(std::strerror(errno));
  const HeaderText read = read_header_text(stream);
  if (!read.error.empty()) return wrong(read.error);

  const std::optional<std::string_view> descr = text_item(read.text, "descr");
  const std::optional<std::string_view> order = item(read.text, "fortran_order");
  const std::optional<Shape> shape = shape_item(read.text);
  if (!descr || !order || !shape) {
    return wrong("the header has no plain descr, fortran_order and shape");
  }
  std::string error;
  const std::optional<isa::DType> dtype = dtype_of(*descr, as, error);
  if (!dtype) return wrong(error);
  const bool one_dimensional =
      std::count_if(shape->begin(), shape->end(), [](std::int64_t dim) { return dim != 1; }) <= 1;
  if (!order->starts_with("False") && !one_dimensional) {
    return wrong("Fortran order: save it as numpy.ascontiguousarray(...)");
  }
  const std::uint64_t have = size - std::min(size, read.data_begin);
  std::uint64_t need = 0;
  if (__builtin_mul_overflow(static_cast<std::uint64_t>(element_count(*shape)),
                             static_cast<std::uint64_t>(isa::size_of(*dtype)), &need) ||
      need != have) {
    return wrong(fmt::format("shape {} of {} does not fit {} bytes of data", shape_text(*shape),
                             isa::name(*dtype), have));
  }
  return {*dtype, *shape, read.data_begin, {}};
}

NpyFile read_npy(const std::filesystem::path& path, isa::DType as, std::uint64_t max_bytes) {
  NpyHeader header = read_npy_header(path, as, max_bytes);
  if (!header.error.empty()) return {std::nullopt, std::move(header.error)};
  isa::Array array(header.dtype, std::move(header.shape));
  std::ifstream stream(path, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>(header.data_begin));
  const auto bytes = static_cast<std::streamsize>(array.bytes.size());
  stream.read(reinterpret_cast<char*>(array.bytes.data()), bytes);
  if (stream.gcount() == bytes) return {std::move(array), {}};
  return {std::nullopt, fmt::format("{}: cannot be read to its end", path.string())};
}

std::string write_npy(const std::filesystem::path& path, const isa::Array& array) {
  const auto name = std::find_if(kNames.begin(), kNames.end(),
                                 [&](const DTypeName& n) { return n.dtype == array.dtype; });
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", name->text,
                  fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
  const std::size_t prefix = kMagic.size() + 4;
  header.append(kAlignment - (prefix + header.size() + 1) % kAlignment, ' ');
  header += '\n';

  errno = 0;
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream << kMagic << '\x01' << '\x00' << static_cast<char>(header.size() & 0xff)
         << static_cast<char>(header.size() >> 8) << header;
  stream.write(reinterpret_cast<const char*>(array.bytes.data()),
               static_cast<std::streamsize>(array.bytes.size()));
  stream.close();
  if (stream) return {};
  return fmt::format("cannot write {}: {}", path.string(),
                     errno != 0 ? std::strerror(errno) : "the disk refused it");
}

}  // namespace a2a3::models
