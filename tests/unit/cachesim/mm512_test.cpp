// Naive 512 x 512 multiplication on one core, 16 KiB, 4-way LRU, WTNA. The numbers were found with Dinero IV
// (-ccc) and with an independent prototype: 8,667,136 misses; compulsory 24,576, capacity 303,104, conflict
// 8,339,456. Dinero counts store misses in its classes; this project classifies loads only (stores do not
// allocate): of 16,384 store misses 8,192 are first touches of a line of C and 8,192 second ones, which
// Dinero has under compulsory and capacity.
#include <gtest/gtest.h>

#include <algorithm>

#include "simulate.h"

namespace warpscope::test {
namespace {

/// 16x16 groups, six resident, all warps of a group in turn at every load instruction; warps of 32 lanes
/// cover two rows.
std::vector<Transaction> mm512() {
  constexpr std::uint64_t kWidth = 512, kGroups = kWidth / 16, kResident = 6, kWarps = 8;
  constexpr std::uint64_t kB = kWidth * kWidth * 4, kC = 2 * kB;
  std::vector<Transaction> out;
  const auto touch = [&](std::uint64_t address, bool store) {
    out.push_back(transaction(address / 128, store));
  };
  for (std::uint64_t first = 0; first < kGroups * kGroups; first += kResident) {
    const std::uint64_t end = std::min(first + kResident, kGroups * kGroups);
    const auto every_warp = [&](const auto& visit) {
      for (std::uint64_t group = first; group < end; ++group)
        for (std::uint64_t warp = 0; warp < kWarps; ++warp)
          visit(group / kGroups * 16 + warp * 2, group % kGroups * 16);
    };
    for (std::uint64_t k = 0; k < kWidth; ++k) {
      every_warp([&](std::uint64_t row, std::uint64_t) {
        for (const std::uint64_t r : {row, row + 1}) touch((r * kWidth + k) * 4, false);
      });
      every_warp([&](std::uint64_t, std::uint64_t column) { touch(kB + (k * kWidth + column) * 4, false); });
    }
    every_warp([&](std::uint64_t row, std::uint64_t column) {
      for (const std::uint64_t r : {row, row + 1}) touch(kC + (r * kWidth + column) * 4, true);
    });
  }
  return out;
}

TEST(Mm512, MissesAndClassesAreThoseOfDinero) {
  const auto transactions = mm512();
  ASSERT_EQ(transactions.size(), 12599296u);
  SimulationOptions options;  // 16 128 4 LRU WTNA
  options.self_check = true;
  for (const std::uint64_t line_limit :
       {std::uint64_t{1} << 20, Transaction::kMaxLine + 1}) {  // both LRU tag arrays
    const Counts total = simulate(options, {transactions}, line_limit).total();
    const KindCounts& store = total.of(AccessKind::Store);
    EXPECT_EQ(total.of(AccessKind::Load).misses + store.misses, 8667136u);
    EXPECT_EQ(store.misses, 16384u);
    EXPECT_EQ(total.classes.cold, 24576u - 8192u);
    EXPECT_EQ(total.classes.capacity, 303104u - 8192u);
    EXPECT_EQ(total.classes.conflict, 8339456u);
  }
}

}  // namespace
}  // namespace warpscope::test
