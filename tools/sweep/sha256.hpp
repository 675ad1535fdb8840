// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace a2a3::tools {

/// SHA-256 as in FIPS 180-4, for names of results: same text, same name, on every machine.
class Sha256 {
 public:
  void add(std::string_view bytes);
  /// 64 hexadecimal digits for everything added; nothing may be added afterwards.
  [[nodiscard]] std::string hex();

 private:
  void process_block();

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::size_t used_ = 0;  ///< of the block
  std::uint64_t bytes_ = 0;
};

[[nodiscard]] std::string sha256(std::string_view text);

}  // namespace a2a3::tools
