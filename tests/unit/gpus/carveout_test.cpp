// The carve-out that NVIDIA's driver chose, launch by launch, and the L1 next to it.
#include "gpus/carveout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "gpus/l1_shape.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::stringstream text(line);
  for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
  return fields;
}

/// A table by the names of its columns.
std::vector<Row> rows_of(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = fields_of(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = fields_of(line);
    Row row;
    for (std::size_t i = 0; i < names.size() && i < fields.size(); ++i) row[names[i]] = fields[i];
    rows.push_back(row);
  }
  return rows;
}

/// validation/truth/carveout.csv, where the program asked for no preference.
std::vector<Row> measured_launches() {
  std::vector<Row> rows = rows_of(CARVEOUT_TABLE);
  std::erase_if(rows, [](const Row& row) { return row.at("preference") != "none"; });
  return rows;
}

WorkGroupNeeds needs_of(const Row& row) {
  const auto number = [&](const char* key) { return std::stoull(row.at(key)); };
  return {number("block"), number("static_bytes") + number("dynamic_bytes"),
          static_cast<std::uint32_t>(number("registers"))};
}

// One preset for each compute capability: what the rule reads is the same in all of one.
TEST(CarveOut, IsWhatTheDriverChose) {
  std::map<std::string, GpuPreset> preset_of;
  for (const char* name : {"v100", "t4", "a100", "rtx3080", "rtx4090", "h100", "rtx5090"}) {
    GpuPreset preset = load_preset(name);
    preset_of[preset.compute_capability.value()] = std::move(preset);
  }
  std::size_t compared = 0;
  for (const Row& row : measured_launches()) {
    const auto preset = preset_of.find(row.at("cc"));
    if (preset == preset_of.end()) continue;
    ++compared;
    EXPECT_EQ(std::to_string(carveout_kib(preset->second, needs_of(row))), row.at("carveout_kib"))
        << row.at("point");
  }
  EXPECT_GE(compared, 80u);
}

TEST(CarveOut, CoversWhatIsResidentAndNoMoreOnVolta) {
  const GpuPreset v100 = load_preset("v100");
  const auto chosen = [&](std::uint64_t items, std::uint64_t bytes, std::uint32_t registers = 0) {
    return carveout_kib(v100, {items, bytes, registers});
  };
  EXPECT_EQ(chosen(256, 0), 0u);
  EXPECT_EQ(chosen(256, 1024), 8u) << "eight groups";
  EXPECT_EQ(chosen(256, 1025), 16u);
  EXPECT_EQ(chosen(256, 8192), 64u);
  EXPECT_EQ(chosen(256, 8192, 128), 16u) << "registers leave two";
  EXPECT_EQ(chosen(256, 90000), 96u);
  EXPECT_EQ(chosen(256, 500000), 96u) << "does not fit: the largest";
  EXPECT_EQ(chosen(1024, 90000, 255), 96u) << "an estimate that is too high: one group";
}

TEST(CarveOut, LeavesRoomForMoreOnAda) {
  const GpuPreset ada = load_preset("rtx4090");
  const auto chosen = [&](std::uint64_t items, std::uint64_t bytes, std::uint32_t registers) {
    return carveout_kib(ada, {items, bytes, registers});
  };
  EXPECT_EQ(chosen(256, 0, 16), 16u) << "12 groups of 1 KiB";
  EXPECT_EQ(chosen(32, 0, 16), 32u) << "24 slots, though 96 warps were wanted";
  EXPECT_EQ(chosen(256, 4096, 16), 64u) << "12 of 5 KiB";
  EXPECT_EQ(chosen(256, 8192, 128), 64u) << "12 of 9 KiB would be more than half: half";
  EXPECT_EQ(chosen(256, 12288, 16), 100u) << "but what is resident has its room";
}

TEST(CarveOut, IsFixedByTheOption) {
  GpuPreset a100 = load_preset("a100");
  EXPECT_EQ(carveout_kib(a100, {256, 0, 16}), 32u) << "never less";
  EXPECT_EQ(name_and_carveout(a100), "a100");
  set_carveout(a100, "8");
  EXPECT_EQ(carveout_kib(a100, {256, 40000, 16}), 8u);
  EXPECT_EQ(occupancy(a100, {256, 0, 16}).work_groups(), 8u);
  EXPECT_EQ(occupancy(a100, {256, 8192, 16}).work_groups(), 0u);
  EXPECT_EQ(name_and_carveout(a100), "a100 with --carveout 8");
}

