// Instructions: their text is what NVIDIA's disassembler prints, their operands and control words what the text says.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "machine/cubin/cubin.h"
#include "machine/isa/numbers.h"
#include "machine/isa/printer.h"
#include "tests/unit/machine/files.h"

namespace warpscope::machine {
namespace {

Instruction decoded(std::uint32_t architecture, const std::string& word, std::uint32_t address = 0) {
  return Decoder(architecture)
      .decode(std::stoull(word.substr(16), nullptr, 16), std::stoull(word.substr(0, 16), nullptr, 16),
              address);
}

std::string text(std::uint32_t architecture, const std::string& word, std::uint32_t address = 0) {
  return text_of(Decoder(architecture), decoded(architecture, word, address));
}

TEST(Isa, EveryRowOfTheTableCanBeRead) {
  for (const std::uint32_t architecture : {70U, 75U, 80U, 86U, 89U, 90U}) {
    const InstructionTable table(architecture);
    EXPECT_GT(table.rows().size(), 400U);
    for (const Row& row : table.rows()) EXPECT_LE(row.operands.size(), Instruction::kOperands) << row.name;
  }
}

// Facts that NVIDIA's disassembler printed, one for each notation.
TEST(Isa, TextIsThatOfTheDisassembler) {
  EXPECT_EQ(text(70, "0000000007f5e0ff00005c0003068a10"), "@!P0 IADD3 R6, P2, R3, c[0x0][0x170], RZ");
  EXPECT_EQ(text(70, "0400000007f5e1ff8000000004057810"), "IADD3 R5, P2, -R4.reuse, -0x80000000, RZ");
  EXPECT_EQ(text(70, "0000000000000000bdfdf8d92a007421"), "FADD R0, R42, -0.12400979548692703247");
  EXPECT_EQ(text(70, "00000000000000ff5f80000005068823"), "@!P0 FFMA R6, R5, 1.84467440737095516160e+19, RZ");
  EXPECT_EQ(text(70, "000000000470d820200000ff04007234"), "HSETP2.NEU.OR P0, PT, R4.H0_H0, RZ.H0_H0, !P0");
  EXPECT_EQ(text(70, "040000000014080320005a0006138a31"),
            "@!P0 HFMA2 R19, R6.reuse.H0_H0, c[0x0] [0x168].H0_H0, -R3.H0_H0");
  EXPECT_EQ(text(70, "0000000000800000000003f000000947", 0x180), "@P0 BRA P1, 0x580");
  EXPECT_EQ(text(70, "00000000000e000004f8000057397f89"), "SHFL.UP PT, R57, R87, 0x7, 0x1800");
  EXPECT_EQ(text(75, "00000000081eeb070026e00cfc0a7981"), "LDG.E.64.SYS R10, [R252.U32+UR12+0x26e0], P0");
  EXPECT_EQ(text(75, "00000000019e0f0c380000080a087364"), "TLD4.SCR.A.B R12, R8, R10, R8, 2D");
  EXPECT_EQ(text(80, "000000200c1efb24000000048a987981"),
            "LDG.E.LTC128B.64.STRONG.GPU R152, desc[UR4][R138.64], P3");
  EXPECT_EQ(text(80, "000000000b900d4a00080080604f4dae"),
            "@P4 LDGSTS.E.BYPASS.LTC128B.128 [R79+UR10+0x80], [R96.64+0x80]");
  EXPECT_EQ(text(80, "0000000000004a0a00010420240a723c"), "HMMA.SP.16832.F16 R10, R36, R32, R10, R4, 0x1");
  // What ptxas makes of dp2a.hi.s32.s32.
  EXPECT_EQ(text(80, "00000000000036040000000500097226"), "IDP.2A.HI.S16.S8 R9, R0, R5, R4");
  EXPECT_EQ(text(86, "00000000098f0e3f0000001704042291"), "@UP2 ULEA.HI.X.SX32 UR4, UR4, UR23, 0x1, UP3");
}

// What nvdisasm 11.8 prints for what ptxas 13.0 makes of PTX; descriptors of memory as in the records.
TEST(Isa, InstructionsOfHopperArePrinted) {
  EXPECT_EQ(text(90, "0001e2000800180700000a04080073b4"),
            "UTMALDG.1D.MULTICAST [UR4], [UR8], UR7, desc[UR10]");
  EXPECT_EQ(text(90, "0001e4000800010000004004063f75b2"), "SYNCS.EXCH.64 URZ, [UR6+0x40], UR4");
  EXPECT_EQ(text(90, "000066000800017f00004004000075a7"),
            "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R0+URZ+0x40], R4");
  EXPECT_EQ(text(90, "000e220008100804000040ffff0479a7"),
            "SYNCS.ARRIVE.TRANS64.OPTOUT.A1T0 R4, [UR4+0x40], RZ");
  EXPECT_EQ(text(90, "000fe60008000918e0e00000081879f0"),
            "HGMMA.64x64x16.F32 R24, gdesc[UR8].negA.negB.tnspA.tnspB, R24, gsb0");
  EXPECT_EQ(text(90, "000fe2000bf01a1848e1390438187df0"),
            "HGMMA.SP.64x64x32.F32.BF16 R24, R56, gdesc[UR4].tnspB, R24, UP0, R57, 0x1");
  EXPECT_EQ(text(90, "000fe2000b801a1800e02400041879f1"),
            "IGMMA.SP.64x24x64.S8.U8.SAT R24, gdesc[UR4], R24, UP0, R36, gsb0");
  // nvdisasm 11.8 does not know it: from PTX, wgmma.mma_async.sp.m64n128k64.f16.e4m3.e4m3, A negated.
  EXPECT_EQ(text(90, "000fe2000b80031805e03800041879f3"),
            "QGMMA.SP.64x128x64.F16.E4M3.E4M3 R24, gdesc[UR4].negA, R24, UP0, R56, gsb0");
  EXPECT_EQ(text(90, "000fe2000c10e38400000008040079a6"),
            "REDG.E.ADD.F16x4.RN.STRONG.GPU desc[UR4][R4.64], R8");
  EXPECT_EQ(text(89, "004fca00048070ff000000050005723e"),
            "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R5, R0, R5, RZ");
}

TEST(Isa, UnknownWordsStayWords) {
  EXPECT_EQ(text(90, "0123456789abcdef0123456789abcfff"), ".word 0x0123456789abcdef0123456789abcfff");
  // I2FP came with sm_86.
  EXPECT_EQ(text(75, "000000000020140000005a00000b7a45"), ".word 0x000000000020140000005a00000b7a45");
  EXPECT_EQ(text(86, "000000000020140000005a00000b7a45"), "I2FP.F32.S32 R11, c[0x0][0x168]");
}

TEST(Isa, OperandsAreTakenOutOfTheWord) {
  const Instruction add =
      decoded(70, "0400000007f5e1ff8000000004057810");  // IADD3 R5, P2, -R4.reuse, -0x80000000, RZ
  ASSERT_EQ(add.operand_count, 6);
  EXPECT_TRUE(add.operands[0].is_written());
  EXPECT_EQ(add.operands[0].kind, OperandKind::Register);
  EXPECT_EQ(add.operands[0].value, 5);
  EXPECT_EQ(add.operands[1].kind, OperandKind::Predicate);
  EXPECT_EQ(add.operands[1].value, 2);
  EXPECT_EQ(add.operands[2].value, kTruePredicate);
  EXPECT_TRUE(add.operands[3].is_negated());
  EXPECT_TRUE(add.operands[3].is_reused());
  EXPECT_EQ(add.operands[4].kind, OperandKind::Immediate);
  EXPECT_EQ(add.immediate, 0x80000000);
  EXPECT_EQ(add.operands[5].value, kZeroRegister);
  EXPECT_EQ(decoded(70, "0000000000800000000003f000000947", 0x180).immediate, 0x580);
}

TEST(Isa, ControlWordsAreDecoded) {
  // CuAssembler's guide: [B------:R-:W0:-:S01] S2R R2, SR_CTAID.X and [B0-----:R-:W-:Y:S05] IMAD R2, R2, c[0x0][0x0], R3.
  const auto with = [](std::uint64_t stall, std::uint64_t no_yield, std::uint64_t write, std::uint64_t read,
                       std::uint64_t wait) {
    return control_text(control_of(stall << 41 | no_yield << 45 | write << 46 | read << 49 | wait << 52));
  };
  EXPECT_EQ(with(1, 1, 0, 7, 0), "B------:R-:W0:-:S01");
  EXPECT_EQ(with(5, 0, 7, 7, 1), "B0-----:R-:W-:Y:S05");
  EXPECT_EQ(with(15, 1, 7, 5, 0x2a), "B-1-3-5:R5:W-:-:S15");
}

TEST(Isa, NumbersArePrintedAsTheDisassemblerDoes) {
  EXPECT_EQ(immediate_text(0x7f800000, Format::Float), "+INF ");
  EXPECT_EQ(immediate_text(0x4b800000, Format::Float), "16777216");
  EXPECT_EQ(immediate_text(0x4e6e6b27, Format::Float), "999999936");  // nvdisasm 11.8
  EXPECT_EQ(immediate_text(0x4e6e6b28, Format::Float), "1.00000000000000000000e+09");
  EXPECT_EQ(immediate_text(0x43500000, Format::Double), "1.80143985094819840000e+16");
  EXPECT_EQ(immediate_text(0xbc003c00, Format::Halves), "-1, 1");
  EXPECT_EQ(immediate_text(0x3f803f80, Format::BrainHalves), "1, 1");
  EXPECT_EQ(immediate_text(0xffffffc0, Format::Signed), "-0x40");
  EXPECT_EQ(immediate_text(0xffffffc0, Format::Unsigned), "0xffffffc0");
}

TEST(Isa, ProgramsAreKnownFromTheirFirstToTheirLastWord) {
  for (const auto& [name, architecture] :
       {std::pair{"saxpy_sm75.cubin", 75U}, std::pair{"saxpy_sm90.cubin", 90U}}) {
    const Cubin cubin(data_file(name), name);
    const Decoder decoder(architecture);
    for (const Function& function : cubin.functions()) {
      const std::vector<Instruction> code = decoder.decode(function.code.bytes());
      for (const Instruction& one : code) EXPECT_TRUE(one.is_known()) << text_of(decoder, one);
      for (const std::uint32_t exit : function.exits) EXPECT_EQ(decoder.row(code.at(exit / 16)).name, "EXIT");
    }
  }
}

/// Text of one record, and what is expected; "" where both are equal.
std::string difference(const Decoder& decoder, const std::string& line) {
  std::istringstream fields(line);
  std::string word;
  std::string address;
  std::string wanted;
  if (!std::getline(fields, word, '\t') || word.size() != 32 || !std::getline(fields, address, '\t'))
    return "";
  std::getline(fields, wanted);
  const std::string found =
      text_of(decoder, decoder.decode(std::stoull(word.substr(16), nullptr, 16),
                                      std::stoull(word.substr(0, 16), nullptr, 16),
                                      static_cast<std::uint32_t>(std::stoull(address, nullptr, 16))));
  return found == wanted ? "" : word + ": " + found + ", expected " + wanted;
}

TEST(Isa, TextOfAllRecordsIsThatOfTheDisassembler) {
  const std::filesystem::path folder =
      std::filesystem::path(WARPSCOPE_SOURCE_DIR).parent_path() / "shared/research/isa";
  if (!std::filesystem::exists(folder))
    return;  // a clone without the records: the cases above are what there is
  for (const std::uint32_t architecture : {70U, 75U, 80U, 86U}) {
    std::ifstream file(folder / ("records_sm" + std::to_string(architecture) + ".tsv"));
    ASSERT_TRUE(file);
    const Decoder decoder(architecture);
    for (std::string line; std::getline(file, line);) EXPECT_EQ(difference(decoder, line), "");
  }
}

}  // namespace
}  // namespace warpscope::machine
