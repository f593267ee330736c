// Fat binaries: the same cubin and PTX come out of every packing.
#include "machine/cubin/fat_binary.h"

#include <gmock/gmock.h>

#include "machine/cubin/cubin.h"
#include "machine/cubin/decompress.h"
#include "tests/unit/machine/files.h"
#include "traces/base/error.h"

namespace warpscope::machine {
namespace {

using ::testing::HasSubstr;

std::vector<DeviceImage> images(const std::vector<std::uint8_t>& bytes) {
  return device_images(ByteView(bytes, "app"));
}

std::string search_refusal(const std::vector<std::uint8_t>& bytes) {
  try {
    images(bytes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(FatBinary, EveryPackingHoldsTheSame) {
  const std::vector<DeviceImage> plain = images(data_file("tiny_none.fatbin"));
  ASSERT_EQ(plain.size(), 2U);
  EXPECT_EQ(plain[0].kind, ImageKind::Ptx);
  EXPECT_THAT(std::string(plain[0].bytes.begin(), plain[0].bytes.end()), HasSubstr(".visible .entry tiny("));
  EXPECT_EQ(plain[1].kind, ImageKind::Cubin);
  EXPECT_EQ(Cubin(plain[1].bytes, "k").functions().at(0).name, "tiny");
  for (const char* packed : {"tiny_size.fatbin", "tiny_speed.fatbin"}) {
    const std::vector<DeviceImage> unpacked = images(data_file(packed));
    ASSERT_EQ(unpacked.size(), 2U);
    for (int number = 0; number < 2; ++number) {
      EXPECT_EQ(unpacked[number].bytes, plain[number].bytes) << packed;
      EXPECT_EQ(unpacked[number].architecture, 90U);
    }
  }
}

TEST(FatBinary, ObjectsAndArchivesAreSearched) {
  const std::vector<std::uint8_t> object = data_file("tiny.o");
  std::vector<DeviceImage> found = images(object);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].architecture, 75U);
  // An archive by hand: its magic, a header of 60 characters, the object.
  std::string text =
      "!<arch>\ntiny.o/         0           0     0     644     " + std::to_string(object.size());
  text.resize(8 + 58, ' ');
  text += "`\n";
  std::vector<std::uint8_t> archive(text.begin(), text.end());
  archive.insert(archive.end(), object.begin(), object.end());
  found = images(archive);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_THAT(found[0].name, HasSubstr("app(tiny.o)"));
}

TEST(FatBinary, RepeatsOfLz4MayOverlap) {
  // Two literals "ab", then ten bytes from two bytes before: a token 0x26, the literals, the distance.
  const std::vector<std::uint8_t> packed = {0x26, 'a', 'b', 2, 0};
  const std::vector<std::uint8_t> bytes = unpack_lz4(ByteView(packed, "k"), 12);
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), "abababababab");
  EXPECT_THROW(unpack_lz4(ByteView(packed, "k"), 11), InputError);
  const std::vector<std::uint8_t> far = {0x26, 'a', 'b', 3, 0};
  EXPECT_THROW(unpack_lz4(ByteView(far, "k"), 12), InputError);
}

TEST(FatBinary, WhatHoldsNoDeviceCodeIsRefused) {
  EXPECT_EQ(search_refusal({'h', 'i'}),
            "app: unrecognised file format, expected a cubin, PTX, a fat binary, an object, a library or a "
            "program");
  std::vector<std::uint8_t> bytes = data_file("tiny.o");
  const std::string text(bytes.begin(), bytes.end());
  bytes[text.find(".nv_fatbin")] = '_';
  EXPECT_EQ(search_refusal(bytes),
            "app: holds no device code, expected a program or library that nvcc linked");
  EXPECT_THROW(refuse_vendor_library("/usr/lib/libcublas.so.12"), InputError);
  refuse_vendor_library("/home/me/libmine.so");
}

TEST(FatBinary, CutShortOrChangedItIsRefusedOrRead) {
  for (const char* name : {"tiny_size.fatbin", "tiny_speed.fatbin", "tiny.o"}) {
    const std::vector<std::uint8_t> whole = data_file(name);
    std::uint32_t random = 7;
    for (int round = 0; round < 2000; ++round) {
      std::vector<std::uint8_t> changed = whole;
      random = random * 1664525 + 1013904223;
      changed[random % changed.size()] ^= static_cast<std::uint8_t>(1U << (random >> 29));
      changed.resize(changed.size() - (random >> 16 & 1) * (random % changed.size()));
      EXPECT_EQ(search_refusal(changed).find('\n'), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace warpscope::machine
