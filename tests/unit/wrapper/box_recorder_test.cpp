// A work-group that is predicted box by box gives the same bytes as one that is recorded work-item by work-item.
#include <gmock/gmock.h>

#include <functional>

#include "recorder_support.h"
#include "tests/unit/random.h"

namespace warpscope {
namespace {

using namespace testing_support;
using ::testing::ElementsAre;
using warpscope::testing::Random;

using Position = std::array<std::uint32_t, 3>;

/// Accesses of a site in a loop, where a condition on the local id holds: sum of cut[d] * id[d] >= limit.
struct Loop {
  std::uint32_t site = 0;
  std::uint64_t base = 0, count = 0;
  std::int64_t step = 0;
  std::array<std::int64_t, 3> strides{}, cut{};
  std::int64_t limit = 0;

  [[nodiscard]] bool runs(const Position& id) const {
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < 3; ++d) sum += cut[d] * id[d];
    return sum >= limit;
  }
  [[nodiscard]] std::uint64_t address(const Position& id) const {
    std::uint64_t result = base;
    for (std::size_t d = 0; d < 3; ++d)
      result += static_cast<std::uint64_t>(strides[d]) * std::uint64_t{id[d]};
    return result;
  }
};

class BoxKernel {
 public:
  static constexpr std::uint64_t kGroups = 5;

  explicit BoxKernel(std::uint64_t seed) : random_(seed) {
    const std::uint64_t sites = 1 + random_.below(4);
    for (std::uint64_t index = 0; index < sites; ++index)
      kernel.sites.push_back(site(AccessKind::Load, AddressSpace::Global, 1u << random_.below(4)));
    setup.kernel = &kernel;
    setup.groups = {kGroups, 1, 1};
    setup.local = {1 + random_.below(9), 1 + random_.below(5), 1 + random_.below(3)};
    // With a gap between them: some accesses are outside of both.
    setup.arguments = {{BufferId(1), 4096, AddressSpace::Global},
                       {BufferId(2), 1 << 16, AddressSpace::Global}};
    for (std::uint64_t length = 1 + random_.below(5); length > 0; --length) loops_.push_back(make_loop());
  }

  void run_by_item() {
    for_groups([&](std::uint64_t group) { run_by_item(group); });
  }

  void run_by_box() {
    for_groups([&](std::uint64_t group) { run_by_box(group); });
  }

  KernelInfo kernel;
  RecorderSetup setup;
  std::uint32_t boxes = 0;

 private:
  /// Work-groups that begin elsewhere. In some of them loops are longer, step otherwise, or have other strides.
  template <class Run>
  void for_groups(const Run& run) {
    const std::vector<Loop> loops = loops_;
    for (std::uint64_t group = 0; group < kGroups; ++group) {
      for (Loop& loop : loops_) {
        loop.base += group * group * 24;
        if (group == 2 && kernel.sites.size() > 2) ++loop.count;
        if (group == 3 && kernel.sites.size() % 2 == 0) loop.step += 4;
        if (group == 4) loop.strides[0] += 12;
      }
      run(group);
      loops_ = loops;
    }
  }

  void run_by_item(std::uint64_t group) const {
    std::uint32_t item = 0;
    for_all({}, whole(), [&](const Position& id) {
      table().begin(item, group, 0, 0);
      place(item);
      for (const Loop& loop : loops_) {
        table().branch(loop.runs(id) ? 0 : 1, 1, item);
        if (!loop.runs(id)) continue;
        for (std::uint64_t k = 0; k < loop.count; ++k)
          table().access(loop.address(id) + k * static_cast<std::uint64_t>(loop.step), loop.site, item);
      }
      table().end(item++);
    });
  }

  void run_by_box(std::uint64_t group) {
    table().begin_boxes(group, 0, 0);
    place(WARPSCOPE_ALL_ITEMS);
    for (std::uint64_t at = 0; (at = table().next_box()) != ~std::uint64_t{0}; ++boxes)
      run_box(unpacked(at), unpacked(table().box_reach()));
    table().end_boxes();
  }

