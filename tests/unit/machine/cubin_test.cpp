// Cubins: what ptxas -v and readelf say about the files of data/ is what we read from them.
#include "machine/cubin/cubin.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string_view>

#include "machine/cubin/source_name.h"
#include "tests/unit/machine/files.h"
#include "traces/base/error.h"

namespace warpscope::machine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Function& function(const Cubin& cubin, const std::string& name) {
  for (const Function& one : cubin.functions())
    if (one.name == name) return one;
  throw InputError("no function " + name);
}

std::string refusal(std::vector<std::uint8_t> bytes) {
  try {
    Cubin(std::move(bytes), "k.cubin");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Cubin, ResourcesAreThoseThatPtxasPrints) {
  // ptxas -v: 40 and 24 registers, 584 and 8 bytes of stack (592 on sm_90), 1024 bytes smem, 360 and 380 bytes cmem[0].
  const Cubin old(data_file("saxpy_sm75.cubin"), "k.cubin");
  EXPECT_EQ(old.architecture(), 75U);
  EXPECT_EQ(function(old, "spill").registers, 40U);
  EXPECT_EQ(function(old, "spill").frame_bytes, 584U);
  EXPECT_EQ(function(old, "saxpy").registers, 24U);
  EXPECT_EQ(function(old, "saxpy").frame_bytes, 8U);
  EXPECT_EQ(function(old, "saxpy").shared_bytes, 1024U);
  EXPECT_EQ(function(old, "saxpy").constants.front().number, 0U);
  EXPECT_EQ(function(old, "saxpy").constants.front().bytes.size(), 380U);
  const Cubin young(data_file("saxpy_sm90.cubin"), "k.cubin");
  EXPECT_EQ(young.architecture(), 90U);
  EXPECT_EQ(function(young, "spill").frame_bytes, 592U);
  EXPECT_EQ(function(young, "saxpy").shared_bytes, 1024U + 1024U);  // the system keeps the first KiB of sm_90
  EXPECT_EQ(function(young, "saxpy").registers, 24U);
  EXPECT_EQ(function(young, "saxpy").barriers, 1U);
  EXPECT_TRUE(function(young, "saxpy").is_kernel);
  EXPECT_EQ(young.compiler(), "ptxas 13.0.88");
  EXPECT_FALSE(young.is_relocatable());
}

TEST(Cubin, ParametersAreThoseOfTheSource) {
  // saxpy(float, const float*, float*, int): offsets by C's rules; the bank by the architecture.
  for (const auto& [name, bank] :
       {std::pair{"saxpy_sm75.cubin", 0x160U}, std::pair{"saxpy_sm90.cubin", 0x210U}}) {
    const Cubin cubin(data_file(name), name);
    const Function& saxpy = function(cubin, "saxpy");
    std::vector<std::pair<unsigned, unsigned>> found;
    for (const KernelParameter& one : saxpy.parameters) found.emplace_back(one.offset, one.bytes);
    EXPECT_THAT(found,
                ElementsAre(std::pair{0U, 4U}, std::pair{8U, 8U}, std::pair{16U, 8U}, std::pair{24U, 4U}));
    EXPECT_EQ(saxpy.parameter_bank_offset, bank);
    EXPECT_EQ(saxpy.parameter_bytes, 28U);
  }
}

TEST(Cubin, LinesAreThoseOfTheSource) {
  const Cubin cubin(data_file("saxpy_sm90.cubin"), "k.cubin");
  const Function& saxpy = function(cubin, "saxpy");
  const LineSequence* lines = cubin.lines().of_section(saxpy.section);
  ASSERT_NE(lines, nullptr);
  // The first instruction belongs to the line of the function's name, and the code has lines 13 to 18 of the source.
  EXPECT_EQ(row_at(*lines, 0)->line, 11U);
  EXPECT_THAT(cubin.lines().files[row_at(*lines, 0)->file], HasSubstr("/tmp/warpscope-cubins/saxpy.cu"));
  bool inlined = false;
  for (const LineRow& row : lines->rows)
    if (row.inlined_at != 0 && row.line == 8) {
      inlined = true;  // weighted(), which saxpy calls in line 17
      EXPECT_EQ(lines->contexts.at(row.inlined_at - 1).line, 17U);
    }
  EXPECT_TRUE(inlined);
  EXPECT_THAT(cubin.ptx_text(), HasSubstr(".target sm_90"));
}

TEST(Cubin, RelocationsNameTheirSymbols) {
  const Cubin cubin(data_file("saxpy_sm90.cubin"), "k.cubin");
  const std::vector<ElfSection>& sections = cubin.elf().sections();
  std::vector<std::string> names;
  for (std::uint32_t number = 0; number < sections.size(); ++number)
    if (sections[number].name == ".nv.constant4")
      for (const ElfRelocation& one : cubin.elf().relocations(number))
        names.push_back(cubin.elf().symbols()[one.symbol].name);
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("vprintf", "$str", "counter"));
}

