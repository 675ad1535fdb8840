// SPDX-License-Identifier: Apache-2.0
#include "models/npy.hpp"

#include <fstream>

#include <gtest/gtest.h>

namespace a2a3::models::npy_test {
namespace {

using isa::DType;

constexpr std::uint64_t kMax = 1 << 20;

class NpyTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  /// A file of the given version with this header dictionary and data.
  void write(const std::string& dictionary, std::size_t data_bytes, int version = 1) {
    std::string header = dictionary + "\n";
    std::ofstream stream(path_, std::ios::binary);
    stream << "\x93NUMPY" << static_cast<char>(version) << '\0'
           << static_cast<char>(header.size() & 0xff) << static_cast<char>(header.size() >> 8);
    if (version > 1) stream << '\0' << '\0';
    stream << header;
    for (std::size_t i = 0; i < data_bytes; ++i)
      stream << static_cast<char>(i);
  }
  void write_raw(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }

  [[nodiscard]] std::string error(DType as = DType::fp32) const {
    const NpyFile file = read_npy(path_, as, kMax);
    EXPECT_EQ(file.array.has_value(), file.error.empty());
    return file.error;
  }

  /// One file per test: tests run side by side.
  std::filesystem::path path_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("a2a3_") + testing::UnitTest::GetInstance()->current_test_info()->name() +
       ".npy");
};

TEST_F(NpyTest, RoundTripOfEveryDType) {
  for (const DType dtype : {DType::fp32, DType::fp16, DType::bf16, DType::int8, DType::int16,
                            DType::int32, DType::int64, DType::uint8, DType::uint16, DType::uint32,
                            DType::uint64, DType::boolean, DType::index}) {
    isa::Array array(dtype, {2, 3});
    for (std::int64_t i = 0; i < 6; ++i)
      array.set(i, static_cast<double>(i));
    ASSERT_EQ(write_npy(path_, array), "");
    const NpyFile file = read_npy(path_, dtype, kMax);
    ASSERT_TRUE(file.array) << file.error;
    EXPECT_EQ(file.array->dtype, dtype);
    EXPECT_EQ(file.array->shape, array.shape);
    EXPECT_EQ(file.array->bytes, array.bytes);
    EXPECT_EQ((std::filesystem::file_size(path_) - array.bytes.size()) % 64, 0u);
  }
}

TEST_F(NpyTest, ShapesOfAnyRank) {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{}, {5}, {1, 1, 1}, {0, 3}, {2, 1, 2, 1, 2}}) {
    const isa::Array array(DType::int32, shape);
    ASSERT_EQ(write_npy(path_, array), "");
    const NpyFile file = read_npy(path_, DType::int32, kMax);
    ASSERT_TRUE(file.array) << file.error;
    EXPECT_EQ(file.array->shape, shape);
  }
}

TEST_F(NpyTest, WritesWhatNumpyWrites) {
  isa::Array array(DType::fp32, {2});
  array.set(0, 1);
  ASSERT_EQ(write_npy(path_, array), "");
  std::ifstream stream(path_, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(stream)), {});
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(bytes.substr(10, 59), "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }  ");
  EXPECT_EQ(bytes[127], '\n');
  EXPECT_EQ(bytes.size(), 128u + 8u);
}

TEST_F(NpyTest, Versions) {
  const std::string dictionary = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }";
  for (const int version : {1, 2, 3}) {
    write(dictionary, 16, version);
    EXPECT_EQ(error(), "") << version;
  }
  write(dictionary, 16, 4);
  EXPECT_NE(error().find("version 4"), std::string::npos);
}

TEST_F(NpyTest, HeaderSpellings) {
  write("{\"shape\":(4,),\"fortran_order\":False,\"descr\":\"|u1\"}", 4);
  EXPECT_EQ(error(), "");
  write("{'descr': '<i4', 'fortran_order': False, 'shape': (2L, 2L), }", 16);
  EXPECT_EQ(error(), "");
  write("{'descr': '<i4', 'fortran_order': True, 'shape': (1, 4), }", 16);
  EXPECT_EQ(error(), "");
}

TEST_F(NpyTest, Bf16IsTwoRawBytes) {
  for (const char* descr : {"|V2", "<V2", "<u2"}) {
    write(std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (2,), }", 4);
    const NpyFile file = read_npy(path_, DType::bf16, kMax);
    ASSERT_TRUE(file.array) << file.error;
    EXPECT_EQ(file.array->dtype, DType::bf16);
  }
  EXPECT_EQ(read_npy(path_, DType::uint16, kMax).array->dtype, DType::uint16);
}

TEST_F(NpyTest, Refused) {
  const auto refuses = [&](const std::string& dictionary, std::size_t bytes, const char* message) {
    write(dictionary, bytes);
    EXPECT_NE(error().find(message), std::string::npos) << dictionary << ": " << error();
    EXPECT_NE(read_npy_header(path_, DType::fp32, kMax).error, "");
  };
  refuses("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", 4, "big-endian");
  refuses("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", 8, "save it as float32");
  refuses("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", 8, "'<c8' is not supported");
  refuses("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", 16, "Fortran order");
  refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 8, "does not fit 8 bytes");
  refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", 8, "does not fit 8 bytes");
  refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999, 9999999999), }", 8,
          "does not fit");
  refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 8, "header has no plain");
  refuses("{'descr': '<f4', 'fortran_order': False, 'shape': (1x), }", 8, "header has no plain");
  refuses("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4,
          "header has no plain");
  refuses("{'descr': '<f4', 'shape': (1,), }", 4, "header has no plain");
  refuses("nonsense", 4, "header has no plain");
  refuses("'descr'", 4, "header has no plain");
}

TEST_F(NpyTest, NoNpyFile) {
  EXPECT_NE(read_npy("/nowhere/x.npy", DType::fp32, kMax).error.find("no such file"),
            std::string::npos);
  EXPECT_NE(read_npy("/tmp", DType::fp32, kMax).error.find("not a regular file"),
            std::string::npos);
  write_raw("");
  EXPECT_NE(error().find("not a .npy file"), std::string::npos);
  write_raw("PK\x03\x04 this is a zip file");
  EXPECT_NE(error().find("not a .npy file"), std::string::npos);
  write_raw(std::string("\x93NUMPY\x01\x00\xff\x00{'descr'", 18));
  EXPECT_NE(error().find("ends inside its header"), std::string::npos);
  write_raw(std::string("\x93NUMPY\x02\x00\xff\xff", 10));
  EXPECT_NE(error().find("damaged"), std::string::npos);
  write_raw(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12));
  EXPECT_NE(error().find("damaged"), std::string::npos);
  write_raw(std::string(100, 'x'));
  EXPECT_NE(read_npy(path_, DType::fp32, 99).error.find("--max-tensor-bytes"), std::string::npos);
}

TEST_F(NpyTest, WriteErrors) {
  EXPECT_NE(write_npy("/nowhere/x.npy", isa::Array(DType::fp32, {1})).find("cannot write"),
            std::string::npos);
}

}  // namespace
}  // namespace a2a3::models::npy_test