  static Position unpacked(std::uint64_t packed) {
    return {static_cast<std::uint32_t>(packed & 0xffff), static_cast<std::uint32_t>(packed >> 16 & 0xffff),
            static_cast<std::uint32_t>(packed >> 32 & 0xffff)};
  }
  [[nodiscard]] Position whole() const {
    return {static_cast<std::uint32_t>(setup.local.x - 1), static_cast<std::uint32_t>(setup.local.y - 1),
            static_cast<std::uint32_t>(setup.local.z - 1)};
  }

  template <class Do>
  static void for_all(const Position& origin, const Position& reach, const Do& what) {
    for (std::uint32_t z = 0; z <= reach[2]; ++z)
      for (std::uint32_t y = 0; y <= reach[1]; ++y)
        for (std::uint32_t x = 0; x <= reach[0]; ++x)
          what(Position{origin[0] + x, origin[1] + y, origin[2] + z});
  }

  static void place(std::uint32_t item) {
    table().object(0, 0, 0x10000, item);
    table().object(0, 1, 0x12000, item);
  }

  void run_box(const Position& origin, const Position& reach) const {
    bool violated = false;
    for (const Loop& loop : loops_) {
      const bool runs = loop.runs(origin);
      for_all(origin, reach, [&](const Position& id) { violated |= loop.runs(id) != runs; });
      table().box_branch(runs ? 0 : 1, 1);
      if (!runs) continue;
      const std::array<std::int64_t, 2> sites = {loop.site, 8};
      for (std::uint64_t k = 0; k < loop.count; ++k)
        table().box_accesses(loop.address(origin) + k * static_cast<std::uint64_t>(loop.step) - 8,
                             loop.strides[0], loop.strides[1], loop.strides[2], sites.data(), 1);
    }
    table().end_box(violated ? WARPSCOPE_VIOLATED : 0);
  }

  Loop make_loop() {
    Loop loop;
    loop.site = static_cast<std::uint32_t>(random_.below(kernel.sites.size()));
    loop.base = 0x10000 + random_.below(0x8000);
    loop.count = 1 + random_.below(6);
    loop.step = static_cast<std::int64_t>(random_.below(64)) - 20;
    const bool is_guarded = random_.below(2) == 0;
    for (std::size_t d = 0; d < 3; ++d) {
      loop.strides[d] = static_cast<std::int64_t>(random_.below(300)) - 100;
      loop.cut[d] = is_guarded ? static_cast<std::int64_t>(random_.below(5)) - 2 : 0;
    }
    loop.limit = is_guarded ? static_cast<std::int64_t>(random_.below(8)) - 3 : 0;
    return loop;
  }

  Random random_;
  std::vector<Loop> loops_;
};

std::pair<std::map<std::uint32_t, std::vector<std::uint8_t>>, RecorderTotals> recorded(
    const BoxKernel& kernel, const std::function<void()>& run) {
  MemorySink sink;
  Recorder recorder(kernel.setup, sink);
  run();
  recorder.check();
  return {sink.payloads, recorder.totals()};
}

TEST(BoxRecorder, EqualsWorkItemByWorkItem) {
  std::uint32_t whole = 0;
  for (std::uint64_t seed = 1; seed <= 500 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    BoxKernel kernel(seed);
    const auto [by_item, item_totals] = recorded(kernel, [&] { kernel.run_by_item(); });
    const auto [by_box, box_totals] = recorded(kernel, [&] { kernel.run_by_box(); });
    EXPECT_EQ(by_box, by_item);
    for (std::size_t site = 0; site < kernel.kernel.sites.size(); ++site) {
      EXPECT_EQ(box_totals.sites[site].executions, item_totals.sites[site].executions);
      EXPECT_EQ(box_totals.sites[site].out_of_bounds, item_totals.sites[site].out_of_bounds);
      EXPECT_EQ(box_totals.sites[site].first_out_of_bounds, item_totals.sites[site].first_out_of_bounds);
    }
    whole += kernel.boxes == BoxKernel::kGroups ? 1 : 0;
  }
  EXPECT_GT(whole, 50u) << "some groups are one box";
  EXPECT_LT(whole, 450u) << "some are not";
}

/// A work-group of a kernel with one load, of a buffer at 0x10000, whose boxes are about to be predicted.
struct OneLoad {
  KernelInfo kernel;
  MemorySink sink;
  Recorder recorder;

