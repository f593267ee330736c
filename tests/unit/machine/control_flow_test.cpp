// Where a program counter goes: targets of branches and calls that lie anywhere, stacks that are too small, loops without an end. A launch then ends by a refusal
// or a fault of one line, or as if nothing were wrong; memory outside of its buffers is never touched.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "machine/describe/describe_kernel.h"
#include "machine/execute/base/fault.h"
#include "tests/thinning.h"
#include "tests/unit/machine/cubin_program.h"
#include "traces/base/error.h"
#include "traces/base/random.h"

namespace warpscope::machine {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::uint32_t>;

constexpr std::uint64_t kInstructions = 3000;
constexpr std::size_t kBufferWords = 1024,
                      kGuardWords = 64;  ///< of a buffer, and of the host's memory on both sides of it

/// A place in a cubin's file where an instruction names a target.
struct Target {
  std::size_t at = 0;
  std::uint32_t address = 0, section_bytes = 0;
  OperandSpec field;
};

/// Those of all sections of code.
std::vector<Target> targets_of(const std::vector<std::uint8_t>& bytes) {
  const Cubin cubin(bytes, "cubin");
  const Decoder decoder(cubin.architecture());
  std::vector<Target> found;
  for (const ElfSection& section : cubin.elf().sections()) {
    if (!section.name.starts_with(".text.")) continue;
    const auto code = section.content.bytes();
    const auto begin = static_cast<std::size_t>(code.data() - cubin.elf().bytes().bytes().data());
    for (const Instruction& one : decoder.decode(code))
      for (std::size_t slot = 0; one.is_known() && slot < one.operand_count; ++slot)
        if (one.operands[slot].kind == OperandKind::Target)
          found.push_back({begin + one.address, one.address, static_cast<std::uint32_t>(code.size()),
                           decoder.row(one).operands[slot]});
  }
  return found;
}

/// Puts the low bits of `value` into `width` bits of an instruction.
void set_bits(std::uint8_t* instruction, unsigned first, unsigned width, std::uint64_t value) {
  for (unsigned bit = 0; bit < width; ++bit) {
    std::uint8_t& byte = instruction[(first + bit) / 8];
    const auto mask = static_cast<std::uint8_t>(1U << (first + bit) % 8);
    byte = static_cast<std::uint8_t>((value >> bit & 1) != 0 ? byte | mask : byte & ~mask);
  }
}

/// Makes `to` the target: an address in the section.
void set_target(std::vector<std::uint8_t>& bytes, const Target& target, std::int64_t to) {
  const std::int64_t from = target.field.mode == 0 ? target.address + std::int64_t{kInstructionBytes} : 0;
  const std::int64_t words = (to - from) / 4;
  std::uint8_t* const instruction = &bytes.at(target.at);
  if (target.field.has_low_bits) set_bits(instruction, 16, 8, static_cast<std::uint64_t>(words));
  set_bits(instruction, target.field.bit, target.field.width,
           static_cast<std::uint64_t>(target.field.has_low_bits ? words >> 8 : words));
}

/// Where a damaged one may lie: at instructions and between them, just outside of the section, far away.
std::int64_t any_place(SplitMix64& random, const Target& target) {
  const std::int64_t end = target.section_bytes,
                     inside = static_cast<std::int64_t>(random.below(target.section_bytes));
  const std::int64_t places[] = {inside & ~std::int64_t{15},
                                 inside,
                                 target.address,
                                 target.address + 4,
                                 -16,
                                 end - 16,
                                 end,
                                 end + 16,
                                 static_cast<std::int64_t>(random.next() >> random.below(64))};
  return places[random.below(std::size(places))];
}

/// How it ended: "", or the message. Each parameter of 8 bytes is a buffer, all others are small numbers.
std::string end_of(const std::vector<std::uint8_t>& bytes) {
  try {
    const Cubin cubin(bytes, "cubin");
    const auto is_kernel = [](const Function& function) { return function.is_kernel; };
    const auto kernel = std::find_if(cubin.functions().begin(), cubin.functions().end(), is_kernel);
    const Code code(cubin, *kernel);
    const CodeFlow flow(code);
    (void)describe_kernel(code, flow);
    std::vector<Words> buffers(kernel->parameters.size(), Words(kBufferWords + 2 * kGuardWords, 7));
    DeviceMemory memory;
    LaunchSettings settings;
    settings.parameters.resize(kernel->parameter_bytes);
    for (std::uint32_t number = 0; number < buffers.size(); ++number) {
      const KernelParameter& place = kernel->parameters[number];
      std::uint64_t value = number;
      if (place.bytes == sizeof value)
        value =
            memory
                .add(reinterpret_cast<std::uint8_t*>(&buffers[number][kGuardWords]), kBufferWords * 4, number)
                .address;
      std::memcpy(settings.parameters.data() + place.offset, &value, place.bytes);
    }
    settings.groups = {2, 1, 1};
    settings.local = {64, 1, 1};
    settings.dynamic_shared_bytes = 4096;
    settings.instruction_limit = kInstructions;
    settings.resident_groups = 2;
    std::string end;
    try {
      Launch(code, memory, settings).run();
    } catch (const ExecutionFault& fault) {
      end = fault.what();
    }
    const auto is_as_before = [](std::uint32_t word) { return word == 7; };
    for (const Words& words : buffers) {
      EXPECT_TRUE(std::all_of(words.begin(), words.begin() + kGuardWords, is_as_before));
      EXPECT_TRUE(std::all_of(words.end() - kGuardWords, words.end(), is_as_before));
    }
    return end;
  } catch (const InputError& error) {
    return error.what();
  } catch (const ExecutionFault& fault) {  // what describes it finds jumps out of the code
    return fault.what();
  }
}

/// Targets of each cubin are changed one at a time, so often.
void change_targets(const std::vector<std::string>& files, std::size_t times,
                    std::map<std::string, int>& ends) {
  SplitMix64 random(20);
  for (const std::string& file : files) {
    const std::vector<std::uint8_t> bytes = data_file(file);
    const std::vector<Target> targets = targets_of(bytes);
    ASSERT_FALSE(targets.empty()) << file;
    for (std::size_t time = 0; time < times; time += kCaseStep) {
      std::vector<std::uint8_t> changed = bytes;
      const Target& target = targets[random.below(targets.size())];
      set_target(changed, target, any_place(random, target));
      SCOPED_TRACE(file + ", instruction at " + std::to_string(target.address) + ", change " +
                   std::to_string(time));
      const std::string end = end_of(changed);
      EXPECT_EQ(end.find('\n'), std::string::npos) << end;
      ++ends[end.substr(0, end.find_first_of("0123456789"))];
    }
  }
}

TEST(ControlFlow, TargetsMayBeAnywhere) {
  std::vector<std::string> files;
  for (const char* architecture : {"75", "80", "90"}) {
    files.push_back(std::string("executed/ways_sm") + architecture + ".cubin");
    for (const char* kernel : {"bitonic", "mm_tiled", "spmv_csr"})
      files.push_back(std::string("kernels/sm_") + architecture + "/" + kernel + ".cubin");
  }
  files.emplace_back("executed/waits_sm90.cubin");
  files.emplace_back("executed/collectives_sm90.cubin");
  std::map<std::string, int> ends;
  change_targets(files, 60, ends);
  for (const auto& [end, count] : ends)
    std::cout << count << " × " << (end.empty() ? "its end" : end) << "\n";
  EXPECT_GE(ends.size(), 4U);  // not all go the same way
}

/// Where the instructions of a cubin's file are: those that say which lanes go on where, and all others.
struct Places {
  std::vector<std::size_t> of_flow, others;
};

Places places_of(const std::vector<std::uint8_t>& bytes) {
  static const std::set<std::string_view> kFlow = {"BRA",   "BRX",  "BSSY", "BSYNC",    "BREAK",
                                                   "BMOV",  "CALL", "RET",  "EXIT",     "BAR",
                                                   "YIELD", "JMP",  "JMX",  "WARPSYNC", "ENDCOLLECTIVE"};
  const Cubin cubin(bytes, "cubin");
  const Decoder decoder(cubin.architecture());
  Places places;
  for (const ElfSection& section : cubin.elf().sections()) {
    if (!section.name.starts_with(".text.")) continue;
    const auto code = section.content.bytes();
    const auto begin = static_cast<std::size_t>(code.data() - cubin.elf().bytes().bytes().data());
    for (const Instruction& one : decoder.decode(code))
      (one.is_known() && kFlow.contains(decoder.row(one).name) ? places.of_flow : places.others)
          .push_back(begin + one.address);
  }
  return places;
}

/// What is done to a program: each of these leaves a program that no compiler makes.
enum class Damage { Moved, Removed, Guard, Bits, AnyBits, Count };

void damage(std::vector<std::uint8_t>& bytes, const Places& places, Damage how, SplitMix64& random) {
  const auto one_of = [&](const std::vector<std::size_t>& list) { return list[random.below(list.size())]; };
  const auto flip = [&](std::size_t at, unsigned first, unsigned bits) {
    for (std::uint64_t count = 1 + random.below(4); count != 0; --count) {
      const std::uint64_t bit = first + random.below(bits);
      bytes[at + bit / 8] = static_cast<std::uint8_t>(bytes[at + bit / 8] ^ 1U << bit % 8);
    }
  };
  const std::size_t place = one_of(places.of_flow);
  switch (how) {
    case Damage::Moved:
      std::copy_n(&bytes[place], kInstructionBytes, &bytes[one_of(places.others)]);
      return;
    case Damage::Removed:
      std::copy_n(&bytes[one_of(places.others)], kInstructionBytes, &bytes[place]);
      return;
    case Damage::Guard:
      return set_bits(&bytes[place], 12, 4, random.below(16));
    case Damage::Bits:
      return flip(place, 0, 104);
    default:
      return flip(one_of(places.others), 0, 104);
  }
}

TEST(ControlFlow, ProgramsMayBeDamaged) {
  SplitMix64 random(49);
  std::map<std::string, int> ends;
  for (const char* file : {"executed/ways_sm75", "executed/ways_sm80", "executed/ways_sm90",
                           "executed/waits_sm75", "executed/waits_sm90", "executed/memory_sm90",
                           "executed/collectives_sm90", "kernels/sm_80/spmv_csr", "choice_sm80"}) {
    const std::vector<std::uint8_t> bytes = data_file(std::string(file) + ".cubin");
    const Places places = places_of(bytes);
    ASSERT_GT(places.of_flow.size(), 2U) << file;
    for (std::size_t time = 0; time < 100; time += kCaseStep) {
      std::vector<std::uint8_t> changed = bytes;
      const auto how = static_cast<Damage>(time % static_cast<std::size_t>(Damage::Count));
      for (std::uint64_t count = 1 + random.below(3); count != 0; --count)
        damage(changed, places, how, random);
      SCOPED_TRACE(std::string(file) + ", damage " + std::to_string(time));
      const std::string end = end_of(changed);
      EXPECT_EQ(end.find('\n'), std::string::npos) << end;
      const std::string last = end.substr(end.rfind(": ") == std::string::npos ? 0 : end.rfind(": ") + 2);
      ++ends[last.substr(0, last.find_first_of("0123456789"))];
    }
  }
  for (const auto& [end, count] : ends)
    std::cout << count << " × " << (end.empty() ? "its end" : end) << "\n";
  EXPECT_GE(ends.size(), 6U);
}

class Ways : public testing::TestWithParam<std::uint32_t> {
 protected:
  static CubinProgram program() {
    return CubinProgram("executed/ways_sm" + std::to_string(GetParam()) + ".cubin", "ways");
  }
  /// What the launch ends with, for fib(deep) of three neighbours.
  static std::string end(std::uint32_t deep, std::uint64_t limit) {
    Words in = numbers_below(64, 1 << 20), out(64);
    try {
      program().buffer(in).buffer(out).number(deep).run({1, 1, 1}, {64, 1, 1}, 0, limit);
    } catch (const ExecutionFault& fault) {
      return fault.what();
    }
    return "";
  }
};

TEST_P(Ways, AreThoseOfPlainCode) {
  Words in = numbers_below(128, 1 << 20), out(128), expected;
  program().buffer(in).buffer(out).number(4U).run({2, 1, 1}, {64, 1, 1});
  const std::uint32_t fib[] = {0, 1, 1, 2, 3, 5, 8};
  for (std::uint32_t t = 0; t < 128; ++t) {
    const std::uint32_t value = in[t];
    const std::uint32_t of_case[] = {value * 3,
                                     value ^ 0x55,
                                     in[t ^ 1] + 1,
                                     (value >> 2) + 7,
                                     7,
                                     static_cast<std::uint32_t>(std::popcount(value)),
                                     value * value,
                                     in[t ^ 2] - value,
                                     0};
    std::uint32_t sum = of_case[value % 9];
    for (std::uint32_t k = 0; k < value % 7 && (sum & 31) != 5; ++k) sum = sum * 5 + k;
    sum += static_cast<std::uint32_t>((std::uint64_t{value} << 33 | t) / (t + 3));
    expected.push_back(sum + fib[4 + t % 3]);
  }
  EXPECT_EQ(out, expected);
}

TEST_P(Ways, EndWhereTheStackOrThePatienceDoes) {
  EXPECT_EQ(end(5, 0), "");
  EXPECT_THAT(end(1000, 0), HasSubstr("the stack overflows"));
  EXPECT_THAT(end(18, 20000), HasSubstr("without coming to an end (limit 20000)"));
}

TEST_P(Ways, ABranchToItselfNeverEnds) {
  const std::vector<std::uint8_t> bytes =
      data_file("executed/ways_sm" + std::to_string(GetParam()) + ".cubin");
  int endless = 0;
  for (const Target& target : targets_of(bytes)) {
    std::vector<std::uint8_t> changed = bytes;
    set_target(changed, target, target.address);
    endless += end_of(changed).find("without coming to an end (limit 3000)") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(endless, 0);
}

/// Of lanes whose numbers have the same remainder by `kinds`, a multiple of 4.
std::vector<Words> by_masks(const Words& in, std::uint32_t kinds) {
  std::vector<Words> expected(6, Words(32));
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    for (std::uint32_t other = 0; other < 32; ++other) {
      if (in[lane] % kinds != in[other] % kinds) continue;
      expected[0][lane] = in[other];  // of the last one
      expected[1][lane] |= (in[other] & 1) << other;
      expected[2][lane] |= in[other] % 7 == 5 ? 1 : 0;
      expected[3][lane] += in[other];
      expected[4][lane] = std::max(expected[4][lane], in[other]);
      expected[5][lane] ^= (in[lane] & 2) != 0 ? in[other] : in[other] + 1;
    }
  return expected;
}

TEST_P(Ways, LanesWithDifferentMasksAreApart) {
  const std::string file = "executed/masks_sm" + std::to_string(GetParam()) + ".cubin";
  for (const std::uint32_t kinds : {4U, 8U, 16U}) {
    Words in = numbers_below(32, 1 << 20), out(192);
    CubinProgram(file, "masks").buffer(in).buffer(out).number(kinds).run({1, 1, 1}, {32, 1, 1});
    const std::vector<Words> expected = by_masks(in, kinds);
    for (std::size_t what = 0; what < (GetParam() < 80 ? 3 : 6); ++what)
      EXPECT_TRUE(std::equal(expected[what].begin(), expected[what].end(),
                             out.begin() + static_cast<std::ptrdiff_t>(what * 32)))
          << kinds << " kinds, function " << what;
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, Ways, testing::Values(75, 80, 90));

}  // namespace
}  // namespace warpscope::machine
