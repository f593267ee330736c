// Machine code in captures: what is written is read back, and anything else is refused.
#include "traces/program/machine_code.h"

#include <gmock/gmock.h>

#include <array>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"
#include "traces/capture/invariants.h"
#include "traces/capture/reader.h"
#include "traces/capture/writer.h"
#include "traces/files/section.h"

namespace warpscope {
namespace {

MachineCode sample_code() {
  MachineCode code;
  code.architecture = 90;
  code.instructions = {
      {0x1, 0xfedcba9876543210, "LDG.E R0, desc[UR4][R2.64]", "global_load", "memory", "k.cu:3"},
      {0x2, 0x3, "FADD R0, R0, R1", "fp32", "fma", "k.cu:4"},
      {0x4, 0x5, "MOV R2, R0", "", "alu", ""},
      {0x6, 0x7, "EXIT", "branch", "branch", ""}};
  code.first_of_block = {0, std::nullopt, 2};
  code.order_dependent = {{0, "others"}, {2, "clock"}};
  return code;
}

const std::vector<InstructionTotals> kTotals = {{4, 128, 100}, {4, 128, 128}, {3, 96, 90}, {5, 140, 120}};

TEST(MachineCode, IsReadBackFromItsCapture) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("code.wtrace");
  {
    testing::Random random(1);
    CaptureWriter writer(path, {.options_text = "sample", .has_walks = true});
    for (const BufferInfo& buffer : testing::sample_buffers()) writer.add_buffer(buffer);
    writer.add_launch(testing::sample_launch(0, 2, 8));
    for (std::uint32_t group = 0; group < 2; ++group)
      writer.add_work_group(LaunchId(0), WorkGroupId(group),
                            encode(testing::random_trace(random, 0, group, 8)));
    writer.add_machine_code(LaunchId(0), sample_code(), kTotals);
    writer.finish();
  }
  const CaptureReader capture(path);
  EXPECT_EQ(capture.machine_code(LaunchId(0)), sample_code());
  EXPECT_EQ(capture.totals(LaunchId(0)), kTotals);
  EXPECT_EQ(capture.file_header().at("version"), 2);
  EXPECT_EQ(capture.machine_code(LaunchId(1)), std::nullopt);
  EXPECT_TRUE(capture.totals(LaunchId(1)).empty());
}

void write_capture(const std::string& path, const std::vector<MachineCode>& codes,
                   const std::vector<InstructionTotals>& totals = kTotals) {
  testing::Random random(1);
  CaptureWriter writer(path, {.options_text = "sample", .has_walks = true});
  for (const BufferInfo& buffer : testing::sample_buffers()) writer.add_buffer(buffer);
  for (std::uint32_t launch = 0; launch < codes.size(); ++launch) {
    writer.add_launch(testing::sample_launch(launch, 1, 8));
    writer.add_work_group(LaunchId(launch), WorkGroupId(0),
                          encode(testing::random_trace(random, launch, 0, 8)));
    writer.add_machine_code(LaunchId(launch), codes[launch], totals);
  }
  writer.finish();
}

MachineCode other_code() {
  MachineCode code = sample_code();
  code.instructions.edit()[3].text = "RET";
  return code;
}

MachineCode with_order(MachineCode code, std::vector<OrderedInstruction> order) {
  code.order_dependent = std::move(order);
  return code;
}

/// Sections of a kind in a file: launch, number, stored bytes.
std::vector<std::array<std::uint64_t, 3>> sections_of(const std::string& path, std::uint32_t tag) {
  const std::string bytes = testing::read_file(path);
  std::vector<std::array<std::uint64_t, 3>> found;
  for (std::size_t at = kMagicBytes; at + kSectionHeaderBytes <= bytes.size();) {
    const SectionHeader header =
        parse_section_header(bytes_of(bytes).subspan(at).first<kSectionHeaderBytes>());
    if (header.tag == tag) found.push_back({header.launch.value(), header.number, header.stored_size});
    if (header.tag == section_tag("INDX")) break;
    at += kSectionHeaderBytes + header.stored_size;
  }
  return found;
}

// Launch 2 is of the same code in other memory, launch 3 of another code, launch 4 in the memory of launch 0.
TEST(MachineCode, IsInTheCaptureOnce) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("code.wtrace");
  const MachineCode first = sample_code();
  const std::vector<MachineCode> codes = {first, with_order(first, {}),
                                          with_order(sample_code(), {{1, "atomic"}}), other_code(),
                                          with_order(first, {{3, "core"}})};
  write_capture(path, codes);
  const CaptureReader capture(path);
  for (std::uint32_t launch = 0; launch < codes.size(); ++launch) {
    EXPECT_EQ(capture.machine_code(LaunchId(launch)), codes[launch]) << launch;
    EXPECT_EQ(capture.totals(LaunchId(launch)), kTotals) << launch;
  }
  EXPECT_EQ(capture.file_header().at("version"), 3);
  const auto sections = sections_of(path, section_tag("CODE"));
  ASSERT_EQ(sections.size(), 5);
  std::vector<std::uint64_t> numbers;
  for (const auto& section : sections) {
    numbers.push_back(section[1]);
    if (section[1] != 0) {
      EXPECT_LT(section[2], 64) << section[0];
    }
  }
  EXPECT_THAT(numbers, ::testing::ElementsAre(0, 1, 1, 0, 1));
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// `path` with the number of the nth CODE section changed, and its checksum made right.
void refer(const std::string& path, std::size_t nth, std::uint64_t number) {
  std::string bytes = testing::read_file(path);
  for (std::size_t at = kMagicBytes;;) {
    auto* const section = reinterpret_cast<std::uint8_t*>(bytes.data()) + at;
    const SectionHeader header = parse_section_header(
        std::span<const std::uint8_t, kSectionHeaderBytes>(section, kSectionHeaderBytes));
    const std::size_t size = kSectionHeaderBytes + header.stored_size;
    if (header.tag == section_tag("CODE") && nth-- == 0) {
      store_le(section + 16, number);
      store_le(section + 24, section_checksum({section, size}));
      break;
    }
    at += size;
  }
  testing::write_file(path, bytes);
}

TEST(MachineCode, DamagedReferencesAreRefused) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("code.wtrace");
  const MachineCode code = sample_code();
  const auto message = [&](std::uint64_t number) {
    write_capture(path, {code, other_code(), code, code});
    refer(path, 3, number);
    const CaptureReader capture(path);
    EXPECT_EQ(capture.machine_code(LaunchId(2)), code);
    return message_of([&] { (void)capture.machine_code(LaunchId(3)); });
  };
  for (const std::uint64_t number : {3, 4, 5, 1000})  // a reference, itself, a launch that is not there
    EXPECT_THAT(message(number),
                ::testing::MatchesRegex(path + ": byte [0-9]+: code: is that of launch " +
                                        std::to_string(number - 1) +
                                        ", expected an earlier launch with its own code; capture it again"));
  EXPECT_THAT(message(0), ::testing::HasSubstr("architecture"));  // what has only order_dependent is no code
  write_capture(path, {code, with_order(code, {{9, "clock"}})});
  EXPECT_THAT(message_of([&] { (void)CaptureReader(path).machine_code(LaunchId(1)); }),
              ::testing::HasSubstr("instruction"));
  EXPECT_EQ(check_capture(CaptureReader(path)).violation_count, 1);
}

