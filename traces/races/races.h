#pragma once
// Data races in local memory: accesses of different work-items of a work-group to common bytes, one of which writes, that no
// barrier separates (of work-items of one warp: no barrier and no warp function).
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "traces/capture/reader.h"
#include "traces/races/race_plan.h"
#include "traces/races/shadow.h"

namespace warpscope {

/// How much is checked, and for which warps.
struct RaceOptions {
  std::uint32_t warp_size =
      32;  ///< warp size of kernels without warp functions; those with them have warps of 32
  std::uint64_t groups = 4;        ///< work-groups of a launch: the first, the last, and others between them
  std::uint64_t launches = 4;      ///< first launches of a kernel that are checked
  std::uint64_t steps = 1u << 18;  ///< steps of a launch: blocks entered and accesses made by work-items
  std::uint64_t all_steps = 1u << 20;  ///< steps of all launches
  [[nodiscard]] static RaceOptions everything();
};

enum class RaceScope : std::uint8_t {
  WorkGroup,  ///< work-items in different warps
  Warp,       ///< work-items of one warp, whose lockstep may hide the race
  InStep,     ///< the same through volatile stores, which a warp makes together here and on GPUs before Volta
};
const char* name_of(RaceScope scope);

/// An access in the source; copies of it that the compiler made are one.
struct RaceAccess {
  AccessKind kind = AccessKind::Load;
  SourceLocation at;  ///< line 0: not known
  std::string function;
};

struct Race {
  std::string kernel;
  RaceScope scope = RaceScope::WorkGroup;
  RaceAccess first, second;  ///< the writing one first
  std::string object;        ///< name of the array
  bool is_cuda = false;      ///< the program is CUDA; otherwise OpenCL
  // Where it was seen first.
  LaunchId launch;
  Dim3 group, first_item, second_item;
  std::uint64_t offset = 0;  ///< bytes, in the array
  std::uint64_t groups = 0;  ///< work-groups in which it was seen
};

struct RaceReport {
  std::vector<Race> races;  ///< sorted by kernel in the order of launches, then by scope and place
  /// Stores of one source access by several work-items to common bytes, as of a flag: no race if they store the same value.
  std::vector<Race> common_stores;
  struct NotChecked {
    std::string kernel, why;
  };
  std::vector<NotChecked> not_checked;
  std::uint64_t launches = 0, groups = 0;  ///< checked
  std::uint64_t all_launches =
      0;                 ///< that there are, of kernels that write to local memory and can be checked
  bool in_part = false;  ///< some launch or work-group was left out or not followed to its end
  /// Races that GPUs do not promise to forgive: all but those in step.
  [[nodiscard]] std::uint64_t count() const;
};

/// Work-item or work-group `number` of this many, x running fastest.
Dim3 triple_of(std::uint64_t number, Dim3 size);
nlohmann::json triple_json(Dim3 place);

/// The races of one work-group, by sites; for find_races() and tests. `steps`: as GroupWalk::run() takes and returns them.
std::map<RacePair, RaceExample> races_in_group(const KernelInfo& kernel, const RacePlan& plan,
                                               const WorkGroupTrace& trace, const std::vector<bool>& is_local,
                                               std::uint32_t warp_size, std::uint64_t& steps);

/// Throws InputError where a work-group does not fit its kernel.
RaceReport find_races(const CaptureReader& capture, const std::vector<const LaunchInfo*>& launches,
                      const RaceOptions& options = {});

/// "kernel reduce: store at reduce.cu:14:9 and load at reduce.cu:14:27, buffer, by threads of one warp: put __syncwarp() between
/// them", and where it was seen.
std::string race_text(const Race& race);
std::string race_example(const Race& race);
/// What separates the two accesses: "__syncwarp()".
std::string race_remedy(const Race& race);
nlohmann::json to_json(const RaceReport& report);

}  // namespace warpscope
