// Random kernels against a model that keeps every access in a list.
#include <gmock/gmock.h>

#include <thread>

#include "recorder_support.h"
#include "tests/unit/random.h"
#include "wrapper/recording/runtime.h"

namespace warpscope {
namespace {

using namespace testing_support;

using warpscope::testing::Random;

struct Buffer {
  std::uint64_t base, size;
};

/// What the model keeps of one work-item.
struct ItemModel {
  std::vector<std::vector<std::uint64_t>> locations;  ///< per site
  std::vector<std::uint64_t> executions;              ///< per site
  std::vector<bool> outcomes;
};

/// One step that work-items on the same path share: a site with its number of accesses, or a branch.
struct Step {
  std::uint32_t site = 0;
  std::uint64_t count = 0;
  std::uint32_t bits = 0, outcome = 0;
};

class RandomKernel {
 public:
  explicit RandomKernel(std::uint64_t seed) : random_(seed) {
    const std::uint64_t sites = 1 + random_.below(6);
    for (std::uint64_t index = 0; index < sites; ++index)
      kernel.sites.push_back(
          site(static_cast<AccessKind>(random_.below(4)), AddressSpace::Global, 1u << random_.below(5)));
    items = static_cast<std::uint32_t>(1 + random_.below(40));
    groups = static_cast<std::uint32_t>(1 + random_.below(5));
    // Buffers that touch each other, with a gap behind the second.
    buffers = {{0x10000, 4096}, {0x11000, 512}, {0x12000, 1 << 16}};
    for (std::uint32_t index = 0; index < buffers.size(); ++index)
      setup.arguments.push_back({BufferId(index + 1), buffers[index].size, AddressSpace::Global});
    setup.kernel = &kernel;
    setup.groups = {groups, 1, 1};
    setup.local = {items, 1, 1};
    const std::uint64_t templates = 1 + random_.below(4);
    for (std::uint64_t number = 0; number < templates; ++number) steps_.push_back(make_steps(number));
  }

  /// Runs one work-group through the table, in pieces as between barriers, and returns what it did.
  std::vector<ItemModel> run_group(std::uint32_t group, std::uint64_t seed) {
    Random random(seed + group);
    std::vector<ItemModel> models(items);
    std::vector<std::size_t> path(items);
    std::size_t longest = 0;
    for (std::uint32_t item = 0; item < items; ++item) {
      path[item] = random.below(steps_.size());
      longest = std::max(longest, steps_[path[item]].size());
      models[item].locations.resize(kernel.sites.size());
      models[item].executions.resize(kernel.sites.size());
      table().begin(item, group, 0, 0);
      for (std::uint32_t index = 0; index < buffers.size(); ++index)
        table().object(0, index, buffers[index].base, item);
    }
    for (std::size_t step = 0; step < longest; ++step)
      for (std::uint32_t item = 0; item < items; ++item)
        if (step < steps_[path[item]].size()) perform(steps_[path[item]][step], item, models[item], random);
    for (std::uint32_t item = 0; item < items; ++item) table().end(item);
    return models;
  }

  KernelInfo kernel;
  RecorderSetup setup;
  std::uint32_t items = 0, groups = 0;
  std::vector<Buffer> buffers;

 private:
  std::vector<Step> make_steps(std::uint64_t number) {
    // The first outcome names the template: equal outcomes must mean equal counts.
    std::vector<Step> steps{{0, 0, 3, static_cast<std::uint32_t>(number)}};
    for (std::uint64_t length = random_.below(12); length > 0; --length) {
      Step step;
      if (random_.below(3) == 0) {
        step.bits = static_cast<std::uint32_t>(1 + random_.below(7));
        step.outcome = static_cast<std::uint32_t>(random_.below(1u << step.bits));
        step.count = random_.below(4) == 0 ? 300 : 1;  // long runs of one outcome, as loops make them
      } else {
        step.site = static_cast<std::uint32_t>(random_.below(kernel.sites.size()));
        step.count = random_.below(50);
      }
      steps.push_back(step);
    }
    return steps;
  }