// validation/hardware/micro/micro.cu on an H100: the occupancy as CUDA says it, and the size that the driver took.
TEST(CarveOut, IsTheH100sInEveryMeasuredLaunch) {
  const GpuPreset h100 = load_preset("h100");
  std::size_t launches = 0;
  for (const Row& row : rows_of(CARVEOUT_H100)) {
    const auto number = [&](const char* name) {
      return static_cast<std::uint32_t>(std::stoul(row.at(name)));
    };
    const WorkGroupNeeds needs{number("work_items"), number("local_bytes"), number("registers")};
    SCOPED_TRACE(row.at("kernel") + " " + row.at("work_items") + " " + row.at("local_bytes"));
    EXPECT_EQ(occupancy(h100, needs).work_groups(), number("resident_groups"));
    EXPECT_EQ(carveout_kib(h100, needs), number("carveout_kib"));
    ++launches;
  }
  EXPECT_EQ(launches, 236u);
}

std::string refusal(GpuPreset preset, const std::string& text) {
  try {
    set_carveout(preset, text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(CarveOut, OtherSizesAreRefused) {
  for (const char* text : {"48", "-1", "x", "", "8.0", "4294967304"})
    EXPECT_EQ(refusal(load_preset("rtx3080"), text),
              "--carveout " + std::string(text) +
                  ": expected one of 0, 8, 16, 32, 64, 100, the sizes in KiB that rtx3080 has");
  EXPECT_THAT(refusal(load_preset("gtx480"), "16"), ::testing::HasSubstr("gtx480 has no memory that its L1"));
  EXPECT_THAT(refusal(load_preset("v100", {{"l1_size_kib", "64"}}), "16"),
              ::testing::HasSubstr("has no memory"));
}

// V100: 128 KiB less 5 KiB that nobody gets, less the carve-out; 4 sets of 128-byte lines.
TEST(L1Shape, IsWhatTheCarveOutLeaves) {
  const GpuPreset v100 = load_preset("v100");
  const auto size = [&](std::uint32_t kib) { return l1_shape(v100, kib).size_kib; };
  EXPECT_EQ(size(0), 123u);
  EXPECT_EQ(size(8), 115u) << "mt4g measured 117,760 bytes with a little local memory";
  EXPECT_EQ(size(16), 107u);
  EXPECT_EQ(size(96), 27u);
  EXPECT_EQ(l1_shape(v100, 0).ways, 246u) << "123 KiB / (4 sets x 128 bytes)";
  for (const std::uint32_t kib : *v100.local_carveouts_kib) EXPECT_EQ(carveout_beside(v100, size(kib)), kib);
  EXPECT_EQ(carveout_beside(v100, 100), std::nullopt);
  EXPECT_EQ(carveout_beside(load_preset("gtx480"), 16), std::nullopt);
}

TEST(L1Shape, MatchesThePChases) {
  EXPECT_EQ(l1_shape(load_preset("rtx2080"), 32).size_kib, 61u) << "62,976 bytes, down to whole KiB";
  EXPECT_EQ(l1_shape(load_preset("a100"), 16).size_kib, 172u);
  EXPECT_EQ(l1_shape(load_preset("h100"), 16).size_kib, 233u) << "238,848 bytes, down to whole KiB";
  EXPECT_EQ(l1_shape(load_preset("h100"), 0).size_kib, 249u) << "255,232 bytes on an H100 NVL";
  EXPECT_EQ(l1_shape(load_preset("h100"), 32).size_kib, 217u)
      << "1,736 lines, measured (validation/notes/h100.md)";
  EXPECT_EQ(l1_shape(load_preset("h100"), 228).size_kib, 21u);
  EXPECT_EQ(l1_shape(load_preset("h100"), 228).tag_sets, 512u) << "tags for all of the memory";
  const L1Shape by_hand = l1_shape(load_preset("h100", {{"l1_size_kib", "64"}}), 32);
  EXPECT_EQ(by_hand.size_kib, 64u);
  EXPECT_EQ(by_hand.ways, 4u);
  EXPECT_EQ(by_hand.tag_sets, 512u);
  EXPECT_EQ(l1_shape(load_preset("h100", {{"l1_keeps_tags", "false"},
                                          {"l1_sets", "4"},
                                          {"l1_ways", "512"},
                                          {"l1_unified_kib", "256"}}),
                     32)
                .ways,
            434u);
  EXPECT_EQ(l1_shape(load_preset("gtx480"), 0).size_kib, 16u) << "not unified: as the file says";
  EXPECT_EQ(l1_shape(load_preset("v100", {{"l1_size_kib", "64"}}), 0).size_kib, 64u) << "set by hand";
}

}  // namespace
}  // namespace warpscope
