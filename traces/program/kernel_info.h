#pragma once
// Static description of one instrumented kernel: what the pass knows and the capture stores once.
// Serialised as JSON (see traces/FORMAT.md, "Kernel description"); unknown keys are ignored by readers.
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "traces/base/types.h"

namespace warpscope {

struct SourceLocation {
  std::string file;  ///< path as the compiler saw it, without a directory of this machine
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

/// A program point: instruction `position` of `block`, counted before instrumentation. A consumer that is a
/// phi is the point at the end of the incoming block (position = number of instructions of that block).
struct ProgramPoint {
  BlockId block;
  std::uint32_t position = 0;
};

/// Where a site's address comes from, when that is known statically.
struct StaticObject {
  enum class Kind : std::uint8_t { Unknown, Argument, Local, Private, ProgramScope };
  Kind kind = Kind::Unknown;
  std::uint32_t index = 0;  ///< argument index, or index into KernelInfo::objects
};

/// Whose values flow into an address; traces/FORMAT.md, "Sources of an address". Sites of loads and atomics, ascending.
struct AddressSources {
  std::vector<SiteId> value;   ///< whole, from their last execution: through arithmetic and conversions
  std::vector<SiteId> part;    ///< an element of a vector, or through a phi: of which execution is not known
  std::vector<SiteId> choice;  ///< loads that only decide, through compares, which of several values it is
  bool work_item = false;      ///< the number of the work-item or work-group flows into it, too
};

constexpr std::uint32_t kNamedBarriers = 16;  ///< of a work-group: PTX ISA, "bar"

/// A barrier of machine code with a number, or for a part of the work-items: bar.sync and bar.arrive of PTX.
struct NamedBarrier {
  bool is_known = true;  ///< false: registers have its number or its work-items
  std::uint32_t number = 0;
  std::uint32_t work_items = 0;  ///< that it waits for, a multiple of 32; 0 = all
  bool arrives = false;          ///< who comes does not wait
  bool operator==(const NamedBarrier&) const = default;
};

struct SiteInfo {
  AccessKind kind = AccessKind::Load;
  AddressSpace space = AddressSpace::Global;
  std::uint32_t width = 0;      ///< bytes per lane and execution (0 for barriers and fences)
  std::uint32_t alignment = 1;  ///< proven alignment in bytes, power of two
  bool is_volatile = false;
  bool is_streaming = false;     ///< non-temporal hint
  bool is_bypass = false;        ///< does not look the L1 up (ld.global.cg); nothing else is held back
  bool stores_constant = false;  ///< a store of one value by all work-items: of constants and arguments alone
  bool is_strong = false;        ///< what other work-groups do at once is seen, as of volatile
  bool releases = false;  ///< an atomic that orders what its work-item did before (release or stronger)
  bool is_read_only =
      false;  ///< a load of what the kernel never writes, and the compiler knows it (ld.global.nc)
  std::optional<NamedBarrier> named;  ///< barriers: absent = for all of the work-group
  std::string
      operation;  ///< atomics: "add", "cmpxchg", …; fences and barriers: "local", "global", "local|global"
  std::string function;  ///< source function (an inlined helper keeps its own name)
  std::vector<SourceLocation>
      locations;  ///< innermost first is not implied: all lines merged into this instruction
  StaticObject object;
  ProgramPoint point;
  std::optional<ProgramPoint> earliest;        ///< loads: earliest legal position; absent = kernel entry
  std::vector<ProgramPoint> consumers;         ///< loads: first uses of the value
  std::optional<AddressSources> address_from;  ///< absent = not recorded, or no address
};

/// What the dependence graph of a block says; traces/FORMAT.md, "Parallelism of a block".
struct BlockParallelism {
  std::map<std::string, std::uint32_t> path;  ///< instruction class -> count on the longest chain
  std::uint32_t loads = 0;                    ///< instructions that load from global memory
  std::uint32_t load_steps = 0;               ///< number of loads on the longest chain of such loads
  std::uint32_t load_groups = 0;  ///< groups of loads in program order, each ended by the first use of one
};

/// Where work-items wait for others without an access and without a barrier of the kernel's own: warp functions.
struct Meeting {
  std::uint32_t position = 0;  ///< position in its block, as in a ProgramPoint
  LaneMask mask = 0;           ///< lanes that it is for; 0 = those that come to it together, or not known
  bool of_group = false;  ///< all work-items of the work-group (this_grid().sync()); `mask` means nothing
};

struct BlockInfo {
  std::vector<BlockId> successors;  ///< outcome k of the terminator leads to successors[k]; none = return
  std::optional<BlockId> immediate_post_dominator;  ///< absent = the virtual exit
  std::optional<std::uint32_t> loop;                ///< innermost natural loop, index into KernelInfo::loops
  std::uint32_t instructions = 0;
  std::map<std::string, std::uint32_t> mix;     ///< instruction class -> count (classes: traces/FORMAT.md)
  std::vector<SiteId> sites;                    ///< sites in program order
  std::optional<BlockParallelism> parallelism;  ///< absent = not recorded
  std::vector<Meeting> meetings;                ///< meetings in program order
  std::vector<std::uint32_t> fences;  ///< positions of fences that are no sites (machine code), ascending
  std::vector<SiteId> branch_from;    ///< loads and atomics whose values flow into the terminator's condition
};

struct LoopInfo {
  BlockId header;
  std::optional<std::uint32_t> parent;
  std::uint32_t left_rolled =
      0;  ///< iterations of a loop that only the bounds on barriers left rolled, else 0
  std::optional<SourceLocation> location{};  ///< location of a loop that was left rolled
  bool is_counted =
      true;  ///< the number of iterations is known at the loop's begin; true if that was not recorded
};

/// A memory object that a kernel owns: a local or private array, or a program-scope constant table.
struct ObjectInfo {
  std::string name;
  AddressSpace space = AddressSpace::Local;
  std::uint64_t size = 0;  ///< bytes
};

struct ArgumentInfo {
  std::string name;
  std::string type;  ///< type as written in the source, for example "__global float*"
  AddressSpace space = AddressSpace::Private;  ///< address space of a pointer's target; Private for values
  bool is_pointer = false;
};

struct KernelInfo {
  std::string name;
  std::vector<ArgumentInfo> arguments;
  std::vector<BlockInfo> blocks;  ///< blocks[0] is the entry; ids are reverse post-order
  std::vector<SiteInfo> sites;
  std::vector<LoopInfo> loops;
  std::vector<ObjectInfo> objects;
  std::uint64_t static_local_bytes = 0;
  std::uint32_t registers_estimate = 0;  ///< 32-bit registers per work-item; 0 = unknown
  std::string registers_from =
      "live values";  ///< origin of the number: "live values", or whose count it is: "ptxas 13.0, sm_80"
  /// Who made the machine code that was executed: "nvcc 13.0, sm_90". Empty: compiled by Warpscope's clang; instructions are estimates.
  std::string machine_code;
  std::uint32_t barrier_bound = 0;   ///< barriers that unrolling may lead to; 0 = unknown
  std::uint32_t guard_bound = 0;     ///< branches deciding about them that it may lead to; 0 = unknown
  bool independent_threads = false;  ///< work-items were not run in step, so they need not agree on barriers
  std::vector<std::string> untraceable;  ///< "file:line:column: what" that this kernel does
};

/// How many instructions of the class `name` are in `block`; 0 where its mix was not recorded.
std::uint32_t count_in(const BlockInfo& block, const char* name);

/// "4 instructions in 2 steps (1 fp32_add 1 load_global); 2 loads in 1 step, 1 group"; empty if not recorded.
std::string parallelism_text(const BlockInfo& block);

/// Bits that record the outcome of a terminator with `successors` successors: 0 for one or none, else
/// ceil(log2(successors)); stored least significant bit first.
constexpr std::uint32_t outcome_bits(std::size_t successors) {
  std::uint32_t bits = 0;
  while ((std::size_t{1} << bits) < successors) ++bits;
  return bits;
}

/// JSON forms; from_json throws InputError when a required key is missing, has another type, or an id is out
/// of range.
nlohmann::json to_json(const KernelInfo& kernel);
KernelInfo kernel_info_from_json(const nlohmann::json& json);

/// Names used in files and reports: "load", "store", "atomic", "barrier", "fence" / "private", "global", ….
const char* name_of(AccessKind kind);
const char* name_of(AddressSpace space);
AccessKind access_kind_from(const std::string& name);
AddressSpace address_space_from(const std::string& name);

}  // namespace warpscope