  explicit OneLoad(Dim3 local) : recorder(setup(kernel, local), sink) {
    table().begin_boxes(0, 0, 0);
    table().object(0, 0, 0x10000, WARPSCOPE_ALL_ITEMS);
  }

  static RecorderSetup setup(KernelInfo& kernel, Dim3 local) {
    kernel.sites = {site(AccessKind::Load)};
    RecorderSetup setup;
    setup.kernel = &kernel;
    setup.local = local;
    setup.arguments = {{BufferId(1), 4096, AddressSpace::Global}};
    return setup;
  }
};

TEST(BoxRecorder, SplitsWhereOneWorkItemDiffers) {
  // 8 work-items, of which the last does not hold with others: boxes of 8, 4, 4, 2, 2, 1, 1.
  OneLoad one({8, 1, 1});
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t at = 0; (at = table().next_box()) != ~std::uint64_t{0};) {
    sizes.push_back(table().box_reach() + 1);
    const bool has_last = at + sizes.back() == 8;
    const std::array<std::int64_t, 2> sites = {0, 0};
    table().box_accesses(at == 7 ? 0x10100 : 0x10000 + 4 * at, 4, 0, 0, sites.data(), 1);
    table().end_box(has_last ? WARPSCOPE_VIOLATED : 0);
  }
  table().end_boxes();
  one.recorder.check();
  EXPECT_THAT(sizes, ElementsAre(8, 4, 4, 2, 2, 1, 1));
  const WorkGroupTrace trace = decoded(one.sink, 0, one.kernel);
  EXPECT_THAT(locations(trace, 6, 0), ElementsAre(BufferAddr(BufferId(1), 24).key()));
  EXPECT_THAT(locations(trace, 7, 0), ElementsAre(BufferAddr(BufferId(1), 256).key()));
}

/// Work-groups of a row of 16 work-items, of which some do nothing at its ends; returns how many boxes each took.
struct Row {
  static constexpr std::uint32_t kItems = 16;
  std::function<std::pair<std::uint32_t, std::uint32_t>(std::uint64_t)>
      inside;  ///< [begin, end) by work-group

