#pragma once
// Listings of machine code with their control words, spelt out, for tests of what issues when.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/timed/line_kernel.h"

namespace warpscope::timed::testing {

/// An instruction with its control word.
struct Line {
  const char* text;
  const char* pipe;
  std::uint32_t stall = 1;
  bool yield = false;
  std::uint32_t write = 7, read = 7, wait = 0;
};

inline MachineInstruction encoded(const Line& line) {
  MachineInstruction one;
  one.text = line.text;
  one.pipe = line.pipe;
  const auto put = [&one](std::uint64_t value, int bit) { one.high |= value << (bit - 64); };
  put(line.stall, 105);
  put(line.yield ? 0 : 1, 109);
  put(line.write, 110);
  put(line.read, 113);
  put(line.wait, 116);
  return one;
}

/// Blocks of instructions, each with what follows it. Accesses are where `sites` says: (block, position, kind).
class Listing {
 public:
  Listing& block(const std::vector<Line>& lines, std::vector<std::uint32_t> successors = {}) {
    BlockInfo info;
    info.instructions = static_cast<std::uint32_t>(lines.size());
    for (const std::uint32_t s : successors) info.successors.emplace_back(s);
    code_.first_of_block.edit().emplace_back();
    if (!lines.empty())
      code_.first_of_block.edit().back() = static_cast<std::uint32_t>(code_.instructions.size());
    for (const Line& line : lines) code_.instructions.push_back(encoded(line));
    kernel_.blocks.push_back(info);
    return *this;
  }
  Listing& site(std::uint32_t block, std::uint32_t position, AccessKind kind,
                AddressSpace space = AddressSpace::Global) {
    SiteInfo info;
    info.kind = kind;
    info.space = space;
    info.width = has_address(kind) ? 4 : 0;
    info.alignment = 4;
    info.point = {BlockId(block), position};
    kernel_.blocks[block].sites.emplace_back(static_cast<std::uint32_t>(kernel_.sites.size()));
    kernel_.sites.push_back(info);
    return *this;
  }

  /// What accesses touch; kLinePerWarp if it is not said.
  Listing& addresses(const WarpAddress& address) {
    address_ = address;
    return *this;
  }

  LaunchTiming run(const TimedConfig& config, std::uint32_t warps = 1, const Outcomes& outcomes = {},
                   std::uint32_t work_groups = 1) {
    kernel_.name = "listing";
    kernel_.machine_code = "by hand";
    const VectorSource groups = launch_of(kernel_, work_groups, warps, address_, outcomes);
    const StreamHeader header = header_for(groups);
    TimedEngine engine(config, header);
    DispatchOptions dispatch;
    dispatch.slots = 1;
    dispatch.assignment = work_groups == 1 ? "round-robin" : "dynamic";
    LaunchTiming timing = engine.run(Source(groups, code_), dispatch);
    WarpStallCounts by_instruction{}, by_core{};
    for (const WarpStallCounts& one : timing.stalls) by_instruction += one;
    for (const CoreCounts& core : timing.cores) by_core += core.warp_stalls;
    EXPECT_EQ(by_instruction, by_core);
    EXPECT_EQ(timing.stalls.size(), code_.instructions.size());
    return timing;
  }
  [[nodiscard]] MachineProgram program(const MachineTimes& times) const { return {kernel_, code_, times}; }
  Cycle cycles(const TimedConfig& config, std::uint32_t warps = 1, const Outcomes& outcomes = {}) {
    return run(config, warps, outcomes).cycles;
  }

 private:
  class Source final : public WorkGroupSource {
   public:
    Source(const WorkGroupSource& groups, const MachineCode& code) : groups_(groups), code_(code) {}
    [[nodiscard]] const LaunchInfo& launch() const override { return groups_.launch(); }
    [[nodiscard]] const std::vector<WorkGroupId>& groups() const override { return groups_.groups(); }
    [[nodiscard]] WorkGroupTrace read(WorkGroupId group) const override { return groups_.read(group); }
    [[nodiscard]] std::optional<MachineCode> machine_code() const override { return code_; }

   private:
    const WorkGroupSource& groups_;
    const MachineCode& code_;
  };

  WarpAddress address_ = kLinePerWarp;
  KernelInfo kernel_;
  MachineCode code_;
};

/// Cycles of the warps of core 0.
inline std::uint64_t count(const LaunchTiming& timing, WarpStall stall) {
  return timing.cores[0].warp_stalls[static_cast<std::size_t>(stall)];
}
/// Of an instruction, of all cores.
inline std::uint64_t count(const LaunchTiming& timing, std::size_t instruction, WarpStall stall) {
  return timing.stalls[instruction][static_cast<std::size_t>(stall)];
}

inline TimedConfig machine_config() {
  TimedConfig config = plain_config();
  config.issue.machine = {};
  config.issue.machine.group_start_latency = 0;
  return config;
}

constexpr Line kExit{"EXIT", "branch", 5};

}  // namespace warpscope::timed::testing
