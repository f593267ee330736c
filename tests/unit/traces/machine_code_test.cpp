// Machine code in captures: what is written is read back, and anything else is refused.
#include "traces/program/machine_code.h"

#include <gmock/gmock.h>

#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"
#include "traces/capture/reader.h"
#include "traces/capture/writer.h"

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

TEST(MachineCode, SaysOnWhatTheLaunchDepends) {
  MachineCode code = sample_code();
  EXPECT_EQ(order_dependence(code),
            "k.cu:3 reads what other work-groups wrote (LDG.E), and 1 more; another GPU run may differ");
  code.order_dependent = {{2, "clock"}};  // without a line
  EXPECT_EQ(order_dependence(code), "instruction 0x0020 reads a clock (MOV); another GPU run may differ");
  code.instructions[1].text = "@!P0 ATOMG.E.ADD R0, [R2.64], R5";
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
