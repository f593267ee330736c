#pragma once
// What a function of machine code is made of: instructions by the unit that executes them, accesses by memory and width, spilled registers;
// in total and by source line. Static: how often an instruction executes is not part of it.
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machine/cubin/cubin.h"
#include "machine/isa/effects.h"

namespace warpscope::machine {

enum class AccessKind : std::uint8_t { Load, Store, Atomic, Copy };  ///< Copy: global to shared memory

/// Accesses that are counted together. `bytes` is of one lane; 0: not known.
struct AccessClass {
  MemorySpace space = MemorySpace::None;
  AccessKind kind = AccessKind::Load;
  std::uint8_t bytes = 0;
  auto operator<=>(const AccessClass&) const = default;
};

/// Instructions that store registers on the stack, or load them from there; bytes of one lane. As ptxas -v says it: of a kernel's own code,
/// without that of the functions that it calls, which save their caller's registers.
struct Spills {
  std::uint32_t stores = 0;
  std::uint32_t store_bytes = 0;
  std::uint32_t loads = 0;
  std::uint32_t load_bytes = 0;
};

struct Tally {
  static constexpr std::size_t kPipes =
      static_cast<std::size_t>(Pipe::Branch) + 1;  ///< of pipes.def, whose last one is Branch
  std::uint32_t instructions = 0;
  std::uint32_t unknown = 0;  ///< words that are not in the table, in no class
  std::array<std::uint32_t, kPipes> by_pipe{};
  std::map<AccessClass, std::uint32_t> accesses;
  Spills spills;
};

struct LineTally {
  std::string file;  ///< path as the compiler had it
  std::uint32_t line = 0;
  Tally tally;
};

struct FunctionCounts {
  Tally total;
  std::vector<LineTally> lines;  ///< by file and line; empty without -lineinfo
};

/// Without the NOPs that fill up the end. A kernel has the functions that ptxas adds for divisions and roots in its own code. The cubin's architecture has to be one that Decoder::supports().
FunctionCounts count(const Cubin& cubin, const Function& function);

/// The access of an instruction; absent: it has none, or is not known.
std::optional<AccessClass> access_of(const Decoder& decoder, const Instruction& instruction);

/// Instructions up to the padding.
std::size_t length_without_padding(const Decoder& decoder, std::span<const Instruction> code);

/// Static shared memory of the kernel's own variables, as ptxas -v says it: without what the system keeps, which cubins of sm_90 include.
std::uint32_t own_shared_bytes(std::uint32_t architecture, const Function& function);

const char* name_of(MemorySpace space);
const char* name_of(AccessKind kind);
/// "fma" for Pipe::Fma.
const char* name_of(Pipe pipe);

}  // namespace warpscope::machine
