// A program's counters are the same however it is looked at. Random programs of several launches on random
// machines, every counter compared:
//   whole       = the sum of its launches, each simulated alone
//   capture     = the stream that warpsched writes of it
//   serial      = the sum of the shares of several threads
//   single      = the cell of a sweep
//   fixed order = the timed engine with make_fixed_order()
//   timed       = the sum of its launches, where the L2 starts cold, each by several threads
// WARPSCOPE_LAW_PROGRAMS says how many programs (200), WARPSCOPE_LAW_SEED the number of the first one (1). The same laws hold for captures of
// machine code: WARPSCOPE_LAW_CAPTURES names files, each on so many machines (tests/machine/test_laws.py makes them).
#include <gtest/gtest.h>
#include <unistd.h>

#include <iostream>

#include "cachesim/simulate/task_pool.h"
#include "cachesim/sweep/sweep_engine.h"
#include "scheduler/replay/capture_source.h"
#include "scheduler/residency.h"
#include "tests/property/laws/random_machine.h"
#include "tests/property/laws/random_program.h"
#include "timed/issue/issue_policy.h"
#include "timed/timed_result.h"

namespace warpscope::testing {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

void expect_equal(const ReuseHistogram& a, const ReuseHistogram& b) {
  EXPECT_EQ(a.cold_loads(), b.cold_loads());
  EXPECT_EQ(a.cold_stores(), b.cold_stores());
  const auto bins_a = a.bins(), bins_b = b.bins();
  ASSERT_EQ(bins_a.size(), bins_b.size());
  for (std::size_t i = 0; i < bins_a.size(); ++i) {
    EXPECT_EQ(bins_a[i].loads, bins_b[i].loads);
    EXPECT_EQ(bins_a[i].stores, bins_b[i].stores);
  }
}

/// What a simulation counted.
struct Counted {
  std::vector<Counts> launches;
  std::map<CoreId, Counts> cores;
  std::map<std::pair<SiteKey, BufferId>, Counts> sites;
  std::vector<SetCounts> sets;
  ReuseHistogram reuse;
  std::map<SiteKey, ReuseHistogram> site_reuse;

  explicit Counted(const SimulationResult& result)
      : cores(result.cores),
        sites(result.sites),
        sets(result.sets),
        reuse(result.reuse),
        site_reuse(result.site_reuse) {
    for (std::size_t l = 0; l < result.launches.size(); ++l) launches.push_back(result.launches[l]);
  }
  /// Of a launch alone, as launch and kernel of these numbers in the whole, which has so many launches.
  void move_to(std::size_t launch, std::size_t kernel, std::size_t of_launches) {
    const Counts own = launches.at(0);
    launches.assign(of_launches, {});
    launches[launch] = own;
    std::map<std::pair<SiteKey, BufferId>, Counts> there;
    for (const auto& [key, counts] : sites)
      there.emplace(std::pair(SiteKey{kernel, key.first.site, key.first.kind}, key.second), counts);
    sites = std::move(there);
    std::map<SiteKey, ReuseHistogram> reuse_there;
    for (const auto& [key, histogram] : site_reuse)
      reuse_there.emplace(SiteKey{kernel, key.site, key.kind}, histogram);
    site_reuse = std::move(reuse_there);
  }
  Counted& operator+=(const Counted& other) {
    for (std::size_t l = 0; l < launches.size(); ++l) launches[l] += other.launches[l];
    for (const auto& [core, counts] : other.cores) cores[core] += counts;
    for (const auto& [site, counts] : other.sites) sites[site] += counts;
    for (std::size_t set = 0; set < sets.size(); ++set) {
      sets[set].transactions += other.sets[set].transactions;
      sets[set].misses += other.sets[set].misses;
    }
    reuse += other.reuse;
    for (const auto& [site, histogram] : other.site_reuse)
      site_reuse.try_emplace(site, histogram.capacity()).first->second += histogram;
    return *this;
  }
  [[nodiscard]] Counts total() const {
    Counts sum;
    for (const Counts& counts : launches) sum += counts;
    return sum;
  }
};

void expect_equal(const Counted& a, const Counted& b) {
  EXPECT_TRUE(a.launches == b.launches);
  EXPECT_TRUE(a.cores == b.cores);
  EXPECT_TRUE(a.sites == b.sites);
  ASSERT_EQ(a.sets.size(), b.sets.size());
  for (std::size_t set = 0; set < a.sets.size(); ++set) {
    EXPECT_EQ(a.sets[set].transactions, b.sets[set].transactions);
    EXPECT_EQ(a.sets[set].misses, b.sets[set].misses);
  }
  expect_equal(a.reuse, b.reuse);
  ASSERT_EQ(a.site_reuse.size(), b.site_reuse.size());
  for (const auto& [site, histogram] : a.site_reuse) expect_equal(histogram, b.site_reuse.at(site));
}

/// A program's capture on one machine.
class Law {
 public:
  Law(std::uint64_t seed, const std::string& capture, bool mixes_buffers)
      : random_(seed * 2 + 1), mixes_buffers_(mixes_buffers), path_(own_file("stream")) {
    machine_ = random_machine(random_);
    capture_.emplace(capture, false);
    is_machine_code_ = !capture_->launches()[0].kernel->machine_code.empty();
    if (!is_machine_code_) return;
    machine_.schedule.warp_size = 32;  // it says itself where its lanes meet
    machine_.schedule.reconvergence = "ipdom";
  }
  /// A file of this process.
  static std::string own_file(const std::string& name) {
    return ::testing::TempDir() + "laws" + std::to_string(::getpid()) + "." + name;
  }

