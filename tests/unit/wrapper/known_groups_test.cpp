// Work-groups with the prediction of an earlier one, or with none because a box of an earlier one reaches them, give the same
// bytes as when they are recorded work-item by work-item.
#include <functional>
#include <numeric>

#include "recorder_support.h"
#include "tests/unit/random.h"

namespace warpscope {
namespace {

using namespace testing_support;
using warpscope::testing::Random;

/// A launch whose work-items do what depends on their place in the grid alone: those in [begin, end) access one place, those
/// on a diagonal another one.
struct Grid {
  Dim3 groups, local;
  std::array<std::uint64_t, 2> begin{}, end{};
  std::uint64_t diagonal = ~std::uint64_t{0};  ///< x + y of those on it
  std::uint64_t row = 4096;                    ///< bytes from one row to the next

  [[nodiscard]] std::uint32_t outcome(std::uint64_t x, std::uint64_t y) const {
    if (x + y == diagonal) return 2;
    return x >= begin[0] && x < end[0] && y >= begin[1] && y < end[1] ? 0 : 1;
  }
  [[nodiscard]] std::uint64_t address(std::uint64_t x, std::uint64_t y) const {
    return 0x10000 + row * y + 4 * x;
  }
  static void place(std::uint32_t item) {
    table().object(0, 0, 0x10000, item);
    table().object(0, 1, 0x90000, item);
  }

  void run_by_item(std::uint64_t group_x, std::uint64_t group_y) const {
    for (std::uint32_t item = 0; item < local.count(); ++item) {
      const std::uint64_t x = group_x * local.x + item % local.x, y = group_y * local.y + item / local.x;
      table().begin(item, group_x, group_y, 0);
      place(item);
      table().branch(outcome(x, y), 2, item);
      if (outcome(x, y) == 0) {
        table().access(address(x, y), 0, item);
        table().access(0x80000 + address(x, y), 1, item);
      } else if (outcome(x, y) == 2) {
        table().access(address(y, x), 0, item);
      }
      table().end(item);
    }
  }
  /// Returns how many boxes were predicted.
  [[nodiscard]] std::uint32_t run_by_box(std::uint64_t group_x, std::uint64_t group_y) const {
    std::uint32_t boxes = 0;
    table().begin_grid_boxes(group_x, group_y, 0);
    place(WARPSCOPE_ALL_ITEMS);
    for (std::uint64_t at = 0; (at = table().next_box()) != ~std::uint64_t{0}; ++boxes) {
      const std::uint64_t reach = table().box_reach();
      predict(group_x * local.x + (at & 0xffff), group_y * local.y + (at >> 16 & 0xffff), reach & 0xffff,
              reach >> 16 & 0xffff);
    }
    table().end_boxes();
    return boxes;
  }
  void predict(std::uint64_t x, std::uint64_t y, std::uint64_t more_x, std::uint64_t more_y) const {
    bool holds = true;
    for (std::uint64_t dy = 0; dy <= more_y; ++dy)
      for (std::uint64_t dx = 0; dx <= more_x; ++dx) holds &= outcome(x + dx, y + dy) == outcome(x, y);
    const auto stride = static_cast<std::int64_t>(row);
    const std::array<std::int64_t, 4> sites = {0, 0, 1, 0x80000};
    table().box_branch(outcome(x, y), 2);
    if (outcome(x, y) == 0) table().box_accesses(address(x, y), 4, stride, 0, sites.data(), 2);
    if (outcome(x, y) == 2) table().box_accesses(address(y, x), stride, 4, 0, sites.data(), 1);
    table().end_box(holds ? 0 : WARPSCOPE_VIOLATED | 3);
  }
  /// Asserts that both ways give the same; returns how many boxes each work-group predicted.
  [[nodiscard]] std::vector<std::uint32_t> boxes() const {
    KernelInfo kernel;
    kernel.sites = {site(AccessKind::Load, AddressSpace::Global, 4, {StaticObject::Kind::Argument, 0}),
                    site(AccessKind::Store, AddressSpace::Global, 4, {StaticObject::Kind::Argument, 1})};
    RecorderSetup setup;
    setup.kernel = &kernel;
    setup.groups = groups;
    setup.local = local;
    setup.arguments = {{BufferId(1), 0x80000, AddressSpace::Global},
                       {BufferId(2), 0x80000, AddressSpace::Global}};
    MemorySink by_item, by_box;
    RecorderTotals item_totals, box_totals;
    std::vector<std::uint32_t> result;
    const auto for_groups = [&](const std::function<void(std::uint64_t, std::uint64_t)>& run) {
      for (std::uint64_t group = 0; group < groups.count(); ++group) run(group % groups.x, group / groups.x);
    };
    {
      Recorder recorder(setup, by_item);
      for_groups([&](std::uint64_t x, std::uint64_t y) { run_by_item(x, y); });
      item_totals = recorder.totals();
    }
    Recorder recorder(setup, by_box);
    for_groups([&](std::uint64_t x, std::uint64_t y) { result.push_back(run_by_box(x, y)); });
    recorder.check();
    box_totals = recorder.totals();
    EXPECT_EQ(by_box.payloads, by_item.payloads);
    for (std::size_t site = 0; site < kernel.sites.size(); ++site) {
      EXPECT_EQ(box_totals.sites[site].executions, item_totals.sites[site].executions);
      EXPECT_EQ(box_totals.sites[site].out_of_bounds, item_totals.sites[site].out_of_bounds);
    }
    return result;
  }
};

std::uint64_t sum(const std::vector<std::uint32_t>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
}

TEST(KnownGroups, PredictNothingWhereABoxReachesThem) {
  // Of 4 columns of work-groups with a border: from the fourth row on all but the last row is known.
  const Grid grid{{4, 40, 1}, {16, 1, 1}, {1, 1}, {63, 39}};
  const std::vector<std::uint32_t> boxes = grid.boxes();
  EXPECT_EQ(sum({boxes.begin() + 16, boxes.end() - 4}), 0u);
  EXPECT_GT(sum({boxes.end() - 4, boxes.end()}), 0u);
  // A row of work-groups, all of which a box reaches that is at most 65,536 work-items long.
  const Grid row{{500, 1, 1}, {256, 1, 1}, {0, 0}, {~std::uint64_t{0}, 1}, ~std::uint64_t{0}, 0};
  EXPECT_LE(sum(row.boxes()), 12u);
}

TEST(KnownGroups, EqualWorkItemByWorkItem) {
  for (std::uint64_t seed = 1; seed <= 300 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random random(seed);
    Grid grid;
    grid.groups = {1 + random.below(9), 1 + random.below(12), 1};
    if (random.below(8) == 0) grid.groups.x += 256;
    grid.local = {1 + random.below(9), 1 + random.below(5), 1};
    const std::array<std::uint64_t, 2> size = {grid.groups.x * grid.local.x, grid.groups.y * grid.local.y};
    for (std::size_t d = 0; d < size.size(); ++d) {
      grid.begin[d] = random.below(1 + size[d] / 2);
      grid.end[d] = grid.begin[d] + random.below(2 + size[d]);
    }
    if (random.below(2) == 0) grid.diagonal = random.below(size[0] + size[1]);
    if (random.below(4) == 0) grid.row = 0x8000;  // the last rows are outside of the buffer
    const std::vector<std::uint32_t> boxes = grid.boxes();
    EXPECT_EQ(boxes.size(), grid.groups.count());
  }
}

}  // namespace
}  // namespace warpscope
