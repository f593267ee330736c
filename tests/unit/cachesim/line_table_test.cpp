#include "cachesim/classes/line_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace warpscope::test {
namespace {

using NumberTable = LineTable<std::uint32_t>;

std::uint32_t place_of(NumberTable& table, std::uint64_t line) {
  const LineAddr address(line);
  std::uint32_t place = 0;
  table.find(std::span(&address, 1), &place, [](LineAddr one) { return one; });
  return place;
}

/// Gives lines numbers and looks all of them up again, as in a map. Returns the entries that it took.
std::size_t entries_for(NumberTable& table, std::uint64_t lines, std::uint64_t apart, int rounds) {
  std::mt19937_64 random(7);
  std::map<std::uint64_t, std::uint32_t> expected;
  for (int round = 0; round < rounds; ++round) {
    std::vector<LineAddr> batch;
    for (int i = 0; i < 500; ++i) batch.emplace_back(random() % lines * apart);
    std::vector<std::uint32_t> places(batch.size());
    table.find(std::span<const LineAddr>(batch), places.data(), [](LineAddr one) { return one; });
    for (std::size_t i = 0; i < batch.size(); ++i) {
      std::uint32_t& value = expected[batch[i].value()];
      EXPECT_EQ(table.all()[places[i]], value);
      value = table.all()[places[i]] = static_cast<std::uint32_t>(random()) | 1;
    }
  }
  for (const auto& [line, value] : expected) {
    const std::uint32_t place = place_of(table, line);
    EXPECT_EQ(table.all()[place], value) << line;
  }
  return table.all().size();
}

TEST(LineTable, KeepsTheValuesOfDenseLines) {
  NumberTable table({.free_entries = 1 << 15});
  EXPECT_EQ(entries_for(table, 1 << 15, 1, 400), std::size_t{1} << 15);
}

TEST(LineTable, KeepsTheValuesWhenItsNeighbourhoodsBecomeSmaller) {
  NumberTable by_64({.free_entries = 1 << 20});  // 256 neighbourhoods of 4096, with one or two lines each
  EXPECT_LE(entries_for(by_64, 20000, 128, 40), std::size_t{20000 * 64});
  NumberTable single({.free_entries = 1 << 20});
  EXPECT_LE(entries_for(single, 100000, 1 << 20, 200), std::size_t{100000});
}

TEST(LineTable, PlacesStayWhereEmptyEntriesAreFree) {
  NumberTable table({.neighbour_bits = 6, .free_entries = ~std::size_t{0}});
  std::map<std::uint64_t, std::uint32_t> places;
  std::mt19937_64 random(8);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t line = random() % 5000 * 4096;
    const std::uint32_t place = place_of(table, line);
    EXPECT_EQ(places.emplace(line, place).first->second, place);
  }
}

TEST(LineTable, LinesNextToEachOtherHavePlacesNextToEachOther) {
  NumberTable table;
  const std::uint32_t place = place_of(table, 1 << 20);
  EXPECT_EQ(place_of(table, (1 << 20) + 4095), place + 4095);
  EXPECT_EQ(table.all().size(), 4096u);
}

}  // namespace
}  // namespace warpscope::test