  void check() {
    const Counted whole(simulate_capture(*capture_, machine_));
    check_launches(whole);
    check_stream(whole);
    check_shares(whole);
    if (::testing::Test::HasFailure()) return;
    check_sweep(whole);
    Machine other = machine_;
    do other.schedule.policy = schedulers()[random_.below(schedulers().size())].name;
    while (is_machine_code_ && scheduler_named(other.schedule.policy).order == VisitOrder::WorkItems);
    if (scheduler_named(other.schedule.policy).order == VisitOrder::WorkItems) {
      other.schedule.cores = 1;
      other.schedule.limits.reset();
      other.schedule.max_work_groups = static_cast<std::uint32_t>(random_.below(3));
    }
    check_launches(Counted(simulate_capture(*capture_, other)), other);
    if (!mixes_buffers_) check_fixed_order(whole);
    check_timed();
    accesses_ = whole.total().of(AccessKind::Load).lanes + whole.total().of(AccessKind::Store).lanes;
  }
  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] std::uint64_t lanes() const { return accesses_; }

 private:
  void check_launches(const Counted& whole) { check_launches(whole, machine_); }
  void check_launches(const Counted& whole, Machine machine) {
    SCOPED_TRACE("launch by launch, policy " + machine.schedule.policy);
    std::optional<Counted> sum;
    for (const LaunchInfo& launch : capture_->launches()) {
      machine.schedule.launches = LaunchSelection(std::to_string(launch.id.value()), {});
      Counted alone(simulate_capture(*capture_, machine));
      ASSERT_EQ(alone.launches.size(), 1u);
      const Counts& other = whole.launches[launch.id.value()];
      EXPECT_TRUE(alone.launches[0] == other) << "launch " << launch.id.value() << "\n"
                                              << shown(alone.launches[0]) << "\n"
                                              << shown(other);
      alone.move_to(launch.id.value(), kernel_number(launch.id), whole.launches.size());
      sum ? * sum += alone : sum.emplace(alone);
    }
    expect_equal(*sum, whole);
  }

  /// Kernels are numbered in the order of their first launches.
  [[nodiscard]] std::size_t kernel_number(LaunchId of) const {
    std::vector<std::string> names;
    for (const LaunchInfo& launch : capture_->launches()) {
      const std::string& name = launch.kernel->name;
      const auto found = std::find(names.begin(), names.end(), name);
      const auto number = static_cast<std::size_t>(found - names.begin());
      if (found == names.end()) names.push_back(name);
      if (launch.id == of) return number;
    }
    return names.size();
  }

