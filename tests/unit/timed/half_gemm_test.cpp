// A product of 256 × 256 halves by tensor cores, by hand from its listing: the loop of data/half_gemm.cu as nvcc 13.0 makes it for sm_80
// (`warpscope disassemble tests/unit/timed/data/half_gemm.cu --arch sm_80 --kernel half_gemm`), of one work-group of four warps.
#include <string_view>

#include "tests/unit/timed/listing.h"

namespace warpscope::timed {
namespace {

using namespace timed::testing;

constexpr std::uint32_t kSteps = 256 / 16, kWarps = 4, kProducts = 8;
constexpr std::uint32_t kNone = 7;
/// Waits for counter 0, and so on.
constexpr std::uint32_t kFor0 = 1, kFor1 = 2, kFor2 = 4, kFor3 = 8;

/// The loop. Behind each instruction the cycle in which it issues, by hand: the cycle of the one before plus its stall, or when the data is there:
/// of a load from memory after 100 cycles, from shared memory after 28; behind a barrier 22 cycles after all have come.
const std::vector<Line>& loop() {
  static const std::vector<Line> lines = {
      {"LDG.E.128 R32, desc[UR6][R48.64]", "memory", 4, false, 2, 0},                        //   0
      {"LDG.E.128 R40, desc[UR6][R2.64]", "memory", 1, false, 3, 1},                         //   4
      {"IADD3 R51, R51, 0x10, RZ", "alu", 3, true},                                          //   5
      {"BAR.SYNC.DEFER_BLOCKING 0x0", "branch", 1},                                          //   8
      {"ISETP.GE.U32.AND P0, PT, R51, 0x100, PT", "alu", 2},                                 //  30 = 8 + 22
      {"IADD3 R48, P2, R48, 0x20, RZ", "alu", 2, false, kNone, kNone, kFor0},                //  32
      {"IADD3 R2, P1, R2, 0x20, RZ", "alu", 2, false, kNone, kNone, kFor1},                  //  34
      {"IADD3.X R49, RZ, R49, RZ, P2, !PT", "alu", 3, true},                                 //  36
      {"IMAD.X R3, RZ, RZ, R3, P1", "fma", 1},                                               //  39
      {"STS.128 [R56], R32", "memory", 4, false, kNone, kNone, kFor2},                       // 100 = 0 + 100
      {"STS.128 [R56+0xc00], R40", "memory", 4, false, kNone, kNone, kFor3},                 // 104 = 4 + 100
      {"BAR.SYNC.DEFER_BLOCKING 0x0", "branch", 6},                                          // 108
      {"LDSM.16.M88.4 R40, [R54]", "memory", 4, false, 0},                                   // 130 = 108 + 22
      {"LDSM.16.M88.4 R44, [R55]", "memory", 1, false, 1},                                   // 134
      {"MOV R32, R40", "alu", 1, false, kNone, kNone, kFor0},                                // 158 = 130 + 28
      {"IMAD.MOV.U32 R33, RZ, RZ, R42", "fma", 7, true},                                     // 159
      {"HMMA.16816.F32 R28, R44, R32, R28", "tensor", 7, false, kNone, kNone, kFor1},        // 166
      {"IMAD.MOV.U32 R32, RZ, RZ, R41", "fma", 2},                                           // 173
      {"IMAD.MOV.U32 R33, RZ, RZ, R43", "fma", 7, true},                                     // 175
      {"HMMA.16816.F32 R24, R44, R32, R24", "tensor", 1},                                    // 182
      {"LDSM.16.M88.4 R32, [R54+0x300]", "memory", 2, false, 0},                             // 183
      {"MOV R52, R32", "alu", 1, false, kNone, kNone, kFor0},                                // 211 = 183 + 28
      {"IMAD.MOV.U32 R53, RZ, RZ, R34", "fma", 7, true},                                     // 212
      {"HMMA.16816.F32 R20, R44, R52, R20", "tensor", 7},                                    // 219
      {"IMAD.MOV.U32 R52, RZ, RZ, R33", "fma", 2},                                           // 226
      {"IMAD.MOV.U32 R53, RZ, RZ, R35", "fma", 7, true},                                     // 228
      {"HMMA.16816.F32 R16, R44, R52, R16", "tensor", 1},                                    // 235
      {"LDSM.16.M88.4 R44, [R55+0x300]", "memory", 6, false, 0},                             // 236
      {"IMAD.MOV.U32 R53, RZ, RZ, R42", "fma", 1},                                           // 242
      {"MOV R52, R40", "alu", 1},                                                            // 243
      {"IMAD.MOV.U32 R42, RZ, RZ, R41", "fma", 1},                                           // 244
      {"MOV R41, R34", "alu", 1},                                                            // 245
      {"IMAD.MOV.U32 R40, RZ, RZ, R32", "fma", 2, true},                                     // 246
      {"IMAD.MOV.U32 R34, RZ, RZ, R33", "fma", 2},                                           // 248
      {"HMMA.16816.F32 R12, R44.reuse, R52, R12", "tensor", 8, false, kNone, kNone, kFor0},  // 264 = 236 + 28
      {"HMMA.16816.F32 R8, R44.reuse, R42, R8", "tensor", 8},                                // 272
      {"HMMA.16816.F32 R4, R44.reuse, R40, R4", "tensor", 8},                                // 280
      {"HMMA.16816.F32 R36, R44, R34, R36", "tensor", 1},                                    // 288
      {"@!P0 BRA 0x300", "branch", 7},                                                       // 289
  };
  return lines;
}
constexpr Cycle kCyclesOfStep = 289 + 7;

/// A block ends with each barrier.
Listing half_gemm() {
  std::vector<std::vector<Line>> blocks(1);
  for (const Line& line : loop()) {
    blocks.back().push_back(line);
    if (std::string_view(line.text).starts_with("BAR")) blocks.emplace_back();
  }
  Listing listing;
  for (std::uint32_t block = 0; block < blocks.size(); ++block)
    listing.block(blocks[block],
                  block + 1 < blocks.size() ? std::vector{block + 1} : std::vector{block + 1, 0u});
  listing.block({kExit});
  for (std::uint32_t block = 0; block < blocks.size(); ++block) {
    for (std::uint32_t place = 0; place < blocks[block].size(); ++place) {
      const std::string_view text = blocks[block][place].text;
      const AddressSpace space = text.starts_with("LDG") ? AddressSpace::Global : AddressSpace::Local;
      if (text.starts_with("LD")) listing.site(block, place, AccessKind::Load, space);
      if (text.starts_with("STS")) listing.site(block, place, AccessKind::Store, space);
      if (text.starts_with("BAR")) listing.site(block, place, AccessKind::Barrier);
    }
  }
  return listing.addresses([](std::uint32_t group, std::uint32_t warp, SiteId site, std::uint64_t count) {
    return (((group * kSteps + count) * 16 + site.value()) * kWarps + warp) * 128;  // no line twice
  });
}

/// An A100's; halves of a scheduler: 1,024 of a core over four.
TimedConfig a100() {
  TimedConfig config = machine_config();
  config.issue.schedulers = 4;
  config.issue.machine.tensor_half_products = 256;
  config.issue.machine.barrier_latency = 22;
  config.l1.local_latency = 28;
  return config;
}

Outcomes outcomes() {
  Outcomes all(kSteps, 1);
  all.back() = 0;
  return all;
}

TEST(HalfGemm, CyclesByHandFromItsListing) {
  const LaunchTiming timing = half_gemm().run(a100(), kWarps, outcomes());
  EXPECT_EQ(timing.cycles, kSteps * kCyclesOfStep + 1);  // EXIT issues behind the last branch's stall
  EXPECT_EQ(timing.cores[0].instructions, kWarps * (kSteps * loop().size() + 1));
}

/// Four warps on one scheduler, whose tensor core takes 16 · 8 · 16 products over 256 or 64 a cycle for each of theirs. It idles at most while all of
/// them do in a step what is not such a product: the waits of one, and the issue slots of the others.
TEST(HalfGemm, TheTensorCoreIsSharedByTheWarpsOfItsScheduler) {
  TimedConfig config = a100();
  config.issue.schedulers = 1;
  const Cycle others = Cycle{kWarps - 1} * (loop().size() - kProducts);
  for (const std::uint32_t products : {256u, 64u}) {
    config.issue.machine.tensor_half_products = products;
    const Cycle each = 16 * 8 * 16 / products, busy = each * kProducts * kWarps * kSteps;
    const Cycle cycles = half_gemm().run(config, kWarps, outcomes()).cycles;
    EXPECT_GE(cycles, busy) << products;
    EXPECT_LE(cycles, busy + kSteps * (kCyclesOfStep + others)) << products;
  }
}

}  // namespace
}  // namespace warpscope::timed
