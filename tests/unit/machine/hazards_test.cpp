// What instructions read and write, and the law that control words obey.
#include "machine/isa/hazards.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "machine/cubin/cubin.h"
#include "machine/isa/printer.h"

namespace warpscope::machine {
namespace {

Effects effects(std::uint32_t architecture, const std::string& word) {
  const Decoder decoder(architecture);
  return effects_of(decoder, decoder.decode(std::stoull(word.substr(16), nullptr, 16),
                                            std::stoull(word.substr(0, 16), nullptr, 16), 0));
}

std::vector<std::size_t> numbers(const std::bitset<256>& set) {
  std::vector<std::size_t> found;
  for (std::size_t number = 0; number < set.size(); ++number)
    if (set[number]) found.push_back(number);
  return found;
}

using ::testing::ElementsAre;

TEST(Effects, WidthsFollowTheInstruction) {
  // LDG.E.64.SYS R10, [R252.U32+UR12+0x26e0], P0: the address is a uniform pair and an offset of 32 bits.
  const Effects load = effects(75, "00000000081eeb070026e00cfc0a7981");
  EXPECT_THAT(numbers(load.writes.registers), ElementsAre(10, 11));
  EXPECT_THAT(numbers(load.reads.registers), ElementsAre(252));
  EXPECT_TRUE(load.reads.uniform[12] && load.reads.uniform[13]);
  EXPECT_EQ(load.access_bytes, 8);
  EXPECT_EQ(load.space, MemorySpace::Global);
  EXPECT_TRUE(load.loads && !load.stores);
  // @!P0 DMUL R16, R4, R10
  const Effects product = effects(70, "00000000000000000000000a04108228");
  EXPECT_THAT(numbers(product.reads.registers), ElementsAre(4, 5, 10, 11));
  EXPECT_THAT(numbers(product.writes.registers), ElementsAre(16, 17));
  EXPECT_EQ(product.reads.predicates, 1);
  // I2F.F64 R6, R5: 32 bits in, 64 out. F2F.F32.F64 R16, R12: the other way round.
  EXPECT_THAT(numbers(effects(70, "0000000000201c000000000500067312").writes.registers), ElementsAre(6, 7));
  EXPECT_THAT(numbers(effects(70, "0000000000201c000000000500067312").reads.registers), ElementsAre(5));
  EXPECT_THAT(numbers(effects(70, "00000000003010000000000c00107310").writes.registers), ElementsAre(16));
  EXPECT_THAT(numbers(effects(70, "00000000003010000000000c00107310").reads.registers), ElementsAre(12, 13));
  // HMMA.16816.F32 R4, R36, R40, R4 (PTX ISA, m16n8k16: four, two and four registers).
  const Effects matrix = effects(80, "0400000000001804000000282404723c");
  EXPECT_THAT(numbers(matrix.reads.registers), ElementsAre(4, 5, 6, 7, 36, 37, 38, 39, 40, 41));
  EXPECT_THAT(numbers(matrix.writes.registers), ElementsAre(4, 5, 6, 7));
}

// PTX ISA, fragments of wgmma: D of m64n64 in single precision is 32 registers of each of 128 threads, A of k16 four; of mma.sp m16n8k32 A, B
// and C are four registers each.
TEST(Effects, MatricesAreAsWideAsTheirShapeSays) {
  const Effects group =
      effects(90, "000fe6000b800818c0e0000438187df0");  // HGMMA.64x64x16.F32 R24, R56, …, R24
  EXPECT_EQ(group.writes.registers.count(), 32U);
  EXPECT_EQ(group.reads.registers.count(), 36U);
  EXPECT_TRUE(group.writes.registers[55] && !group.writes.registers[56] && group.reads.registers[59]);
  // HMMA.SP.16832.F16 R10, R36, R32, R10, R4, 0x1: C in half precision is two registers.
  const Effects sparse = effects(80, "0000000000004a0a00010420240a723c");
  EXPECT_THAT(numbers(sparse.reads.registers), ElementsAre(4, 10, 11, 32, 33, 34, 35, 36, 37, 38, 39));
  EXPECT_THAT(numbers(sparse.writes.registers), ElementsAre(10, 11));
}

/// Cycles from a write of the arithmetic pipes to a read of them: four from Volta on (Jia et al., arXiv 1804.06826, table 4.1). On sm_90 some
/// IMAD.WIDE read or deliver after two or three (machine/ISA.md).
std::uint32_t fewest_cycles(std::uint32_t architecture) {
  return architecture >= 90 ? 2 : 4;
}

struct Law {
  std::size_t hazards = 0;
  std::size_t uncovered = 0;  ///< by a counter that is waited for, or by enough cycles
};

Law law_of(const std::string& path, const ControlReader& control) {
  std::ifstream file(path, std::ios::binary);
  const Cubin cubin({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()}, path);
  const Decoder decoder(cubin.architecture());
  Law law;
  for (const Function& function : cubin.functions()) {
    const std::vector<Instruction> code = decoder.decode(function.code.bytes());
    for (const Hazard& one : hazards(decoder, code, control)) {
      const Pipe first = decoder.row(code[one.first]).pipe;
      const Pipe second = decoder.row(code[one.second]).pipe;
      const bool arithmetic =
          (first == Pipe::Fma || first == Pipe::Alu) && (second == Pipe::Fma || second == Pipe::Alu);
      const bool early = one.kind == HazardKind::ReadAfterWrite && one.place < Hazard::kUniform &&
                         arithmetic && !one.is_counted && one.cycles < fewest_cycles(cubin.architecture());
      ++law.hazards;
      law.uncovered += one.is_missed || early ? 1 : 0;
    }
  }
  return law;
}

std::size_t uncovered(const std::string& name, const ControlReader& control) {
  return law_of(WARPSCOPE_SOURCE_DIR "/tests/unit/machine/data/" + name, control).uncovered;
}

/// All committed cubins, or those of the folder that the environment variable WARPSCOPE_CUBINS names.
std::vector<std::string> cubins() {
  const char* const named = std::getenv("WARPSCOPE_CUBINS");
  std::vector<std::string> paths;
  const std::filesystem::path folder =
      named != nullptr ? named : WARPSCOPE_SOURCE_DIR "/tests/unit/machine/data";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".cubin") paths.push_back(entry.path().string());
  return paths;
}

TEST(Hazards, AreCoveredByStallsAndCounters) {
  const std::vector<std::string> paths = cubins();
  EXPECT_GE(paths.size(), 10U);
  std::size_t count = 0;
  for (const std::string& path : paths) {
    const Law law = law_of(path, [](const Instruction& one) { return one.control(); });
    EXPECT_EQ(law.uncovered, 0U) << path;
    count += law.hazards;
  }
  std::cout << count << " hazards of " << paths.size() << " cubins\n";
  EXPECT_GT(count, 20 * paths.size());
}

TEST(Hazards, OneWrongBitPositionBreaksTheLaw) {
  const auto with = [](auto change) {
    return uncovered("saxpy_sm75.cubin", [change](const Instruction& one) {
      Control control = one.control();
      change(one, control);
      return control;
    });
  };
  EXPECT_GT(with([](const Instruction& one, Control& control) {
              control.stall = static_cast<std::uint8_t>(one.field(106, 4));
            }),
            0U);
  EXPECT_GT(with([](const Instruction& one, Control& control) {
              control.wait_mask = static_cast<std::uint8_t>(one.field(115, 6));
            }),
            0U);
  EXPECT_GT(with([](const Instruction& one, Control& control) {
              control.write_counter = static_cast<std::uint8_t>(one.field(111, 3));
            }),
            0U);
}

}  // namespace
}  // namespace warpscope::machine