  void check_stream(const Counted& whole) const {
    SCOPED_TRACE("stream");
    run_schedule(*capture_, machine_.schedule, *make_binary_stream_writer(path_));
    expect_equal(Counted(simulate(machine_, [&](WarpAccessSink& sink) { read_stream(path_, sink); })), whole);
    std::filesystem::remove(path_);
  }

  void check_shares(const Counted& whole) {
    SCOPED_TRACE("shares");
    const auto threads = static_cast<std::uint32_t>(2 + random_.below(2));
    Machine machine = machine_;
    machine.schedule.share = {0, threads};
    SimulationResult sum = simulate_capture(*capture_, machine);
    for (std::uint32_t number = 1; number < threads; ++number) {
      machine.schedule.share = {number, threads};
      sum += simulate_capture(*capture_, machine);
    }
    expect_equal(Counted(sum), whole);
  }

  /// The machine's own cache among others.
  void check_sweep(const Counted& whole) {
    SCOPED_TRACE("sweep");
    const CacheConfig& own = machine_.simulation.cache;
    std::vector<CacheConfig> caches;
    for (int i = 0; i < 3; ++i) caches.push_back(random_cache(random_, own.line_bytes, own.sector_bytes));
    caches.insert(caches.begin() + static_cast<std::ptrdiff_t>(random_.below(4)), own);
    SweepEngineOptions options;
    options.chunk = 1 + random_.below(2000);
    options.classes = machine_.simulation.classes;
    options.own = static_cast<std::size_t>(std::find(caches.begin(), caches.end(), own) - caches.begin());
    options.own_of = machine_.simulation.cache_of;
    TaskPool pool(static_cast<std::uint32_t>(1 + random_.below(2)));
    SweepEngine engine(caches, options, pool);
    CoalescingSink sink(own.transaction_bytes(), coalescing_rule(machine_.rule), engine, machine_.takes);
    run_schedule(*capture_, machine_.schedule, sink);
    expect_cell(engine, engine.cells()[*engine.own()], whole.total());
    const std::uint64_t other = random_.below(engine.cells().size());
    if (other == *engine.own()) return;
    Machine machine = machine_;
    machine.simulation.cache = engine.cells()[other].config;
    machine.simulation.cache_of = nullptr;
    expect_cell(engine, engine.cells()[other], simulate_capture(*capture_, machine).total());
  }

  /// What a cell and the traffic of its sweep say is what the single simulation says.
  static void expect_cell(const SweepEngine& engine, const SweepCell& cell, const Counts& single) {
    SCOPED_TRACE(testing::shown(cell.config));
    for (std::size_t kind = 0; kind < single.kind.size(); ++kind) {
      const KindCounts &one = single.kind[kind], &traffic = engine.traffic().kind[kind];
      EXPECT_EQ(traffic.requests, one.requests);
      EXPECT_EQ(traffic.lanes, one.lanes);
      EXPECT_EQ(traffic.transactions, one.transactions);
      EXPECT_EQ(traffic.bypasses, one.bypasses);
      EXPECT_EQ(cell.counts.kind[kind].hits, one.hits);
      EXPECT_EQ(cell.counts.kind[kind].misses, one.misses);
      EXPECT_EQ(cell.counts.kind[kind].sector_misses, one.sector_misses);
    }
    EXPECT_EQ(cell.counts.classes, single.classes);
    EXPECT_EQ(cell.counts.evictions, single.evictions);
    EXPECT_EQ(cell.counts.write_backs, single.write_backs);
  }

  [[nodiscard]] StreamHeader header() const {
    StreamHeader header;
    header.warp_size = machine_.schedule.warp_size;
    header.cores = machine_.schedule.cores;
    header.buffers = capture_->buffers();
    header.layout = machine_.schedule.layout;
    header.launches = capture_->launches();
    return header;
  }

  [[nodiscard]] timed::TimedConfig timed_config() const {
    timed::TimedConfig config;
    if (machine_.schedule.limits) config = timed::config_from(*machine_.schedule.limits).config;
    config.coalescing = machine_.rule;
    config.l1.cache = machine_.simulation.cache;
    config.l1.takes = machine_.takes;
    config.memory.l2_line_bytes = config.l1.cache.line_bytes;
    config.seed = config.l1.cache.seed;
    config.memory.l2_keeps_content = false;
    return config;
  }

