#pragma once
// What the kernels of a capture do wrong: accesses outside of what they were given, races in local and global memory, memory
// read before it was written, barriers that not all come to; and what their program never freed.
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "traces/capture/reader.h"
#include "traces/races/races.h"

namespace warpscope {

enum class FaultCode : std::uint8_t {
  OutOfBounds,    ///< outside of the array that it is of, or of every buffer
  Misaligned,     ///< an address that is no multiple of the alignment of its type
  RaceLocal,      ///< local memory, work-items of different warps
  RaceWarp,       ///< local or global memory, work-items of one warp, whose lockstep may hide it
  RaceInStep,     ///< the same through volatile stores, as was usual before Volta
  StoreTogether,  ///< stores of a warp by one execution of one instruction, to one place: one of them stays
  RaceGlobal,     ///< global memory
  UnorderedRead,  ///< a plain load next to atomics of others
  SameValue,      ///< stores of one constant by several work-items
  Uninitialised,  ///< memory that nobody has written
  UninitialisedPart,  ///< some of its bytes, which may be padding
  DivergentBarrier,   ///< work-items of a group wait at different barriers
  EarlyExit,          ///< some have ended when others wait at a barrier
  WarpMask,           ///< lanes of a warp function's mask do not come to it
  EndedLanes,         ///< they have ended
  Leak,               ///< an allocation that the program never freed
};
enum class FaultLevel : std::uint8_t { Information, Warning, Error };

struct FaultClass {
  const char* code;  ///< stable name: "race-global"
  const char* tool;  ///< "memcheck", "racecheck", "initcheck" or "synccheck"
  FaultLevel level;
};
FaultClass class_of(FaultCode code);
const char* name_of(FaultLevel level);

/// A work-item that takes part, and what it does.
struct FaultSide {
  RaceAccess access;
  Dim3 group, item;
};

struct Fault {
  FaultCode code = FaultCode::OutOfBounds;
  std::string kernel;
  FaultSide first;
  std::optional<FaultSide> second;
  std::string object;        ///< name of the array or buffer; empty: not known
  bool is_local = false;     ///< the object is in local memory
  bool is_cuda = false;      ///< the program is CUDA; otherwise OpenCL
  LaunchId launch;           ///< where it was seen first, as are the sides and the offset
  std::uint64_t offset = 0;  ///< bytes, in the object; the address where it is in none; Leak: its size
  /// Accesses (OutOfBounds, Misaligned, Uninitialised), allocations (Leak), else work-groups in which it was seen.
  std::uint64_t count = 0;
};

struct FaultReport {
  std::vector<Fault> faults;  ///< by kernel in the order of launches, errors first
  std::vector<RaceReport::NotChecked> not_checked;
  std::uint64_t launches = 0, groups = 0, accesses = 0;  ///< that were looked at
  bool in_part = false;  ///< memory for more cells, or for more work-items at once, was not to be had
  [[nodiscard]] bool has_errors() const;
};

/// All work-groups of these launches are looked at. `warp_size`: of kernels without warp functions, 1 to 64; those with them have warps of 32.
/// Throws InputError where a work-group does not fit its kernel.
FaultReport find_faults(const CaptureReader& capture, const std::vector<const LaunchInfo*>& launches,
                        std::uint32_t warp_size);

/// "store to b outside of it", and where: for a line of a report. Accesses in it are without places.
std::string fault_text(const Fault& fault);
/// "put __syncthreads() between them"; empty where nothing general helps.
std::string fault_remedy(const Fault& fault);
nlohmann::json to_json(const FaultReport& report);

}  // namespace warpscope
