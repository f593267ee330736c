// What buffers are called: by hand-counted rules, and over as many launches as programs make.
#include "traces/program/buffer_names.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <ctime>

#include "tests/thinning.h"

namespace warpscope {
namespace {

KernelInfo kernel_with(const std::string& name, const std::vector<std::string>& arguments) {
  KernelInfo kernel;
  kernel.name = name;
  for (const std::string& argument : arguments)
    kernel.arguments.push_back({argument, "__global float*", AddressSpace::Global, true});
  return kernel;
}

/// Buffers 1 to `count`, named as captures do: after whatever they were passed as first.
std::vector<BufferInfo> buffers_called(const std::string& name, std::uint32_t count) {
  std::vector<BufferInfo> buffers;
  for (std::uint32_t id = 1; id <= count; ++id)
    buffers.push_back({BufferId(id), name, AddressSpace::Global, 64, "read_write"});
  return buffers;
}

void launch(LaunchList& launches, const Shared<KernelInfo>& kernel,
            const std::vector<std::uint32_t>& buffers) {
  LaunchInfo info;
  info.id = LaunchId(static_cast<std::uint32_t>(launches.size()));
  info.kernel = kernel;
  for (const std::uint32_t id : buffers) info.arguments.push_back({BufferId(id), 0, ""});
  launches.push_back(info);
}

StaticObject argument_number(std::uint32_t index) {
  return {StaticObject::Kind::Argument, index};
}

TEST(BufferNames, OneNameEverywhereIsTheAllocations) {
  LaunchList launches;
  launch(launches, kernel_with("first", {"data"}), {1});
  launch(launches, kernel_with("second", {"other", "data"}), {2, 1});
  const BufferNames names(buffers_called("old", 2), launches);
  EXPECT_EQ(names.allocation(BufferId(1)), "data");
  EXPECT_EQ(names.allocation(BufferId(2)), "other");
  EXPECT_EQ(names.allocation(BufferId(0)), "");
  EXPECT_EQ(names.allocation(BufferId(7)), "");
}

TEST(BufferNames, SeveralNamesMakeANumber) {
  LaunchList launches;
  const KernelInfo copy = kernel_with("copy", {"from", "to"});
  launch(launches, kernel_with("clear", {"all"}), {1});
  launch(launches, copy, {2, 3});
  launch(launches, copy, {3, 2});
  const BufferNames names(buffers_called("from", 3), launches);
  EXPECT_EQ(names.allocation(BufferId(1)), "all");
  EXPECT_EQ(names.allocation(BufferId(2)), "buffer1");
  EXPECT_EQ(names.allocation(BufferId(3)), "buffer2");
}

TEST(BufferNames, EqualNamesAreNumbered) {
  LaunchList launches;
  const KernelInfo clear = kernel_with("clear", {"variables"});
  for (const std::uint32_t id : {3u, 1u, 2u}) launch(launches, clear, {id});
  launch(launches, kernel_with("k", {"buffer0"}), {4});
  const BufferNames names(buffers_called("variables", 5), launches);
  EXPECT_EQ(names.allocation(BufferId(1)), "variables#1");
  EXPECT_EQ(names.allocation(BufferId(2)), "variables#2");
  EXPECT_EQ(names.allocation(BufferId(3)), "variables#3");
  EXPECT_EQ(names.allocation(BufferId(4)), "buffer0");
  // Global and in no launch: the capture's name, which other allocations have, too.
  EXPECT_EQ(names.allocation(BufferId(5)), "variables#4");
}

TEST(BufferNames, ArraysOfAKernelKeepTheirNames) {
  std::vector<BufferInfo> buffers = buffers_called("tile", 1);
  buffers.push_back({BufferId(2), "tile", AddressSpace::Local, 64, ""});
  buffers.push_back({BufferId(3), "tile", AddressSpace::Private, 64, ""});
  LaunchList launches;
  launch(launches, kernel_with("k", {"tile"}), {1});
  const BufferNames names(buffers, launches);
  for (const std::uint32_t id : {1u, 2u, 3u}) EXPECT_EQ(names.allocation(BufferId(id)), "tile");
  EXPECT_EQ(names.argument(*launches[0].kernel, {}, BufferId(2)), "tile");
}

TEST(BufferNames, SitesSayWhatTheirKernelCallsIt) {
  LaunchList launches;
  const KernelInfo copy = kernel_with("copy", {"from", "to"}), clear = kernel_with("clear", {"variables"});
  launch(launches, copy, {1, 2});
  launch(launches, copy, {2, 1});
  launch(launches, copy, {1, 3});
  launch(launches, clear, {1});
  const BufferNames names(buffers_called("from", 4), launches);
  EXPECT_EQ(names.argument(clear, {}, BufferId(1)), "variables");
  EXPECT_EQ(names.argument(copy, argument_number(0), BufferId(1)), "from");
  EXPECT_EQ(names.argument(copy, argument_number(1), BufferId(1)), "to");
  EXPECT_EQ(names.argument(copy, {}, BufferId(1)), "from/to");
  EXPECT_EQ(names.argument(copy, {}, BufferId(3)), "to");
  // Beyond the end of `from` lies a buffer that is never passed as that.
  EXPECT_EQ(names.argument(copy, argument_number(0), BufferId(3)), "to");
  EXPECT_EQ(names.argument(copy, argument_number(0), BufferId(4)), "from");
  EXPECT_EQ(names.argument(copy, {}, BufferId(0)), "");
}

TEST(BufferNames, KernelsOfOneNameAreToldApartByTheirArguments) {
  LaunchList launches;
  const KernelInfo one = kernel_with("k", {"a"}), other = kernel_with("k", {"b"});
  launch(launches, one, {1});
  launch(launches, other, {1});
  const BufferNames names(buffers_called("a", 1), launches);
  EXPECT_EQ(names.argument(one, {}, BufferId(1)), "a");
  EXPECT_EQ(names.argument(other, {}, BufferId(1)), "b");
  EXPECT_EQ(names.allocation(BufferId(1)), "buffer0");
}

/// Launches of copy(from, to) with two buffers that change places, each with an argument list of its own.
LaunchList swapping(std::uint32_t count) {
  const Shared<KernelInfo> kernel = kernel_with("copy", {"from", "to"});
  LaunchList launches;
  for (std::uint32_t i = 0; i < count; ++i)
    launch(launches, kernel, i % 2 == 0 ? std::vector{1u, 2u} : std::vector{2u, 1u});
  return launches;
}

// Eight times as many launches take about eight times as long; it would be 64 times with quadratic growth.
const auto kManyLaunches = static_cast<std::uint32_t>(200'000 / kCaseStep);

TEST(BufferNames, LaunchesTakeLinearTime) {
  const auto seconds = [](std::uint32_t count) {
    const LaunchList launches = swapping(count);
    double best = 1e9;
    for (int repeat = 0; repeat < 3; ++repeat) {
      const std::clock_t begin = std::clock();
      const BufferNames names(buffers_called("from", 2), launches);
      best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
      EXPECT_EQ(names.allocation(BufferId(2)), "buffer1");
    }
    return best;
  };
  EXPECT_LT(seconds(kManyLaunches), 32 * seconds(kManyLaunches / 8) + 0.1);
}

TEST(BufferNames, LaunchesTakeNoMemory) {
  const LaunchList launches = swapping(kManyLaunches);
  const std::size_t before = mallinfo2().uordblks;
  const BufferNames names(buffers_called("from", 2), launches);
  EXPECT_LT(mallinfo2().uordblks - before, 16u << 10);
  EXPECT_EQ(names.allocation(BufferId(1)), "buffer0");
}

}  // namespace
}  // namespace warpscope
