#include "timed/config/published_fetch.h"

namespace warpscope::timed {
namespace {

/// Sources, by column; 0: none known.
/// - operands (KiB of the core, a quarter for each scheduler): that they have a cache apart from LDC's, of the scheduler, what it takes when they are not
///   there (79 cycles, on an RTX A6000) and that the scheduler waits for four: R. Huerta et al., "Dissecting and Modeling the Architecture of Modern GPU
///   Cores", MICRO 2025, 5.1.1 and 5.4. Its size: their simulator, which has lines of 64 bytes, four sets of two. Turing's cycles: an RTX 2070's 62 with a
///   miss less 4 without (github.com/sjfeng1999/gpu-arch-microbenchmark).
/// - LDC: 2 KiB with lines of 64 bytes, and the cycles of a miss, measured by MT4G (github.com/caps-tum/mt4g, sample_results: V100, RTX 2080 Ti, A100,
///   H100).
/// - instructions: V100, T4 and A100: Z. Jia et al., arXiv 1804.06826 and 1903.07486, and their GTC talk of 2021 (recalled); RTX 3060:
///   github.com/YKTian-x2b/AmpereArchViaMicroBenchMark. Cycles: as constants', which come from the same L1.5 ("L1" in MICRO 2025).
struct Published {
  std::string_view compute_capability;
  std::uint32_t operand_bytes, operand_cycles, load_bytes, load_cycles;
  std::uint32_t instruction_l0_kib, instruction_l1_kib, instruction_cycles;
};
constexpr Published kPublished[] = {
    {"7.0", 0, 0, 2048, 76, 12, 128, 76}, {"7.5", 512, 58, 2048, 37, 16, 46, 58},
    {"8.0", 0, 0, 2048, 43, 32, 128, 79}, {"8.6", 512, 79, 0, 0, 16, 32, 79},
    {"9.0", 0, 0, 2048, 55, 0, 0, 0},
};

}  // namespace

FetchTimes published_fetch(std::string_view compute_capability, std::uint32_t l2_cycles) {
  constexpr std::uint32_t kKib = 1024;
  FetchTimes times;
  for (const Published& one : kPublished) {
    if (one.compute_capability != compute_capability) continue;
    times.constant_l0_bytes = one.operand_bytes;
    times.constant_l0_cycles = one.operand_cycles;
    times.constant_l1_bytes = one.load_bytes;
    times.constant_l1_cycles = one.load_cycles;
    times.instruction_l0_bytes = one.instruction_l0_kib * kKib;
    times.instruction_l0_cycles = one.instruction_cycles;
    times.instruction_l1_bytes = one.instruction_l1_kib * kKib;
    times.instruction_l1_cycles = l2_cycles;
  }
  return times;
}

}  // namespace warpscope::timed