  [[nodiscard]] bool runs(std::uint64_t group, std::uint64_t item) const {
    return item >= inside(group).first && item < inside(group).second;
  }
  /// Where a work-item that does something does it.
  std::function<std::uint64_t(std::uint64_t, std::uint64_t)> address =
      [](std::uint64_t group, std::uint64_t item) { return 0x10000 + 64 * group + 4 * item; };
  static void place(std::uint32_t item) {
    table().object(0, 0, 0x10000, item);
    table().object(0, 1, 0x20000, item);
  }
  void run_by_item(std::uint64_t group) const {
    for (std::uint32_t item = 0; item < kItems; ++item) {
      table().begin(item, group, 0, 0);
      place(item);
      table().branch(runs(group, item) ? 0 : 1, 1, item);
      if (runs(group, item)) table().access(address(group, item), 0, item);
      table().end(item);
    }
  }
  [[nodiscard]] std::uint32_t run_by_box(std::uint64_t group) const {
    std::uint32_t boxes = 0;
    table().begin_boxes(group, 0, 0);
    place(WARPSCOPE_ALL_ITEMS);
    for (std::uint64_t at = 0; (at = table().next_box()) != ~std::uint64_t{0}; ++boxes) {
      bool holds = true;
      for (std::uint64_t item = at; item <= at + table().box_reach(); ++item)
        holds &= runs(group, item) == runs(group, at) &&
                 (!runs(group, at) || address(group, item) == address(group, at) + 4 * (item - at));
      const std::array<std::int64_t, 2> sites = {0, 0};
      table().box_branch(runs(group, at) ? 0 : 1, 1);
      if (runs(group, at)) table().box_accesses(address(group, at), 4, 0, 0, sites.data(), 1);
      table().end_box(holds ? 0 : WARPSCOPE_VIOLATED | 1);
    }
    table().end_boxes();
    return boxes;
  }
  /// Asserts that both ways give the same. With a static object the work-groups follow known ones.
  [[nodiscard]] std::vector<std::uint32_t> boxes(std::uint32_t groups, StaticObject object = {}) const {
    KernelInfo kernel;
    RecorderSetup setup = OneLoad::setup(kernel, {kItems, 1, 1});
    kernel.sites[0].object = object;
    setup.groups = {groups, 1, 1};
    setup.arguments = {{BufferId(1), 0x10000, AddressSpace::Global},
                       {BufferId(200), 0x10000, AddressSpace::Global}};
    MemorySink by_item, by_box;
    {
      Recorder recorder(setup, by_item);
      for (std::uint64_t group = 0; group < groups; ++group) run_by_item(group);
      recorder.check();
    }
    Recorder recorder(setup, by_box);
    std::vector<std::uint32_t> result;
    for (std::uint64_t group = 0; group < groups; ++group) result.push_back(run_by_box(group));
    recorder.check();
    EXPECT_EQ(by_box.payloads, by_item.payloads);
    return result;
  }
  static constexpr StaticObject kFirst = {StaticObject::Kind::Argument, 0};
};

TEST(BoxRecorder, CutsWhereEarlierGroupsShouldHaveBeenCut) {
  // Left, middle and right of a plane in turns. At first 16 work-items, 8, 4, 2, 1, 1 and the other halves: 9 boxes.
  const Row row{[](std::uint64_t group) {
    return std::pair(group % 3 == 0 ? 1u : 0u, group % 3 == 2 ? Row::kItems - 1 : Row::kItems);
  }};
  EXPECT_THAT(row.boxes(12), ElementsAre(9, 1, 9, 3, 1, 3, 3, 1, 3, 3, 1, 3));
  EXPECT_EQ(row.boxes(24, Row::kFirst).size(), 24u);
}

TEST(BoxRecorder, GivesWrongCutsUp) {
  // Each work-group has another end, so what the one before teaches is wrong.
  const Row row{[](std::uint64_t group) {
    return std::pair(0u, static_cast<std::uint32_t>(1 + group * 7 % (Row::kItems - 1)));
  }};
  const std::vector<std::uint32_t> boxes = row.boxes(60);
  for (std::size_t group = 40; group < boxes.size(); ++group) EXPECT_LE(boxes[group], 9u) << group;
}

TEST(BoxRecorder, FollowsAnyOfManyEarlierGroups) {
  // More kinds of work-groups than are kept, some of which begin in the same way.
  const Row row{[](std::uint64_t group) {
    return std::pair(static_cast<std::uint32_t>(group % 3), static_cast<std::uint32_t>(8 + group % 8));
  }};
  EXPECT_EQ(row.boxes(200).size(), 200u);
  EXPECT_EQ(row.boxes(200, Row::kFirst).size(), 200u);
}

TEST(BoxRecorder, FollowsNoGroupWhosePartsMoveApart) {
  // Two halves, the second of which moves faster.
  Row row{[](std::uint64_t) { return std::pair(0u, Row::kItems); }};
  row.address = [](std::uint64_t group, std::uint64_t item) {
    return 0x10000 + 64 * group + 4 * item + (item < 8 ? 0 : 2048 + 32 * group);
  };
  EXPECT_EQ(row.boxes(20).size(), 20u);
  EXPECT_EQ(row.boxes(20, Row::kFirst).size(), 20u);
}