/// Captures of earlier releases have executions of functions of the system behind those of the instructions.
TEST(MachineCode, EveryInstructionHasExecutions) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.file("code.wtrace");
  const auto violations = [&](std::vector<InstructionTotals> totals) {
    write_capture(path, {sample_code()}, totals);
    return check_capture(CaptureReader(path)).violation_count;
  };
  EXPECT_EQ(violations(kTotals), 0);
  EXPECT_EQ(violations({kTotals[0], kTotals[1], kTotals[2]}), 1);
  EXPECT_EQ(violations({kTotals[0], kTotals[1], kTotals[2], kTotals[3], {1, 32, 32}}), 0);
}

TEST(MachineCode, SaysOnWhatTheLaunchDepends) {
  MachineCode code = sample_code();
  EXPECT_EQ(order_dependence(code),
            "k.cu:3 reads what other work-groups wrote (LDG.E), and 1 more; another GPU run may differ");
  code.order_dependent = {{2, "clock"}};  // without a line
  EXPECT_EQ(order_dependence(code), "instruction 0x0020 reads a clock (MOV); another GPU run may differ");
  code.instructions.edit()[1].text = "@!P0 ATOMG.E.ADD R0, [R2.64], R5";
  code.order_dependent = {{1, "atomic"}};
  EXPECT_EQ(order_dependence(code),
            "k.cu:4 uses what an atomic returned (ATOMG.E.ADD); another GPU run may differ");
  code.order_dependent = {{1, "of a later version"}};
  EXPECT_EQ(order_dependence(code),
            "k.cu:4 depends on the order of warps (ATOMG.E.ADD); another GPU run may differ");
  code.order_dependent.clear();
  EXPECT_EQ(order_dependence(code), "");
  EXPECT_FALSE(to_json(code).contains("order_dependent"));  // as in files of before
  EXPECT_EQ(machine_code_from_json(to_json(code)), code);
}

