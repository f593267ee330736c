// Counters as profilers define them: a few warp accesses, counted by hand.
#include "cachesim/result/profiler_counters.h"

#include <gtest/gtest.h>

#include <functional>

#include "cachesim/simulate/l1_simulator.h"
#include "cachesim/simulate/preset_cache.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "header_builder.h"

namespace warpscope::test {
namespace {

using Json = nlohmann::ordered_json;

constexpr auto kInGlobal = AddressSpace::Global;
enum ProfiledSite : std::uint32_t {
  kDataLoad,
  kDataStore,
  kDataAtomic,
  kOwnLoad,
  kOwnStore,
  kLocalLoad,
  kLocalStore,
  kOwnWideLoad,
  kOwnWideStore,
  kOwnByteLoad
};
enum ProfiledBuffer : std::uint32_t { kData = 1, kOwn, kLocal };

/// Accesses of one core of a GPU.
class Profiled {
 public:
  explicit Profiled(const std::string& gpu, const std::vector<PresetChange>& changes = {}, bool stages = true)
      : gpu_(load_preset(gpu, changes)),
        cache_(preset_cache(gpu_)),
        stages_(stages),
        header_(header(
            {kInGlobal, AddressSpace::Private, AddressSpace::Local},
            {site(AccessKind::Load, kInGlobal), site(AccessKind::Store, kInGlobal),
             site(AccessKind::Atomic, kInGlobal), site(AccessKind::Load, AddressSpace::Private),
             site(AccessKind::Store, AddressSpace::Private), site(AccessKind::Load, AddressSpace::Local),
             site(AccessKind::Store, AddressSpace::Local), site(AccessKind::Load, AddressSpace::Private, 8),
             site(AccessKind::Store, AddressSpace::Private, 16),
             site(AccessKind::Load, AddressSpace::Private, 1)},
            1u << 15)) {
    SimulationOptions options;
    options.cache = cache_;
    options.self_check = true;
    simulator_.emplace(options);
    std::optional<StageRules> rules;
    if (stages) rules = StageRules{bank_rules(gpu_), 4, cache_.line_bytes};
    sink_.emplace(cache_.transaction_bytes(), coalescing_rule(gpu_.coalescing), *simulator_,
                  preset_takes(gpu_), rules);
    sink_->begin(header_);
    sink_->begin_launch(LaunchId(0));
  }
  /// A warp's 32 lanes, `stride` bytes apart, from byte `at` of the buffer on.
  void access(ProfiledSite site, ProfiledBuffer buffer, std::uint64_t at, std::int64_t stride = 4) {
    sink_->access(make_.strided(site, BufferAddr(BufferId(buffer), at), stride));
  }
  void access(ProfiledSite site, const std::vector<std::int64_t>& offsets) {
    sink_->access(make_.make(site, BufferAddr(BufferId(kData), 0), 0xffffffff, offsets));
  }
  /// A warp's lanes at the same byte of their private memory.
  void access_own(ProfiledSite site) { sink_->access(make_.strided(site, BufferAddr(BufferId(kOwn), 0), 0)); }
  Json json(const Json* timing = nullptr, std::optional<std::uint32_t> warps = {}) {
    sink_->end();
    return profiler_json({simulator_->result().total(), cache_, stages_, stages_, warps, timing}, gpu_);
  }