  void perform(const Step& step, std::uint32_t item, ItemModel& model, Random& random) {
    if (step.bits > 0) {
      for (std::uint64_t round = 0; round < std::max<std::uint64_t>(step.count, 1); ++round) {
        table().branch(step.outcome, step.bits, item);
        for (std::uint32_t bit = 0; bit < step.bits; ++bit)
          model.outcomes.push_back((step.outcome >> bit & 1) != 0);
      }
      return;
    }
    const SiteInfo& info = kernel.sites[step.site];
    std::uint64_t address = 0x10000 + random.below(0x13000);
    const std::uint64_t stride = random.below(3) == 0 ? 0 : random.below(64);
    const bool is_random = random.below(3) == 0;
    for (std::uint64_t round = 0; round < step.count; ++round) {
      if (has_address(info.kind)) {
        table().access(address, step.site, item);
        model.locations[step.site].push_back(locate(address, info.width));
      } else {
        table().sync(step.site, item);
      }
      ++model.executions[step.site];
      address = is_random ? 0x10000 + random.below(0x13000) : address + stride;
    }
  }

  [[nodiscard]] std::uint64_t locate(std::uint64_t address, std::uint64_t width) const {
    for (std::uint32_t index = 0; index < buffers.size(); ++index)
      if (address >= buffers[index].base && address + width <= buffers[index].base + buffers[index].size)
        return (std::uint64_t{index + 1} << 40) + (address - buffers[index].base);
    return 0;
  }

