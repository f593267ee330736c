// Work-groups that share what they have in common are those that decode() makes of the same bytes, one by one.
#include "traces/program/shared_group.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/thinning.h"
#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

using testing::Random;

/// With everything its own.
WorkGroupTrace unshared(const SharedGroup& group) {
  WorkGroupTrace trace;
  trace.launch = group.launch;
  trace.group = group.group;
  trace.work_items = group.work_items;
  trace.paths = group.paths->paths;
  trace.path_of = group.paths->path_of;
  trace.walks = group.paths->walks;
  for (const SharedColumn& column : group.columns) {
    SiteColumn& own = trace.columns.emplace_back();
    if (column.form == nullptr) continue;
    own = column.form->column;
    for (std::size_t item = 0; item < own.first.size(); ++item)
      if (own.shape_of[item] != SiteColumn::kNone) own.first[item] += column.moved;
  }
  return trace;
}

/// The work-group with every site's addresses moved by a distance of its own.
WorkGroupTrace moved(WorkGroupTrace trace, Random& random) {
  for (SiteColumn& column : trace.columns) {
    const std::uint64_t by = random.below(3) * 4096;
    for (std::size_t item = 0; item < column.first.size(); ++item)
      if (column.shape_of[item] != SiteColumn::kNone) column.first[item] += by;
  }
  return trace;
}

void spoil(std::vector<std::uint8_t>& bytes, Random& random) {
  bytes[random.below(bytes.size())] = static_cast<std::uint8_t>(random.next());
  if (random.below(3) == 0) bytes.resize(random.below(bytes.size() + 1));
}

/// What a reader says, or its error.
template <class Read>
std::string refusal(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SharedGroup, EqualsTheSameBytesDecodedAlone) {
  std::size_t shared = 0, own = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 200; seed += kCaseStep) {
    Random random(seed);
    const auto items = static_cast<std::uint32_t>(1 + random.below(40));
    std::vector<WorkGroupTrace> kinds;
    for (std::uint64_t kind = 1 + random.below(2 * FormMemory::kKinds); kind > 0; --kind)
      kinds.push_back(testing::random_trace(random, 0, 0, items, random.below(10) == 0));
    if (seed % 3 == 0)
      for (WorkGroupTrace& kind : kinds) testing::add_random_walks(kind, random);
    FormMemory memory;
    std::set<std::uint64_t> ids;
    for (std::uint32_t group = 0; group < 60; ++group) {
      const WorkGroupTrace& kind = kinds[random.below(kinds.size())];
      auto bytes = encode(random.below(3) == 0 ? kind : moved(kind, random));
      if (random.below(4) == 0) spoil(bytes, random);
      const auto& carries = testing::sample_carries_address();
      WorkGroupTrace alone;
      SharedGroup again;
      const std::string why =
          refusal([&] { alone = decode(bytes, LaunchId(0), WorkGroupId(group), carries); });
      ASSERT_EQ(refusal([&] { again = decode(bytes, LaunchId(0), WorkGroupId(group), carries, memory); }),
                why)
          << "seed " << seed << ", work-group " << group;
      refused += why.empty() ? 0 : 1;
      if (!why.empty()) continue;
      const bool has_orders = !alone.recorded_order.empty();
      alone.recorded_order.clear();  // no replay reads them
      ASSERT_TRUE(testing::same(unshared(again), alone)) << "seed " << seed << ", work-group " << group;
      if (has_orders) continue;
      for (const SharedColumn& column : again.columns)
        if (column.form != nullptr) ++(ids.insert(column.form->id).second ? own : shared);
    }
  }
  EXPECT_GT(shared, own) << "most work-groups are like one before them";
  EXPECT_GT(refused, 500u / kCaseStep);
}

// A location that is coded together with others, as that of work-items which all read the first byte of buffer 0.
TEST(SharedGroup, SharesColumnsWithoutABeginning) {
  WorkGroupTrace trace;
  trace.work_items = 4;
  trace.paths = {{{}, 0, {1}}};
  trace.path_of = {0, 0, 0, 0};
  trace.columns.push_back({ShapeTable{{}}, {0, 0, 0, 0}, {0, 0, 0, 0}});
  FormMemory memory;
  const auto bytes = encode(trace);
  const SharedGroup first = decode(bytes, LaunchId(0), WorkGroupId(0), {true}, memory);
  const SharedGroup second = decode(bytes, LaunchId(0), WorkGroupId(0), {true}, memory);
  EXPECT_EQ(first.columns[0].form, second.columns[0].form);
  EXPECT_TRUE(testing::same(unshared(second), trace));
  for (std::uint64_t& location : trace.columns[0].first) location = 64;
  const SharedGroup elsewhere = decode(encode(trace), LaunchId(0), WorkGroupId(0), {true}, memory);
  EXPECT_NE(elsewhere.columns[0].form, second.columns[0].form);
  EXPECT_TRUE(testing::same(unshared(elsewhere), trace));
}

}  // namespace
}  // namespace warpscope
