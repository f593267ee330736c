// Names of GPUs as people and nvidia-smi write them, and what is proposed for a name that is none.
#include "gpus/gpu_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpus/preset.h"

namespace warpscope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(GpuName, IgnoresCaseGapsAndTheMakersWords) {
  const std::pair<const char*, const char*> names[] = {
      {"NVIDIA GeForce RTX 3090", "rtx3090"},
      {"rtx-3090", "rtx3090"},
      {"GTX 1660 s", "gtx1660s"},
      {"GeForce GTX 1660 SUPER", "gtx1660s"},
      {"NVIDIA Jetson AGX Orin", "orin"},
      {"jetson-orin", "orin"},
      {"\tTesla  V100 ", "v100"},
      {"NVIDIA RTX A6000", "a6000"},
      {"A_100", "a100"},
      {"AMD Radeon RX 6900 XT", "rx6900xt"},
      {"GeForce GTX TITAN", "gtxtitan"},
      {"AMD Instinct MI100", "mi100"},
      {"h100", "h100"},
  };
  for (const auto& [written, name] : names) {
    EXPECT_EQ(canonical_gpu_name(written), name) << written;
    EXPECT_EQ(load_preset(written).name, name) << written;
  }
  EXPECT_EQ(canonical_gpu_name("NVIDIA"), "");
}

TEST(GpuName, ProposesNamesThatBeginAlikeOrDifferInALetterOrTwo) {
  const std::vector<std::string> known = {"a10",  "a100",    "a6000",   "gtx480", "h100",
                                          "h200", "rtx3080", "rtx3090", "v100"};
  EXPECT_THAT(similar_gpu_names("NVIDIA A100-SXM4-80GB", known), ElementsAre("a100", "a10"));
  EXPECT_THAT(similar_gpu_names("h1000", known), ElementsAre("h100"));
  EXPECT_THAT(similar_gpu_names("RTX 30", known), ElementsAre("rtx3080", "rtx3090"));
  EXPECT_THAT(similar_gpu_names("gtx 408", known), ElementsAre("gtx480"));  // two letters exchanged
  EXPECT_THAT(similar_gpu_names("voodoo", known), IsEmpty());
  EXPECT_THAT(similar_gpu_names("NVIDIA", known), IsEmpty());
  EXPECT_THAT(similar_gpu_names(std::string(1000, 'h'), known), IsEmpty());
}

}  // namespace
}  // namespace warpscope
