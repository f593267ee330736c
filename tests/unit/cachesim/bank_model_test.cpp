// Bank conflicts of single warp instructions, by hand arithmetic and from the CUDA C Programming Guide.
#include "cachesim/access/bank_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "traces/base/error.h"

namespace warpscope::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr BankRules kFermi{};
constexpr BankRules kKepler4{32, 8, 4, 32, true}, kKepler8{32, 8, 8, 32, true};
constexpr BankRules kG80{16, 4, 4, 16, false};
constexpr BankRules kMaxwell{32, 4, 4, 32, true, true};

std::vector<std::uint16_t> degrees(const BankRules& rules, std::uint32_t bytes,
                                   const std::function<std::uint64_t(std::uint64_t)>& address,
                                   LaneMask mask = 0xffffffff) {
  std::vector<std::uint64_t> addresses;
  for (std::uint64_t lane = 0; lane < 32; ++lane)
    if ((mask >> lane & 1) != 0) addresses.push_back(address(lane));
  std::vector<std::uint16_t> degrees;
  bank_degrees({mask, addresses, bytes, 32}, rules, degrees);
  return degrees;
}

TEST(Banks, AStridedAccessHasTheDegreeOfTheCommonDivisorWithTheBanks) {
  for (std::uint64_t stride = 1; stride <= 130; ++stride) {
    EXPECT_THAT(degrees(kFermi, 4, [&](std::uint64_t lane) { return 4 * lane * stride; }),
                ElementsAre(std::gcd(stride, 32)))
        << stride;
    const auto half = static_cast<std::uint16_t>(std::gcd(stride, 16));
    EXPECT_THAT(degrees(kG80, 4, [&](std::uint64_t lane) { return 4 * lane * stride; }),
                ElementsAre(half, half))
        << stride;
  }
}

TEST(Banks, LanesThatReadTheSameWordShareIt) {
  EXPECT_THAT(degrees(kFermi, 4, [](std::uint64_t) { return 400; }), ElementsAre(1));
  EXPECT_THAT(degrees(kFermi, 1, [](std::uint64_t lane) { return lane; }), ElementsAre(1))
      << "bytes of words";
  EXPECT_THAT(degrees(kFermi, 4, [](std::uint64_t lane) { return lane / 2 * 4; }), ElementsAre(1))
      << "several words, each for several lanes";
  EXPECT_THAT(degrees(kFermi, 4, [](std::uint64_t lane) { return lane % 2 * 128; }), ElementsAre(2));
}