TEST(Cubin, WhatIsNoneIsRefusedInOneLine) {
  EXPECT_EQ(refusal({'h', 'i'}), "k.cubin: not an ELF file, expected one that begins with 7f 45 4c 46");
  std::vector<std::uint8_t> bytes = data_file("saxpy_sm90.cubin");
  bytes[18] = 62;
  EXPECT_THAT(refusal(bytes), HasSubstr("an ELF file of machine 62, expected a cubin (190)"));
  bytes = data_file("saxpy_sm90.cubin");
  bytes[7] = 3;
  EXPECT_THAT(refusal(bytes), HasSubstr("a cubin of OS/ABI 0x3, expected 0x33"));
}

TEST(Cubin, OfOlderToolkitsHaveTheArchitectureInTheLowByte) {
  std::vector<std::uint8_t> bytes = data_file("saxpy_sm75.cubin");
  bytes[7] = 0x33;
  bytes[8] = 7;
  bytes[48] = 75;
  EXPECT_EQ(Cubin(bytes, "k.cubin").architecture(), 75U);
}

// Offsets by hand: ELF notes have three words and the owner's name in front of what they say.
TEST(Cubin, TheArchitectureOfItsPtxIsInANote) {
  std::vector<std::uint8_t> bytes = data_file("saxpy_sm90.cubin");
  EXPECT_EQ(Cubin(bytes, "k.cubin").virtual_architecture(), 90U);
  const std::string_view owner("\xe8\x03\0\0NVIDIA Corp", 15);
  const auto note =
      std::search(bytes.begin(), bytes.end(), owner.begin(), owner.end(),
                  [](std::uint8_t byte, char one) { return byte == static_cast<std::uint8_t>(one); });
  ASSERT_NE(note, bytes.end());
  ASSERT_EQ(note[18], 90);
  note[18] = 75;
  EXPECT_EQ(Cubin(bytes, "k.cubin").virtual_architecture(), 75U);
  EXPECT_EQ(Cubin(bytes, "k.cubin").architecture(), 90U);
}

TEST(Cubin, CutShortOrChangedItIsRefusedOrRead) {
  const std::vector<std::uint8_t> whole = data_file("saxpy_sm75.cubin");
  const std::size_t needed = ElfFile(ByteView(whole, "k")).bytes().read<std::uint64_t>(40, "") + 64 * 30;
  for (std::size_t length = 0; length < needed; length += 97)
    EXPECT_NE(refusal({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}), "");
  std::uint32_t random = 1;
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::uint8_t> changed = whole;
    for (int flip = 0; flip < 4; ++flip) {
      random = random * 1664525 + 1013904223;
      changed[random % changed.size()] = static_cast<std::uint8_t>(random >> 24);
    }
    EXPECT_EQ(refusal(changed).find('\n'), std::string::npos);
  }
}

TEST(SourceName, IsThatOfTheSource) {
  // The symbols are those that nvcc 13.0 gives to kernels that were called so.
  EXPECT_EQ(source_name("saxpy"), "saxpy");
  EXPECT_EQ(source_name("_Z2mmPfi"), "mm");
  EXPECT_EQ(source_name("_ZN6cudapy3addB2v1B3cw5Ef"), "cudapy::add");
  EXPECT_EQ(source_name("_ZN2ns5plainEPf"), "ns::plain");
  EXPECT_EQ(source_name("_ZN2ns5scaleIfLi3EEEvPT_i"), "ns::scale<float, 3>");
  EXPECT_EQ(source_name("_ZN36_GLOBAL__N__43c23fa2_4_t_cu_38f32e166hiddenEPf"), "hidden");
  EXPECT_EQ(source_name("_Z4eachI3AddEvT_i"), "each<Add>");
  EXPECT_EQ(source_name("_Z1qIN2ns1PELb1EEvPT_IfLi4EE"), "q<ns::P, true>");
  EXPECT_EQ(source_name("_Z5applyIPFffEEvPfT_"), "apply<float (*)(float)>");
  EXPECT_EQ(source_name("_Zno name"), "_Zno name");
  EXPECT_EQ(source_name(""), "");
}

}  // namespace
}  // namespace warpscope::machine
