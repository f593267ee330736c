// Packing without asking zstd about each payload: what zstd unpacks again, and the same bytes whatever came before.
#include "traces/files/packed_forms.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include "tests/unit/random.h"
#include "traces/base/varint.h"

namespace warpscope {
namespace {

using Payload = std::vector<std::uint8_t>;
using testing::Random;

class Packer {
 public:
  Packer() { ZSTD_CCtx_setParameter(zstd_.get(), ZSTD_c_compressionLevel, 1); }

  Payload pack(const Payload& payload) {
    Payload packed(ZSTD_compressBound(payload.size()));
    packed.resize(forms_.pack(zstd_.get(), payload, packed));
    return packed;
  }
  Payload pack_as_usual(const Payload& payload) {
    Payload packed(ZSTD_compressBound(payload.size()));
    packed.resize(ZSTD_compress2(zstd_.get(), packed.data(), packed.size(), payload.data(), payload.size()));
    return packed;
  }

 private:
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> zstd_{ZSTD_createCCtx(), ZSTD_freeCCtx};
  PackedForms forms_;
};

Payload unpacked(const Payload& packed, std::size_t size) {
  Payload payload(size);
  const std::size_t result = ZSTD_decompress(payload.data(), size, packed.data(), packed.size());
  EXPECT_EQ(result, size);
  return payload;
}

/// Rows of a work-group: for each site a location, then steps that are mostly the same.
Payload rows(const std::vector<std::uint64_t>& locations, std::uint64_t row_bytes, std::size_t count) {
  Payload payload = {0x80, 2, 0, 1, 1};
  for (const std::uint64_t location : locations) {
    put_varint(payload, zigzag(static_cast<std::int64_t>(location)) << 1);
    for (std::size_t row = 0; row < count; ++row) {
      put_delta_run(payload, {4, 15});
      put_delta_run(payload, {static_cast<std::int64_t>(row_bytes) - 60, 1});
    }
  }
  return payload;
}

std::uint64_t location(std::uint64_t buffer, std::uint64_t offset) {
  return buffer << 40 | offset;
}

/// The five loads and the store of a 5-point stencil.
Payload stencil(std::uint64_t first) {
  const std::uint64_t row = 4096;
  return rows({location(1, first), location(1, first - 4), location(1, first + 4), location(1, first - row),
               location(1, first + row), location(2, first)},
              row, 14);
}

TEST(PackedForms, UnpackToWhatWasPacked) {
  Packer packer;
  for (std::uint64_t group = 0; group < 4096; ++group) {
    const Payload payload = stencil(4100 + group * 64);
    const Payload packed = packer.pack(payload);
    ASSERT_GT(packed.size(), 0u);
    ASSERT_EQ(unpacked(packed, payload.size()), payload) << "group " << group;
  }
}

TEST(PackedForms, DoNotDependOnWhatCameBefore) {
  Packer used;
  for (std::uint64_t group = 0; group < 4096; group += 7) used.pack(stencil(4100 + group * 64));
  for (std::uint64_t group = 0; group < 4096; group += 61) {
    const Payload payload = stencil(4100 + group * 64);
    EXPECT_EQ(used.pack(payload), Packer().pack(payload)) << "group " << group;
  }
}

TEST(PackedForms, AreAsShortAsWhatZstdMakesOfEach) {
  Packer packer;
  std::size_t ours = 0, usual = 0;
  for (std::uint64_t group = 0; group < 4096; ++group) {
    const Payload payload = stencil(4100 + group * 64);
    ours += packer.pack(payload).size();
    usual += packer.pack_as_usual(payload).size();
  }
  EXPECT_LE(ours, usual + usual / 100);
}

// Another buffer's locations in between, as of a convolution's weights.
TEST(PackedForms, AreAsShortWithTwoBuffersInTurns) {
  Packer packer;
  std::size_t ours = 0, usual = 0;
  for (std::uint64_t group = 0; group < 512; ++group) {
    std::vector<std::uint64_t> locations;
    for (std::uint64_t tap = 0; tap < 9; ++tap) {
      locations.push_back(location(3, 4 * tap));
      locations.push_back(location(1, 64 * group + 4096 * (1 + tap / 3) + 4 * (tap % 3)));
    }
    const Payload payload = rows(locations, 4096, 7);
    const Payload packed = packer.pack(payload);
    ASSERT_EQ(unpacked(packed, payload.size()), payload) << "group " << group;
    ours += packed.size();
    usual += packer.pack_as_usual(payload).size();
  }
  EXPECT_LE(ours, usual + usual / 100);
}

TEST(PackedForms, SayThatAPayloadDoesNotShrink) {
  Random random(1);
  Payload payload = rows({location(1, 0)}, 64, 1);
  while (payload.size() < 500) payload.push_back(static_cast<std::uint8_t>(random.below(256)));
  EXPECT_EQ(Packer().pack(payload).size(), payload.size());
}

// Locations that are equal in some bytes and differ in others, also in several forms in turns.
TEST(PackedForms, HoldForAnyLocations) {
  Packer used;
  std::size_t packed_ones = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Random random(seed);
    std::vector<std::uint64_t> locations;
    for (std::uint64_t sites = 1 + random.below(8); sites > 0; --sites) {
      const std::uint64_t offset =
          random.below(2) == 0 ? random.below(1u << 14) << 7 : random.below(1u << 30);
      locations.push_back(location(1 + random.below(3), offset));
    }
    Payload payload = rows(locations, 512 + 64 * random.below(4), 4 + random.below(12));
    for (std::uint64_t noise = random.below(4); noise > 0; --noise)
      payload[random.below(payload.size())] = static_cast<std::uint8_t>(random.below(256));
    const Payload packed = used.pack(payload);
    ASSERT_EQ(packed, Packer().pack(payload)) << "seed " << seed;
    if (packed.empty() || packed.size() == payload.size()) continue;
    ++packed_ones;
    ASSERT_EQ(unpacked(packed, payload.size()), payload) << "seed " << seed;
  }
  EXPECT_GT(packed_ones, 2000u);
}

TEST(PackedForms, AreNotForLongPayloadsOrThoseWithoutLocations) {
  EXPECT_TRUE(Packer().pack(rows({location(1, 0)}, 64, PackedForms::kLongestPayload)).empty());
  EXPECT_TRUE(Packer().pack(Payload(500, 7)).empty());
}

}  // namespace
}  // namespace warpscope