TEST(BoxRecorder, FollowsNoGroupThatBeginsOtherwise) {
  // Two halves: one does something, the other, both. The third kind begins as the first and ends as the second.
  Row row{[](std::uint64_t group) {
    return std::pair(group % 3 == 1 ? 8u : 0u, group % 3 == 0 ? 8u : Row::kItems);
  }};
  row.address = [](std::uint64_t group, std::uint64_t item) {
    return 0x10000 + 64 * group + 4 * item + (item < 8 ? 0 : 2048);
  };
  EXPECT_EQ(row.boxes(20).size(), 20u);
  EXPECT_EQ(row.boxes(20, Row::kFirst).size(), 20u);
}

TEST(BoxRecorder, EncodesLocationsOfOtherLengths) {
  // The 200th buffer's locations take a byte more.
  Row row{[](std::uint64_t) { return std::pair(0u, Row::kItems); }};
  row.address = [](std::uint64_t group, std::uint64_t item) { return 0x10000 * (1 + group % 2) + 4 * item; };
  EXPECT_EQ(row.boxes(20), std::vector<std::uint32_t>(20, 1));
}

TEST(BoxRecorder, AsksForTheBoxesOfAnEarlierGroup) {
  // All work-groups leave the last work-item out: boxes of 16, 8, 8, 4, 4, 2, 2, 1, 1 work-items, then 16, 15 and 1, then 15 and 1.
  const Row row{[](std::uint64_t) { return std::pair(0u, Row::kItems - 1); }};
  EXPECT_THAT(row.boxes(4), ElementsAre(9, 3, 3, 3));
  EXPECT_THAT(row.boxes(16, Row::kFirst), ElementsAre(9, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2));
}

TEST(BoxRecorder, SplitsAlongWhatChanges) {
  // Rows that differ from one another, each the same along x: boxes of 4 rows, 2, 1, 1, 2, 1, 1, never of half a row.
  OneLoad one({16, 4, 1});
  std::vector<std::uint64_t> rows;
  while (table().next_box() != ~std::uint64_t{0}) {
    rows.push_back((table().box_reach() >> 16) + 1);
    EXPECT_EQ(table().box_reach() & 0xffff, 15u);
    const std::array<std::int64_t, 2> sites = {0, 0};
    table().box_accesses(0x10000, 4, 64, 0, sites.data(), 1);
    table().end_box(rows.back() == 1 ? 0 : WARPSCOPE_VIOLATED | 2);
  }
  table().end_boxes();
  one.recorder.check();
  EXPECT_THAT(rows, ElementsAre(4, 2, 1, 1, 2, 1, 1));
}

TEST(BoxRecorder, StridesThatChangeInALoopDoNotHold) {
  // Work-item i accesses 4 * i * k: each has differences of its own.
  OneLoad one({4, 1, 1});
  for (std::uint64_t at = 0; (at = table().next_box()) != ~std::uint64_t{0};) {
    const std::array<std::int64_t, 2> sites = {0, 0};
    for (std::uint64_t k = 0; k < 3; ++k)
      table().box_accesses(0x10000 + 4 * at * k, static_cast<std::int64_t>(4 * k), 0, 0, sites.data(), 1);
    table().end_box(0);
  }
  table().end_boxes();
  one.recorder.check();
  const WorkGroupTrace trace = decoded(one.sink, 0, one.kernel);
  const auto key = [](std::uint64_t offset) { return BufferAddr(BufferId(1), offset).key(); };
  for (std::uint32_t item = 0; item < 4; ++item)
    EXPECT_THAT(locations(trace, item, 0), ElementsAre(key(0), key(4 * item), key(8 * item)));
}

}  // namespace
}  // namespace warpscope