// By hand: 4 + 4 + 3 + 5 warps; of the lanes whose guard holds 100 load, 128 add, 120 branch.
TEST(MachineCode, CountersHaveTheProfilersNames) {
  const nlohmann::json counters = executed_counters(sample_code(), kTotals);
  EXPECT_EQ(counters.at("smsp__inst_executed.sum"), 16);
  EXPECT_EQ(counters.at("smsp__thread_inst_executed.sum"), 128 + 128 + 96 + 140);
  EXPECT_EQ(counters.at("smsp__thread_inst_executed_pred_on.sum"), 100 + 128 + 90 + 120);
  EXPECT_EQ(counters.at("smsp__inst_executed_op_global_ld.sum"), 4);
  EXPECT_EQ(counters.at("smsp__inst_executed_op_branch.sum"), 5);
  EXPECT_EQ(counters.at("smsp__inst_executed_pipe_lsu.sum"), 4);
  EXPECT_EQ(counters.at("smsp__inst_executed_pipe_fma.sum"), 4);
  EXPECT_EQ(counters.at("smsp__inst_executed_pipe_alu.sum"), 3);
  EXPECT_EQ(counters.at("smsp__inst_executed_pipe_cbu.sum"), 5);
  EXPECT_EQ(counters.at("smsp__inst_executed_pipe_fp64.sum"), 0);
  EXPECT_EQ(counters.at("smsp__sass_thread_inst_executed_op_memory_pred_on.sum"), 100);
  EXPECT_EQ(counters.at("smsp__sass_thread_inst_executed_op_fp32_pred_on.sum"), 128);
  EXPECT_EQ(counters.at("smsp__sass_thread_inst_executed_op_control_pred_on.sum"), 120);
  EXPECT_EQ(counters.at("smsp__sass_thread_inst_executed_op_integer_pred_on.sum"), 0);
}

TEST(MachineCode, DamagedSectionsAreRefused) {
  const nlohmann::json whole = to_json(sample_code());
  EXPECT_EQ(machine_code_from_json(whole), sample_code());
  for (const auto& [pointer, value] :
       std::vector<std::pair<const char*, nlohmann::json>>{{"/architecture", "ninety"},
                                                           {"/instructions/0/word", "12"},
                                                           {"/instructions/0/word", std::string(32, 'g')},
                                                           {"/instructions/1/text", 5},
                                                           {"/instructions", nlohmann::json::object()},
                                                           {"/first_of_block/2", 4},
                                                           {"/first_of_block/0", -1},
                                                           {"/order_dependent/0/instruction", 4},
                                                           {"/order_dependent/1/cause", 5}}) {
    nlohmann::json damaged = whole;
    damaged[nlohmann::json::json_pointer(pointer)] = value;
    EXPECT_THROW(machine_code_from_json(damaged), InputError) << pointer;
  }
  const std::vector<std::uint8_t> payload = encode_totals(kTotals);
  EXPECT_EQ(decode_totals(payload), kTotals);
  for (std::size_t size = 0; size < payload.size(); ++size)
    EXPECT_THROW(decode_totals(std::span(payload).first(size)), InputError) << size;
  std::vector<std::uint8_t> longer = payload;
  longer.push_back(0);
  EXPECT_THROW(decode_totals(longer), InputError);
}

}  // namespace
}  // namespace warpscope
