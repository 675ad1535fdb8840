// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "isa/memory.hpp"

namespace a2a3::isa {

/// Global memories as byte vectors, one per device; counts the accesses and checks their bounds.
class VectorPort : public GlobalPort {
 public:
  VectorPort(std::size_t devices, std::size_t bytes) : gm(devices, std::vector<std::byte>(bytes)) {}

  void read(GlobalAddress address, std::span<std::byte> destination) override {
    ++reads;
    const std::byte* from = at(address, destination.size());
    std::copy_n(from, destination.size(), destination.begin());
  }
  void write(GlobalAddress address, std::span<const std::byte> source) override {
    ++writes;
    std::copy(source.begin(), source.end(), at(address, source.size()));
  }
  void atomic_add(GlobalAddress address, DType dtype, std::span<const std::byte> source) override {
    ++atomics;
    accumulate(dtype, std::span(at(address, source.size()), source.size()), source);
  }

  /// The element of type T at an element index of a device's memory.
  template <class T>
  [[nodiscard]] T get(std::uint32_t device, std::size_t index) const {
    T value;
    std::memcpy(&value, &gm.at(device).at(index * sizeof(T)), sizeof(T));
    return value;
  }
  template <class T>
  void set(std::uint32_t device, std::size_t index, T value) {
    std::memcpy(&gm.at(device).at(index * sizeof(T)), &value, sizeof(T));
  }

  std::vector<std::vector<std::byte>> gm;
  int reads = 0;
  int writes = 0;
  int atomics = 0;

 private:
  std::byte* at(GlobalAddress address, std::size_t bytes) {
    std::vector<std::byte>& memory = gm.at(address.device);
    if (address.offset_bytes > memory.size() || bytes > memory.size() - address.offset_bytes)
      throw std::out_of_range("access outside of global memory");
    return memory.data() + address.offset_bytes;
  }
};

}  // namespace a2a3::isa