TEST(Banks, WideAccessesGoInHalvesAndQuarters) {
  EXPECT_THAT(degrees(kFermi, 8, [](std::uint64_t lane) { return 8 * lane; }), ElementsAre(1, 1));
  EXPECT_THAT(degrees(kFermi, 16, [](std::uint64_t lane) { return 16 * lane; }), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(degrees(kFermi, 8, [](std::uint64_t lane) { return 16 * lane; }), ElementsAre(2, 2));
  EXPECT_THAT(degrees(
                  kFermi, 8, [](std::uint64_t lane) { return 8 * lane; }, 0xffff),
              ElementsAre(1))
      << "no lane of the upper half takes part";
  EXPECT_THAT(degrees(
                  kFermi, 4, [](std::uint64_t) { return 0; }, 0),
              ElementsAre());
}

// Cycles per load that profilers count (validation/truth): tiles of a multiplication on an A100. sgemm_tile: a warp reads 16
// bytes; sgemm_warp_tile: a half-warp does, and 16 different ones of b.
TEST(Banks, NeighbouringPassesAreJoinedWhereLanesReadTheSame) {
  EXPECT_THAT(degrees(kMaxwell, 16, [](std::uint64_t) { return 64; }), ElementsAre(1, 1));
  EXPECT_THAT(degrees(kMaxwell, 16, [](std::uint64_t lane) { return lane / 16 * 64; }), ElementsAre(1, 1));
  EXPECT_THAT(degrees(kMaxwell, 16, [](std::uint64_t lane) { return lane % 16 * 16; }),
              ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(degrees(kMaxwell, 16, [](std::uint64_t lane) { return lane / 2 * 16; }), ElementsAre(1, 1));
  EXPECT_THAT(degrees(kMaxwell, 16, [](std::uint64_t lane) { return (lane / 4 * 2 + lane % 2) * 16; }),
              ElementsAre(1, 1));
  EXPECT_THAT(degrees(kMaxwell, 8, [](std::uint64_t) { return 64; }), ElementsAre(1));
  EXPECT_THAT(degrees(kMaxwell, 8, [](std::uint64_t lane) { return 8 * lane; }), ElementsAre(1, 1));
  EXPECT_THAT(degrees(kFermi, 16, [](std::uint64_t) { return 64; }), ElementsAre(1, 1, 1, 1));
}

// CUDA C Programming Guide, compute capability 3.x: words i and i + 32 of the same 64 aligned words do not
// conflict in 4-byte mode, lanes in the same 8 bytes not in 8-byte mode.
TEST(Banks, KeplerGivesEightBytesInBothModes) {
  EXPECT_THAT(degrees(kKepler4, 4, [](std::uint64_t lane) { return 8 * lane; }), ElementsAre(1));
  EXPECT_THAT(degrees(kKepler8, 4, [](std::uint64_t lane) { return 8 * lane; }), ElementsAre(1));
  EXPECT_THAT(degrees(kKepler4, 4, [](std::uint64_t lane) { return 16 * lane; }), ElementsAre(2));
  EXPECT_THAT(degrees(kKepler4, 4, [](std::uint64_t lane) { return lane % 2 * 128; }), ElementsAre(1));
  EXPECT_THAT(degrees(kKepler4, 4, [](std::uint64_t lane) { return 128 + lane % 2 * 128; }), ElementsAre(2))
      << "two rows of 64 words";
  EXPECT_THAT(degrees(kKepler8, 4, [](std::uint64_t lane) { return lane % 2 * 128; }), ElementsAre(1))
      << "words 0 and 32 are in banks 0 and 16";
  EXPECT_THAT(degrees(kKepler8, 4, [](std::uint64_t lane) { return lane % 2 * 256; }), ElementsAre(2));
  EXPECT_THAT(degrees(kKepler8, 8, [](std::uint64_t lane) { return 8 * lane; }), ElementsAre(1))
      << "a whole warp of 8-byte words per cycle";
}

// CUDA C Programming Guide, G.3.3 (compute capability 1.x).
TEST(Banks, TheFirstGenerationsServeOneWordForManyLanesPerCycle) {
  EXPECT_THAT(degrees(kG80, 4, [](std::uint64_t) { return 0; }), ElementsAre(1, 1));
  EXPECT_THAT(degrees(kG80, 8, [](std::uint64_t lane) { return 8 * lane; }), ElementsAre(2, 2, 2, 2))
      << "two requests of 32 bits with a stride of two words, for each half";
  // Two words in different banks for eight lanes each: one word and one lane of the other, then the rest.
  EXPECT_THAT(degrees(kG80, 4, [](std::uint64_t lane) { return lane % 2 * 4; }), ElementsAre(2, 2));
  EXPECT_THAT(degrees(kFermi, 4, [](std::uint64_t lane) { return lane % 2 * 4; }), ElementsAre(1));
}

// AMD: 32 banks of 4 bytes; a wave of 64 goes by halves, 8 bytes by 16 lanes, 16 bytes by 8 (OpenCL Programming Guide,
// section 6.2; Composable Kernel, "LDS and Bank Conflicts").
TEST(Banks, AWaveOf64GoesByHalves) {
  const BankRules rules = bank_rules(load_preset("vega64"));
  EXPECT_EQ(rules, (BankRules{32, 4, 4, 32, true, false}));
  std::vector<std::uint64_t> addresses(64);
  const auto wave = [&](std::uint32_t bytes, std::uint64_t stride) {
    for (std::uint64_t lane = 0; lane < 64; ++lane) addresses[lane] = lane * stride;
    std::vector<std::uint16_t> result;
    bank_degrees({~LaneMask{0}, addresses, bytes, 64}, rules, result);
    return result;
  };
  EXPECT_THAT(wave(4, 4), ElementsAre(1, 1));
  EXPECT_THAT(wave(4, 8), ElementsAre(2, 2));
  EXPECT_THAT(wave(4, 128), ElementsAre(32, 32));
  EXPECT_THAT(wave(4, 0), ElementsAre(1, 1)) << "one word for all lanes";
  EXPECT_THAT(wave(8, 8), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(wave(16, 16), ElementsAre(1, 1, 1, 1, 1, 1, 1, 1));
}

TEST(Banks, APaddedTransposeHasNoConflict) {
  EXPECT_THAT(degrees(kFermi, 4, [](std::uint64_t lane) { return 4 * 32 * lane; }), ElementsAre(32));
  EXPECT_THAT(degrees(kFermi, 4, [](std::uint64_t lane) { return 4 * 33 * lane; }), ElementsAre(1));
}

TEST(Banks, PeriodsDoNotChangeDegrees) {
  for (const BankRules& rules : {kFermi, kKepler4, kKepler8, kG80})
    for (const std::uint64_t stride : {4, 12, 20, 132, 1028}) {
      const auto at = [&](std::uint64_t base) {
        return degrees(rules, 4, [&](std::uint64_t lane) { return base + lane * stride; });
      };
      for (std::uint64_t times = 1; times < 40; ++times)
        EXPECT_EQ(at(0), at(times * bank_period(rules))) << stride << " " << times;
    }
}

std::string error_with(const PresetChange& change) {
  try {
    bank_rules(load_preset("v100", {change}));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Banks, ComeFromThePreset) {
  EXPECT_EQ(bank_rules(load_preset("gtx480")), kFermi);
  EXPECT_EQ(bank_rules(load_preset("v100")), kMaxwell);
  EXPECT_EQ(bank_rules(load_preset("k40")), kKepler4);
  EXPECT_EQ(bank_rules(load_preset("k40", {{"local_bank_interleave_bytes", "8"}})), kKepler8);
  EXPECT_EQ(bank_rules(load_preset("gtx280")), kG80);
  EXPECT_EQ(bank_rules(load_preset("8800gtx")), kG80);
  EXPECT_THAT(error_with({"local_banks", "24"}), HasSubstr("local_banks is 24, expected a power of two"));
  EXPECT_THAT(error_with({"local_bank_interleave_bytes", "8"}), HasSubstr("expected a power of two up to 4"));
}

}  // namespace
}  // namespace warpscope::test