  Random random_;
  std::vector<std::vector<Step>> steps_;
};

void expect_equal(const WorkGroupTrace& trace, const std::vector<ItemModel>& models,
                  const KernelInfo& kernel) {
  for (std::uint32_t item = 0; item < models.size(); ++item) {
    EXPECT_EQ(outcomes(trace, item), models[item].outcomes) << "work-item " << item;
    EXPECT_EQ(trace.paths[trace.path_of[item]].site_counts, models[item].executions) << "work-item " << item;
    for (std::uint32_t site = 0; site < kernel.sites.size(); ++site) {
      EXPECT_EQ(locations(trace, item, site), models[item].locations[site])
          << "work-item " << item << ", site " << site;
    }
  }
}

/// Steps of a warp: the same for a kernel of machine code, which records all lanes at once, as lane by lane.
void record_lanes(const RandomKernel& kernel, bool at_once, std::uint64_t seed, MemorySink& sink) {
  KernelInfo info = kernel.kernel;
  if (at_once) info.machine_code = "sm_90";
  RecorderSetup setup = kernel.setup;
  setup.kernel = &info;
  Recorder recorder(setup, sink);
  Random random(seed);
  for (std::uint32_t group = 0; group < kernel.groups; ++group) {
    for (std::uint32_t item = 0; item < kernel.items; ++item) table().begin(item, group, 0, 0);
    table().object(0, 2, 0x12000, WARPSCOPE_ALL_ITEMS);
    for (std::uint64_t step = 0; step < 200; ++step) {
      const auto warp = static_cast<std::uint32_t>(random.below((kernel.items + 31) / 32));
      const auto site = static_cast<std::uint32_t>(random.below(info.sites.size()));
      const std::uint32_t count = std::min(kernel.items - warp * 32, 32U);
      const auto exist = static_cast<std::uint32_t>((std::uint64_t{1} << count) - 1);
      const auto some = static_cast<std::uint32_t>(random.below(std::uint64_t{1} << 32));
      const std::uint32_t lanes = random.below(2) == 0 ? exist : exist & some;
      const auto taken = static_cast<std::uint32_t>(random.below(std::uint64_t{1} << 32));
      const std::uint64_t base = 0x12000 + random.below(64) * 256, stride = random.below(3) * 4;
      std::uint64_t addresses[32];
      for (std::uint32_t lane = 0; lane < 32; ++lane) addresses[lane] = base + lane * stride;
      const bool has_place = has_address(info.sites[site].kind);
      // Loops: the same step again and again.
      for (std::uint64_t round = random.below(4) == 0 ? 70 : 1; round != 0; --round) {
        // The first branch tells apart who made which accesses, so that equal ways are equal counts.
        if (at_once) {
          record_branches(lanes, exist, warp);
          record_branches(taken, lanes, warp);
          has_place ? record_accesses(addresses, lanes, site, warp) : record_syncs(lanes, site, warp);
        }
        for (std::uint32_t lane = 0; lane < count && !at_once; ++lane) {
          const std::uint32_t item = warp * 32 + lane;
          table().branch(lanes >> lane & 1, 1, item);
          if ((lanes >> lane & 1) == 0) continue;
          table().branch(taken >> lane & 1, 1, item);
          has_place ? table().access(addresses[lane], site, item) : table().sync(site, item);
        }
        for (std::uint64_t& address : addresses) address += stride;
      }
    }
    for (std::uint32_t item = 0; item < kernel.items; ++item) table().end(item);
  }
  recorder.check();
}

TEST(RecorderProperty, LanesAtOnceAreRecordedAsOneByOne) {
  for (std::uint64_t seed = 1; seed <= 60 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomKernel kernel(seed);
    kernel.items = static_cast<std::uint32_t>(1 + seed * 7 % 130);
    kernel.setup.local = {kernel.items, 1, 1};
    kernel.kernel.independent_threads = true;
    for (const std::uint64_t memory : {std::uint64_t{1} << 30, std::uint64_t{1}}) {
      kernel.setup.group_memory = memory;
      MemorySink one_by_one, at_once;
      record_lanes(kernel, false, seed, one_by_one);
      record_lanes(kernel, true, seed, at_once);
      EXPECT_EQ(at_once.payloads.size(), kernel.groups);
      EXPECT_EQ(at_once.payloads, one_by_one.payloads);
    }
  }
}

TEST(RecorderProperty, EqualsAListOfAllAccesses) {
  for (std::uint64_t seed = 1; seed <= 300 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomKernel kernel(seed);
    MemorySink sink;
    std::vector<std::vector<ItemModel>> models(kernel.groups);
    {
      Recorder recorder(kernel.setup, sink);
      for (std::uint32_t group = 0; group < kernel.groups; ++group)
        models[group] = kernel.run_group(group, seed);
      recorder.check();
    }
    for (std::uint32_t group = 0; group < kernel.groups; ++group)
      expect_equal(decoded(sink, group, kernel.kernel), models[group], kernel.kernel);
  }
}

TEST(RecorderProperty, RecordsInAFileGiveTheSameBytes) {
  std::uint32_t most_parts = 0;
  for (std::uint64_t seed = 1; seed <= 150 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    MemorySink in_memory, in_file;
    RecorderTotals totals[2];
    for (const bool is_limited : {false, true}) {
      RandomKernel kernel(seed);
      if (is_limited) kernel.setup.group_memory = 1;  // 64 records
      Recorder recorder(kernel.setup, is_limited ? in_file : in_memory);
      for (std::uint32_t group = 0; group < kernel.groups; ++group) kernel.run_group(group, seed);
      recorder.check();
      totals[is_limited ? 1 : 0] = recorder.totals();
    }
    EXPECT_EQ(in_file.payloads, in_memory.payloads);
    EXPECT_EQ(totals[1].encoded_bytes, totals[0].encoded_bytes);
    EXPECT_EQ(totals[1].left_out, 0u);
    for (std::size_t site = 0; site < totals[0].sites.size(); ++site) {
      EXPECT_EQ(totals[1].sites[site].executions, totals[0].sites[site].executions);
      EXPECT_EQ(totals[1].sites[site].out_of_bounds, totals[0].sites[site].out_of_bounds);
      EXPECT_EQ(totals[1].sites[site].first_out_of_bounds, totals[0].sites[site].first_out_of_bounds);
    }
    most_parts = std::max(most_parts, in_file.most_parts);
  }
  EXPECT_GT(most_parts, 1u);
}

TEST(RecorderProperty, DoesNotDependOnTheNumberOfThreads) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomKernel kernel(seed);
    MemorySink one, several;
    {
      Recorder recorder(kernel.setup, one);
      for (std::uint32_t group = 0; group < kernel.groups; ++group) kernel.run_group(group, seed);
    }
    {
      Recorder recorder(kernel.setup, several);
      std::vector<std::thread> threads;
      for (std::uint32_t first = 0; first < 2; ++first)
        threads.emplace_back([&, first] {
          for (std::uint32_t group = first; group < kernel.groups; group += 2) kernel.run_group(group, seed);
        });
      for (std::thread& thread : threads) thread.join();
      recorder.check();
    }
    EXPECT_EQ(one.payloads, several.payloads);
  }
}

}  // namespace
}  // namespace warpscope