  [[nodiscard]] timed::DispatchOptions dispatch(const LaunchInfo& launch,
                                                const timed::TimedConfig& config) const {
    const ScheduleOptions& schedule = machine_.schedule;
    timed::DispatchOptions options;
    options.cores = schedule.cores;
    options.assignment = schedule.assignment;
    options.warp_size = schedule.warp_size;
    options.reconvergence = schedule.reconvergence;
    options.seed = schedule.seed;
    const std::uint32_t limit =
        schedule.limits ? resident_work_groups(launch, *schedule.limits) : schedule.max_work_groups;
    options.slots =
        timed::slots_of(launch, config, options.warp_size, limit, capture_->groups(launch.id).size());
    return options;
  }

  /// Counters that both clocks have.
  static Counts common(Counts counts) {
    counts.classes = {};
    counts.by_source = {};
    counts.unclassified = counts.classified = 0;
    counts.degrees.clear();
    for (KindCounts& kind : counts.kind) kind.stages = {};
    for (auto& space : counts.outside)
      for (OutsideCounts& outside : space) outside.wavefronts = outside.conflicts = 0;
    return counts;
  }
  template <class Key>
  static std::map<Key, Counts> common(const std::map<Key, Counts>& from) {
    std::map<Key, Counts> result;
    for (const auto& [key, counts] : from)
      if (const Counts kept = common(counts); kept != Counts{}) result.emplace(key, kept);
    return result;
  }

  void check_fixed_order(const Counted& whole) {
    SCOPED_TRACE("timed, in fixed order");
    const StreamHeader header = this->header();
    std::vector<timed::LaunchTiming> timings;
    for (const LaunchInfo& launch : capture_->launches()) {
      timed::TimedConfig config = timed_config();
      config.make_fixed_order();
      if (machine_.simulation.cache_of) config.l1.cache = machine_.simulation.cache_of(launch);
      timed::TimedEngine engine(config, header);
      timings.push_back(engine.run(CaptureSource(*capture_, launch), dispatch(launch, config)));
    }
    const Counted timed(timed::simulation_result(header, timings));
    for (std::size_t l = 0; l < timed.launches.size(); ++l)
      EXPECT_TRUE(common(timed.launches[l]) == common(whole.launches[l])) << "launch " << l << "\n"
                                                                          << shown(timed.launches[l]) << "\n"
                                                                          << shown(whole.launches[l]);
    EXPECT_TRUE(common(timed.cores) == common(whole.cores));
    EXPECT_TRUE(common(timed.sites) == common(whole.sites));
  }

  /// Any timing: all launches by one engine in one thread, and each by one of its own in several.
  void check_timed() {
    SCOPED_TRACE("timed, launch by launch");
    const StreamHeader header = this->header();
    timed::TimedConfig config = timed_config();
    config.issue.policy = timed::issue_policies()[random_.below(timed::issue_policies().size())].name;
    config.l1.mshr_entries = static_cast<std::uint32_t>(1 + random_.below(6));
    config.l1.allocate_on_fill = random_.below(2) == 0;
    config.l1.units = static_cast<std::uint32_t>(1 + random_.below(2));
    config.memory.l2_size_kib = 256;
    config.memory.l2_slices = config.memory.dram_channels = 4;
    config.memory.dram_bytes_per_cycle = 1;  // a queue that outlasts a launch
    timed::TimedEngine engine(config, header);
    std::vector<timed::LaunchTiming> together, apart;
    for (const LaunchInfo& launch : capture_->launches()) {
      const CaptureSource source(*capture_, launch);
      timed::DispatchOptions options = dispatch(launch, config);
      if (options.assignment == "round-robin") options.assignment = "dynamic";
      timed::TimedEngine own(config, header);
      together.push_back(engine.run(source, options));
      options.threads = static_cast<std::uint32_t>(2 + random_.below(4));
      apart.push_back(own.run(source, options));
      EXPECT_EQ(together.back().cycles, apart.back().cycles) << launch.id.value();
      const timed::MemoryCounts &a = together.back().memory, &b = apart.back().memory;
      EXPECT_EQ(a.l2_load_hits, b.l2_load_hits);
      EXPECT_EQ(a.l2_load_pending, b.l2_load_pending);
      EXPECT_EQ(a.l2_load_misses, b.l2_load_misses);
      EXPECT_EQ(a.l2_store_hits, b.l2_store_hits);
      EXPECT_EQ(a.l2_store_misses, b.l2_store_misses);
      EXPECT_EQ(a.l2_atomics, b.l2_atomics);
      EXPECT_EQ(a.dram_read_bytes, b.dram_read_bytes);
      EXPECT_EQ(a.dram_write_bytes, b.dram_write_bytes);
    }
    const Counted one(timed::simulation_result(header, together));
    const Counted other(timed::simulation_result(header, apart));
    EXPECT_TRUE(one.launches == other.launches);
    EXPECT_TRUE(one.cores == other.cores);
    EXPECT_TRUE(one.sites == other.sites);
  }