 private:
  GpuPreset gpu_;
  CacheConfig cache_;
  bool stages_;
  StreamHeader header_;
  std::optional<L1Simulator> simulator_;
  std::optional<CoalescingSink> sink_;
  Accesses make_;
};

/// A line is loaded twice and stored once, another line stored, a third updated; two uses of private memory;
/// a load of local memory whose lanes are two words apart, and a store whose lanes are one apart.
Json everything_on_v100(bool stages = true, const Json* timing = nullptr,
                        std::optional<std::uint32_t> warps = {}) {
  Profiled run("v100", {{"l1_store_miss_allocates", "false"}}, stages);
  run.access(kDataLoad, kData, 0);       // 4 sectors, misses
  run.access(kDataLoad, kData, 0);       // 4 hits
  run.access(kDataStore, kData, 0);      // 4 hits
  run.access(kDataStore, kData, 4096);   // 4 misses that do not allocate
  run.access(kDataAtomic, kData, 8192);  // 4 sectors that bypass
  run.access_own(kOwnLoad);              // 4 misses
  run.access_own(kOwnStore);             // 4 hits, written through
  run.access(kLocalLoad, kLocal, 0, 8);  // two rows in every second bank: 2 wavefronts, 1 of them a conflict
  run.access(kLocalStore, kLocal, 0);
  return run.json(timing, warps);
}

TEST(ProfilerCounters, OfNsightCompute) {
  const Json ncu = everything_on_v100().at("ncu");
  const auto is = [&](const char* name, double value) { EXPECT_DOUBLE_EQ(ncu.at(name), value) << name; };
  is("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 2);
  is("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 2);
  is("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 8);
  is("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 8);
  is("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", 4);
  is("l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum", 4);
  is("l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct", 50);
  is("l1tex__t_sector_pipe_lsu_mem_global_op_st_hit_rate.pct", 50);
  is("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", 4);
  is("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", 4);
  // Hits: 4 of the 8 loaded, 4 of the 8 stored, 0 of 4 atomic, 0 of 4 private loads, 4 of 4 private stores.
  is("l1tex__t_sector_hit_rate.pct", 100.0 * 12 / 28);
  is("l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", 1);
  is("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 4);
  is("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 4);
  is("lts__t_sectors_op_read.sum", 4 + 4);
  is("lts__t_sectors_op_write.sum", 12);  // 8 of global memory, 4 of private
  is("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 2);
  is("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", 1);
  is("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", 1);
  is("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", 0);
  is("smsp__inst_executed_op_shared_ld.sum", 1);
  EXPECT_FALSE(ncu.contains("sm__warps_active.avg.pct_of_peak_sustained_active"));  // no time
  EXPECT_FALSE(ncu.contains("sm__maximum_warps_per_active_cycle_pct"));             // no residency
}

// An H100 makes a request of every word: coulomb/16x4-z32-u16-soa0 has 8,519,680 STL.128 and 34,078,720 requests, conv7x7/16x32-lm0-w4x8-v1-u1-p0
// 1,605,632 LDL.64 and 3,211,264. So sectors per request stay four.
TEST(ProfilerCounters, RequestsOfPrivateMemoryAreWords) {
  Profiled run("h100");
  run.access_own(kOwnLoad);
  run.access_own(kOwnWideLoad);
  run.access_own(kOwnByteLoad);
  run.access_own(kOwnWideStore);
  const Json ncu = run.json().at("ncu");
  EXPECT_EQ(ncu.at("l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"), 1 + 2 + 1);
  EXPECT_EQ(ncu.at("l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"), 4 * (1 + 2 + 1));
  EXPECT_EQ(ncu.at("l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"), 4);
  EXPECT_EQ(ncu.at("l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"), 4 * 4);
}

TEST(ProfilerCounters, OfNvprofOnVolta) {
  const Json nvprof = everything_on_v100().at("nvprof");
  EXPECT_DOUBLE_EQ(nvprof.at("global_hit_rate"), 100.0 * 8 / 20);  // loads, stores, atomics
  EXPECT_DOUBLE_EQ(nvprof.at("local_hit_rate"), 50);
  EXPECT_EQ(nvprof.at("gld_transactions"), 8);
  EXPECT_DOUBLE_EQ(nvprof.at("shared_load_transactions_per_request"), 2);
  EXPECT_DOUBLE_EQ(nvprof.at("shared_store_transactions_per_request"), 1);
  for (const char* fermi : {"l1_cache_global_hit_rate", "gld_request", "l2_l1_read_transactions"})
    EXPECT_FALSE(nvprof.contains(fermi)) << fermi;
}

TEST(ProfilerCounters, OfNvprofOnPascalAreOfLoadsOnly) {
  Profiled run("gtx1080", {{"l1_caches_global_loads", "true"}});
  run.access(kDataLoad, kData, 0);
  run.access(kDataLoad, kData, 0);
  run.access(kDataLoad, kData, 0);
  run.access(kDataStore, kData, 0);
  const Json json = run.json();
  EXPECT_FALSE(json.contains("ncu"));
  EXPECT_NEAR(json.at("nvprof").at("global_hit_rate"), 100.0 * 2 / 3, 1e-9);
  EXPECT_EQ(json.at("nvprof").at("l2_tex_read_transactions"), 4);
  // 8 bytes at a time, as on a GTX 1080 Ti with -dlcm=ca, and on a GTX 1060 where they bypass the L1; a byte of each lane has 4 on a GTX 1070.
  EXPECT_EQ(json.at("nvprof").at("gld_transactions"), 3 * 16);
  EXPECT_DOUBLE_EQ(json.at("nvprof").at("gld_transactions_per_request"), 16);
  Profiled past("gtx1080");
  past.access(kDataLoad, kData, 0);
  EXPECT_EQ(past.json().at("nvprof").at("gld_transactions"), 16);
  EXPECT_DOUBLE_EQ(past.json().at("nvprof").at("gld_transactions_per_request"), 16);
}

/// nvprof's counters of one load of words at these offsets by neighbouring lanes.
Json loaded_on(const std::string& gpu, const std::vector<std::int64_t>& offsets, bool stages = true) {
  Profiled run(gpu, {}, stages);
  run.access(kDataLoad, offsets);
  return run.json().at("nvprof");
}

/// Offsets in bytes of 32 lanes.
std::vector<std::int64_t> lanes(const std::function<std::int64_t(std::int64_t)>& word) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t lane = 0; lane < 32; ++lane) offsets.push_back(4 * word(lane));
  return offsets;
}

// Measured on a GTX 750 and a GTX 980 (validation/published/unified_cache.csv), but for the last one, on a GTX 980 Ti.
TEST(ProfilerCounters, LoadsOfMaxwellAreReadsOf16BytesForTwoQuads) {
  const auto is = [](const std::vector<std::int64_t>& offsets, int reads, double hit_percent) {
    const Json nvprof = loaded_on("gtx750", offsets);
    EXPECT_EQ(nvprof.at("gld_transactions"), reads);
    EXPECT_DOUBLE_EQ(nvprof.at("global_hit_rate"), hit_percent);
  };
  is(lanes([](auto lane) { return lane; }), 8, 50);  // 4 sectors
  is(lanes([](auto lane) { return lane % 16 * 64 + lane / 16; }), 32,
     50);  // 16 rows, two words of each: 16 sectors
  is(lanes([](auto lane) { return lane % 8 * 64 + lane / 8; }), 16,
     50);                                                      // 8 rows, four words of each: 8 sectors
  is(lanes([](auto lane) { return lane % 16; }), 8, 75);       // 16 words twice: 2 sectors
  is(lanes([](auto lane) { return lane % 8; }), 4, 75);        // 8 words four times: 1 sector
  is(lanes([](auto lane) { return lane / 8 * 64; }), 8, 50);   // a word for 8 lanes each: 4 sectors
  is(lanes([](auto lane) { return lane / 16 * 64; }), 4, 50);  // a word for 16 lanes each: 2 sectors
  is(lanes([](auto lane) { return lane + 1; }), 10,
     50);  // a quad of each 16 lanes straddles 64 bytes: 5 sectors
  is(lanes([](auto lane) { return lane * 64; }), 32, 0);  // 32 rows
  is(lanes([](auto) { return 5; }), 4, 75);               // one word
  EXPECT_FALSE(loaded_on("gtx750", lanes([](auto lane) { return lane; }), false)
                   .contains("gld_transactions"));  // not counted
  EXPECT_EQ(loaded_on("p100", lanes([](auto lane) { return lane + 1; })).at("gld_transactions"), 10);
}

/// nvprof's counter of one store instruction.
/// Transactions per request of a store of words to `offsets`, lane by lane.
Json stored_on(const std::string& gpu, const std::vector<std::int64_t>& offsets, bool stages = true,
               bool own = false) {
  Profiled run(gpu, {}, stages);
  run.access(kDataStore, offsets);
  if (own) run.access_own(kOwnStore);
  return run.json().at("nvprof").value("gst_transactions_per_request", Json());
}

/// Offset of lane `lane` from its row and column, rows 1,024 bytes apart.
std::vector<std::int64_t> lanes_at(std::int64_t (*row)(std::int64_t), std::int64_t (*column)(std::int64_t)) {
  std::vector<std::int64_t> offsets;
  for (std::int64_t lane = 0; lane < 32; ++lane) offsets.push_back(row(lane) * 1024 + column(lane) * 4);
  return offsets;
}

TEST(ProfilerCounters, StoresOfMaxwellAndPascalAreWritesToTheL2) {
  // nvprof's values of a GTX 750, a GTX 980 and a GTX 1070: validation/notes/unified-cache.md.
  const auto sixteen_rows =
      lanes_at([](std::int64_t lane) { return lane % 16; }, [](std::int64_t lane) { return lane / 16; });
  EXPECT_EQ(stored_on("gtx750", sixteen_rows), 32.0);
  EXPECT_EQ(stored_on("gtx1080", sixteen_rows), 32.0);
  EXPECT_EQ(stored_on("v100", sixteen_rows), 16.0);              // sectors
  EXPECT_EQ(stored_on("gtx1080", sixteen_rows, false), Json());  // not counted
  EXPECT_EQ(stored_on("gtx1080", sixteen_rows, true, true),
            Json());  // private memory's stores would be among them
  const auto neighbours =
      lanes_at([](std::int64_t) { return std::int64_t{0}; }, [](std::int64_t lane) { return lane; });
  EXPECT_EQ(stored_on("gtx980", neighbours), 4.0);
  const auto rows_of_16 =
      lanes_at([](std::int64_t lane) { return lane / 16; }, [](std::int64_t lane) { return lane % 16; });
  EXPECT_EQ(stored_on("gtx980", rows_of_16), 4.0);
  const auto rows_of_8 =
      lanes_at([](std::int64_t lane) { return lane / 8; }, [](std::int64_t lane) { return lane % 8; });
  EXPECT_EQ(stored_on("gtx980", rows_of_8), 8.0);
  const auto columns_of_8 =
      lanes_at([](std::int64_t lane) { return lane % 8; }, [](std::int64_t lane) { return lane / 8; });
  EXPECT_EQ(stored_on("gtx1080", columns_of_8), 16.0);
  const auto columns =
      lanes_at([](std::int64_t lane) { return lane; }, [](std::int64_t) { return std::int64_t{0}; });
  EXPECT_EQ(stored_on("gtx980", columns), 32.0);
}

TEST(ProfilerCounters, BeforeMaxwellTheyCountLines) {
  Profiled run("gtx480");
  run.access(kDataLoad, kData, 0);      // a line, missed
  run.access(kDataLoad, kData, 0);      // hit
  run.access(kDataLoad, kData, 0);      // hit
  run.access(kDataLoad, kData, 0, 64);  // 16 lines: 15 missed, the first hit
  run.access(kDataStore, kData, 0);     // removes it
  run.access_own(kOwnLoad);             // a line of private memory, missed: in no counter of global memory
  run.access_own(kOwnLoad);
  run.access(kLocalLoad, kLocal, 0, 8);
  const Json json = run.json();
  EXPECT_FALSE(json.contains("ncu"));
  const Json& nvprof = json.at("nvprof");
  EXPECT_EQ(nvprof.at("gld_request"), 4);
  EXPECT_EQ(nvprof.at("gst_request"), 1);
  EXPECT_EQ(nvprof.at("l1_global_load_hit"), 3);
  EXPECT_EQ(nvprof.at("l1_global_load_miss"), 16);
  EXPECT_DOUBLE_EQ(nvprof.at("l1_cache_global_hit_rate"), 100.0 * 3 / 19);
  EXPECT_DOUBLE_EQ(nvprof.at("l1_cache_local_hit_rate"), 50);
  EXPECT_EQ(nvprof.at("gld_transactions"), 19);
  EXPECT_DOUBLE_EQ(nvprof.at("gld_transactions_per_request"), 19.0 / 4);
  EXPECT_DOUBLE_EQ(nvprof.at("gst_transactions_per_request"), 1);
  EXPECT_EQ(nvprof.at("l2_l1_read_transactions"), (16 + 1) * 4);  // four sectors of each line
  EXPECT_EQ(nvprof.at("l1_shared_bank_conflict"), 1);
  EXPECT_FALSE(nvprof.contains("global_hit_rate"));
}

TEST(ProfilerCounters, LoadsThatBypassReadTheirSectorsOnly) {
  const std::vector<PresetChange> bypass = {{"l1_caches_global_loads", "false"}};
  Profiled run("k20", bypass);
  run.access(kDataLoad, kData, 0, 128);  // 32 lines, one sector of each
  run.access(kDataLoad, kData, 0);       // a line, four sectors
  const Json nvprof = run.json().at("nvprof");
  EXPECT_EQ(nvprof.at("gld_transactions"), 33);
  EXPECT_EQ(nvprof.at("l2_l1_read_transactions"), 32 + 4);
  EXPECT_EQ(nvprof.at("l1_global_load_hit"), 0);
  EXPECT_FALSE(nvprof.contains("l1_cache_global_hit_rate"));  // nothing was looked up
  Profiled without("k20", bypass, false);
  without.access(kDataLoad, kData, 0, 128);
  EXPECT_FALSE(without.json().at("nvprof").contains("l2_l1_read_transactions"));
}

TEST(ProfilerCounters, WithoutStagesNoWavefronts) {
  const Json ncu = everything_on_v100(false).at("ncu");
  EXPECT_FALSE(ncu.contains("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"));
  EXPECT_EQ(ncu.at("smsp__inst_executed_op_shared_ld.sum"), 1);
  EXPECT_EQ(ncu.at("lts__t_sectors_op_read.sum"), 8);
}

TEST(ProfilerCounters, OccupancyOfWarpsThatThereCanBe) {
  const Json timing = {{"resident_warp_cycles", 640}, {"active_cycles", 40}, {"warp_instructions", 7}};
  const Json json = everything_on_v100(true, &timing, 48);  // 64 warps
  EXPECT_DOUBLE_EQ(json.at("ncu").at("sm__warps_active.avg.pct_of_peak_sustained_active"), 25);
  EXPECT_DOUBLE_EQ(json.at("nvprof").at("achieved_occupancy"), 0.25);
  EXPECT_EQ(json.at("ncu").at("smsp__inst_executed.sum"), 7);
  EXPECT_DOUBLE_EQ(json.at("ncu").at("sm__maximum_warps_per_active_cycle_pct"), 75);
}

TEST(ProfilerCounters, NoneWithoutAGpuOrBeforeTheProfilers) {
  const Counts counts;
  EXPECT_TRUE(profiler_json({counts, CacheConfig{}}, std::nullopt).is_null());
  EXPECT_TRUE(profiler_json({counts, CacheConfig{}}, load_preset("gtx280")).empty());
  const Json a100 = Profiled("a100").json();
  EXPECT_TRUE(a100.contains("ncu"));
  EXPECT_FALSE(a100.contains("nvprof"));
}

TEST(ResidentWarps, AreThoseOfTheSchedule) {
  StreamHeader stream = header({kInGlobal}, {site(AccessKind::Load, kInGlobal)});  // 2 warps per work-group
  for (std::uint32_t i = 1; i < 4; ++i) {
    stream.launches.push_back(stream.launches[0]);
    stream.launches.edit()[i].id = LaunchId(i);
  }
  EXPECT_FALSE(ResidentWarps(stream).of(stream.launches[0]));
  stream.context = {{"max_work_groups", 5u}};
  EXPECT_EQ(ResidentWarps(stream).of_all(stream.launches), 10u);
  stream.context = {
      {"max_work_groups", "limits of preset x"},
      {"residency",
       {{{"launches", "0-1,3"}, {"work_groups", 8u}}, {{"launches", "2"}, {"work_groups", 4u}}}}};
  EXPECT_EQ(ResidentWarps(stream).of(stream.launches[1]), 16u);
  EXPECT_EQ(ResidentWarps(stream).of(stream.launches[2]), 8u);
  EXPECT_EQ(ResidentWarps(stream).of(stream.launches[3]), 16u);
  EXPECT_FALSE(ResidentWarps(stream).of_all(stream.launches));
}

}  // namespace
}  // namespace warpscope::test