  SplitMix64 random_;
  bool mixes_buffers_, is_machine_code_ = false;
  std::string path_;  ///< of a stream
  Machine machine_;
  std::optional<CaptureReader> capture_;
  std::uint64_t accesses_ = 0;
};

/// Of one capture; returns the lane accesses that it makes.
std::uint64_t check_capture(std::uint64_t seed, const std::string& capture, bool mixes_buffers) {
  SCOPED_TRACE(capture + ", WARPSCOPE_LAW_SEED=" + std::to_string(seed));
  std::string machine;
  try {
    Law law(seed, capture, mixes_buffers);
    machine = law.machine().shown();
    SCOPED_TRACE(machine);
    law.check();
    return law.lanes();
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what() << "\n" << machine;
    return 0;
  }
}

/// So many programs, from this seed on, up to the first failure.
void check_programs(std::uint64_t first, std::uint64_t programs) {
  const std::string path = Law::own_file("wtrace");
  std::uint64_t lanes = 0;
  for (std::uint64_t seed = first; seed < first + programs && !::testing::Test::HasFailure(); ++seed) {
    Program program = RandomProgram(seed).make();
    program.write(path);
    lanes += check_capture(seed, path, program.mixes_buffers);
  }
  std::filesystem::remove(path);
  EXPECT_GT(lanes, 100 * programs) << "the programs do too little";
}

TEST(Laws, HoldForRandomPrograms) {
  const std::uint64_t programs = from_environment("WARPSCOPE_LAW_PROGRAMS", 200);
  const std::uint64_t first = from_environment("WARPSCOPE_LAW_SEED", 1);
  std::cout << programs << " programs from seed " << first << std::endl;
  check_programs(first, programs);
}

/// Captures of machine code, which tests/machine/test_laws.py makes and names.
class MachineCode : public ::testing::Test {
  void TestBody() override {
    const std::uint64_t machines = from_environment("WARPSCOPE_LAW_PROGRAMS", 200);
    std::istringstream names(std::getenv("WARPSCOPE_LAW_CAPTURES"));
    for (std::string name; std::getline(names, name, ':') && !HasFailure();)
      for (std::uint64_t seed = 1; seed <= machines && !HasFailure(); ++seed)
        EXPECT_GT(check_capture(seed, name, false), 1000U);
  }
};

[[maybe_unused]] const ::testing::TestInfo* const kOfMachineCode =
    std::getenv("WARPSCOPE_LAW_CAPTURES") == nullptr
        ? nullptr
        : ::testing::RegisterTest("Laws", "HoldForMachineCode", nullptr, nullptr, __FILE__, __LINE__,
                                  []() -> ::testing::Test* { return new MachineCode; });

// Each differed once: 256 has work-groups that start at a barrier, 2188 two barriers in a row.
TEST(Laws, HoldForProgramsThatOnceDiffered) {
  for (const std::uint64_t seed : {225, 256, 614, 713, 1845, 2188}) check_programs(seed, 1);
}

}  // namespace
}  // namespace warpscope::testing
