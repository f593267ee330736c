// The parts of the layer that know no OpenCL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"
#include "traces/capture/capture_finish.h"
#include "traces/capture/reader.h"
#include "wrapper/program/program_device.h"
#include "wrapper/session/argument_text.h"
#include "wrapper/session/program_cache.h"
#include "wrapper/session/session.h"
#include "wrapper/session/twin_compiler.h"

namespace warpscope::layer {
namespace {

using testing::TemporaryFolder;

TEST(ProgramCache, GivesBackWhatWasStored) {
  const TemporaryFolder folder;
  const ProgramCache cache(folder.file("deep/cache"));
  const std::string key = cache_key("source and options");
  EXPECT_EQ(key.size(), 32u);
  EXPECT_FALSE(cache.find(key));
  EXPECT_TRUE(cache.store(key, std::string("a\0b", 3)));
  EXPECT_EQ(cache.find(key), std::string("a\0b", 3));
  EXPECT_TRUE(cache.store(key, "other"));
  EXPECT_EQ(cache.find(key), "other");
  EXPECT_NE(cache_key("a"), cache_key("b"));
}

TEST(ProgramCache, TakesDamagedEntriesForMissing) {
  const TemporaryFolder folder;
  const ProgramCache cache(folder.file("cache"));
  cache.store("key", "content of some length");
  const std::string path = folder.file("cache/key");
  const std::string whole = testing::read_file(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    testing::write_file(path, damaged);
    EXPECT_FALSE(cache.find("key")) << i;
    testing::write_file(path, whole.substr(0, i));
    EXPECT_FALSE(cache.find("key")) << i;
  }
}

TEST(ProgramCache, WorksWithoutADirectory) {
  const TemporaryFolder folder;
  EXPECT_TRUE(ProgramCache("").store("key", "x"));
  EXPECT_FALSE(ProgramCache("").find("key"));
  testing::write_file(folder.file("file"), "");
  EXPECT_FALSE(ProgramCache(folder.file("file/cache")).store("key", "x"));
}

TEST(ProgramCache, ReadersSeeWholeEntriesWhileOthersWrite) {
  const TemporaryFolder folder;
  const ProgramCache cache(folder.file("cache"));
  const std::string contents[] = {std::string(100000, 'a'), std::string(50000, 'b')};
  cache.store("key", contents[0]);
  std::vector<std::thread> writers;
  for (const std::string& content : contents)
    writers.emplace_back([&] {
      for (int i = 0; i < 50; ++i) cache.store("key", content);
    });
  for (int i = 0; i < 200; ++i) {
    const auto found = cache.find("key");
    ASSERT_TRUE(found);
    EXPECT_TRUE(*found == contents[0] || *found == contents[1]);
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.file("cache")), {}), 1);
}

TEST(TwinCompiler, NamesASourceAfterItsFirstKernel) {
  EXPECT_EQ(name_of_source("int f();\n__kernel void go(int a) {}\nkernel void b() {}"), "go.cl");
  EXPECT_EQ(name_of_source("kernel __attribute__((reqd_work_group_size(8, 1, 1))) void  sized (int a) {}"),
            "sized.cl");
  EXPECT_EQ(name_of_source("int helper();"), "program.cl");
}

TEST(TwinCompiler, NamesASourceAfterAKernelThatIsFarDown) {
  std::string far = "// helpers\n";
  for (int i = 0; i < 4000; ++i)
    far += "#define KERNEL_SIZE_" + std::to_string(i) + " 1 // kernels, subkernel (x)\n";
  EXPECT_EQ(
      name_of_source(
          far +
          "#if RELAX == 1\n  __kernel\n#else\n  __kernel __attribute__((reqd_work_group_size(W, W, 1)))\n"
          "#endif\nvoid Xgemm(const int size) {}"),
      "Xgemm.cl");
  EXPECT_EQ(name_of_source(far + "kernel void late(int a) {}\n"), "late.cl");
  EXPECT_EQ(name_of_source(far), "program.cl");
  EXPECT_EQ(name_of_source("int my_kernel(int a); void f() {}"), "program.cl") << "part of another word";
}

TEST(TwinCompiler, AFunctionBelowACommentAboutTheKernelIsNone) {
  const std::string kernel =
      "\n__kernel __attribute__((reqd_work_group_size(8, 8, 1)))\nvoid real(__global int* a) {}\n";
  for (const char* comment : {"// Main body of the kernel. It is called below", "// the kernel",
                              "/* the kernel", " * the kernel of it", "#define KERNEL // kernel"})
    EXPECT_EQ(name_of_source(std::string(comment) + "\nstatic void helper(int a) {}" + kernel), "real.cl")
        << comment;
  EXPECT_EQ(name_of_source("int twice(int a);\nkernel\nvoid first(int a) {}" + kernel), "first.cl");
}

TEST(TwinCompiler, FindsTheLineOfAKernel) {
  const std::string text = "// add\nvoid add_all();\n\nkernel void add(int a) {}\n";
  EXPECT_EQ(line_of_kernel(text, "add"), 4u);
  EXPECT_EQ(line_of_kernel(text, "none"), 0u);
}

TEST(ArgumentText, SaysTheValueByItsType) {
  const auto text = [](const std::string& type, auto value) {
    std::uint8_t bytes[sizeof(value)];
    std::memcpy(bytes, &value, sizeof(value));
    return text_of_argument(type, bytes);
  };
  EXPECT_EQ(text("int", -3), "-3");
  EXPECT_EQ(text("uint", 0xffffffffu), "4294967295");
  EXPECT_EQ(text("unsigned int", 7u), "7");
  EXPECT_EQ(text("float", 0.5f), "0.5");
  EXPECT_EQ(text("uchar", std::uint8_t{200}), "200");
  EXPECT_EQ(text("char", std::int8_t{-5}), "-5");
  EXPECT_EQ(text("float2", std::array<float, 2>{1, 2.5f}), "1,2.5");
  EXPECT_EQ(text("struct S", std::array<std::uint8_t, 3>{1, 2, 255}), "0x0102ff");
  EXPECT_EQ(text_of_argument("int", {}), "");
  EXPECT_TRUE(is_image_type("image2d_t"));
  EXPECT_TRUE(is_image_type("__read_only image2d_t"));
  EXPECT_FALSE(is_image_type("imagined*"));
}

class SessionTest : public ::testing::Test {
 protected:
  TraceSettings settings() {
    TraceSettings result;
    result.output = folder.file("x.wtrace");
    return result;
  }
  void start(const TraceSettings& chosen) {
    write_settings(folder.file("."), chosen);
    session = std::make_unique<Session>(folder.file("."));
  }
  /// Which of ten launches, of kernels "even0", "odd1", …, are chosen.
  std::vector<int> chosen() {
    std::vector<int> result;
    for (int i = 0; i < 10; ++i) {
      if (session->wants((i % 2 == 0 ? "even" : "odd") + std::to_string(i))) {
        result.push_back(i);
        LaunchInfo launch = testing::sample_launch(session->next_launch().value(), 2, 8);
        for (std::size_t buffer = 0; i == result.front() && buffer < testing::sample_buffers().size();
             ++buffer)
          session->add_buffer(testing::sample_buffers()[buffer]);
        session->begin_launch(launch, "key");
      }
      session->count_launch();
    }
    return result;
  }
  TemporaryFolder folder;
  std::unique_ptr<Session> session;
};

TEST_F(SessionTest, ChoosesLaunchesByNumberNameAndCount) {
  TraceSettings some = settings();
  some.launches = "2-5,8";
  some.kernels = "^even";
  some.max_launches = 2;
  start(some);
  EXPECT_THAT(chosen(), ::testing::ElementsAre(2, 4));
}

TEST_F(SessionTest, TakesAllLaunchesOtherwise) {
  start(settings());
  EXPECT_EQ(chosen().size(), 10u);
}

TEST_F(SessionTest, WritesLaunchesAndTellsWhatBecameOfThem) {
  start(settings());
  EXPECT_FALSE(std::filesystem::exists(process_folder(folder.file("."), 1)));
  chosen();
  session->end_launch(LaunchId(0), testing::sample_kernel(),
                      {.totals = nullptr, .seconds = 0.5, .failure = "why"});
  session->report_untraced("something");
  session->report_untraced("something");
  session.reset();
  const std::string events = testing::read_file(process_folder(folder.file("."), 1) + kEventsFile);
  EXPECT_EQ(std::count(events.begin(), events.end(), '\n'), 1 + 10 + 1 + 1);  // the capture first
  EXPECT_THAT(events, ::testing::HasSubstr("\"why\""));
}

TEST_F(SessionTest, StopsWhenTheCaptureIsFull) {
  TraceSettings small = settings();
  small.size_limit = 6000;
  start(small);
  const std::vector<std::uint8_t> payload(100, 1);
  bool refused = false;
  chosen();
  for (std::uint32_t group = 0; group < 1000 && !refused; ++group) {
    try {
      session->add(LaunchId(0), WorkGroupId(group), payload);
    } catch (const InputError&) {
      refused = true;
    }
  }
  EXPECT_TRUE(refused);
  EXPECT_FALSE(session->wants("even"));
  EXPECT_THAT(testing::read_file(process_folder(folder.file("."), 1) + kEventsFile),
              ::testing::HasSubstr("exceed its limit"));
}

// A limit of the size of files stands for a full disk.
TEST_F(SessionTest, CountsWhatItCannotTell) {
  write_losses(folder.file("."));
  start(settings());
  session->report_untraced("before");
  EXPECT_EQ(read_losses(folder.file(".")).records, 0u);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit none{0, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &none);
  session->report_untraced("lost");
  session->report_untraced("nobody listens any more");
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_losses(folder.file(".")).records, 1u);
  EXPECT_EQ(read_losses(folder.file(".")).error, EFBIG);
  EXPECT_EQ(read_losses(folder.file("elsewhere")).records, 0u);
}

TEST_F(SessionTest, RecordsNothingWithoutAFolder) {
  const std::string place = folder.file("gone");
  std::filesystem::create_directory(place);
  write_settings(place, settings());
  Session lost(place);
  std::filesystem::remove_all(place);
  lost.begin_launch(testing::sample_launch(0, 2, 8), "key");
  EXPECT_FALSE(lost.wants("even"));
  EXPECT_THROW(lost.add(LaunchId(0), WorkGroupId(0), std::vector<std::uint8_t>(100, 1)), InputError);
}

TEST_F(SessionTest, EveryProcessHasItsOwnFile) {
  start(settings());
  Session second(folder.file("."));
  session->add_buffer(testing::sample_buffers()[0]);
  second.add_buffer(testing::sample_buffers()[0]);
  EXPECT_TRUE(std::filesystem::exists(folder.file("x.wtrace.part")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("x-2.wtrace.part")));
  EXPECT_EQ(capture_name("/a/b.wtrace", 3), "/a/b-3.wtrace");
}

TEST(DeviceLike, AnOpenLocalSizeIsTheLargestDivisorOfWholeWarps) {
  const std::uint64_t expected[][2] = {{1, 1},      {2, 2},     {96, 96},         {100, 100},
                                       {256, 256},  {320, 160}, {768, 256},       {960, 192},
                                       {1000, 250}, {1009, 1},  {1ull << 40, 256}};
  for (const auto& [global, local] : expected)
    EXPECT_EQ(open_local_size({}, {global, 1, 1}), (Dim3{local, 1, 1})) << global;
}

TEST(DeviceLike, AnOpenLocalSizeOfSeveralDimensionsFillsTheFirstOneFirst) {
  const Dim3 expected[][2] = {
      {{1024, 1024, 1}, {256, 1, 1}}, {{16, 16, 1}, {16, 16, 1}},  {{48, 48, 1}, {48, 4, 1}},
      {{100, 100, 1}, {100, 2, 1}},   {{1, 1024, 1}, {1, 256, 1}}, {{8, 8, 8}, {8, 8, 4}},
      {{33, 1024, 1}, {33, 4, 1}},    {{1, 1, 128}, {1, 1, 64}},   {{31, 31, 3}, {31, 1, 3}}};
  for (const auto& [global, local] : expected) EXPECT_EQ(open_local_size({}, global), local) << global.x;
}

TEST(DeviceLike, AnOpenLocalSizeIsTheGpus) {
  DeviceLike like;
  like.warp_size = 64;
  EXPECT_EQ(open_local_size(like, {96, 1, 1}), (Dim3{96, 1, 1}));  // no multiple of 64 divides 96
  EXPECT_EQ(open_local_size(like, {960, 1, 1}), (Dim3{192, 1, 1}));
  like.work_items = 128;
  EXPECT_EQ(open_local_size(like, {512, 1, 1}), (Dim3{128, 1, 1}));
}

TEST(DeviceLike, IsWhatAPresetKnows) {
  const DeviceLike v100 = device_like_from("V100");
  EXPECT_EQ(v100.name, "v100");
  EXPECT_EQ(v100.device_name, "NVIDIA Tesla V100");
  EXPECT_EQ(v100.global_bytes, 16ull << 30);
  EXPECT_EQ(v100.most_allocated_bytes, 4ull << 30);
  EXPECT_EQ(v100.local_bytes, 48u * 1024);
  EXPECT_EQ(device_like_from("gtx280").local_bytes, 16u * 1024);
  const DeviceLike mi100 = device_like_from("mi100");
  EXPECT_EQ(mi100.device_name, "AMD Instinct MI100");
  EXPECT_EQ(mi100.work_items, 256u);
  EXPECT_EQ(mi100.most_allocated_bytes, 0u);
  EXPECT_EQ(device_like_from("gt630").global_bytes, 0u);  // sold with several
  EXPECT_TRUE(device_like_from("common").is_gpu());
  EXPECT_FALSE(device_like_from("pocl").is_gpu());
}

TEST(Settings, ComeBackAsTheyWere) {
  const TemporaryFolder folder;
  TraceSettings settings;
  settings.output = "/x";
  settings.launches = "1-2";
  settings.size_limit = 7;
  settings.work_groups = "every:3";
  settings.pass_options = {"a", "b"};
  settings.time_only = true;
  settings.device_like = {"x", 512, {512, 256, 8}, 100, 200, 300, 400, 4, 2, 64, "y", 30, 500, 600, 700};
  write_settings(folder.file("."), settings);
  const TraceSettings read = read_settings(folder.file("."));
  EXPECT_EQ(read.output, settings.output);
  EXPECT_EQ(read.launches, settings.launches);
  EXPECT_EQ(read.size_limit, settings.size_limit);
  EXPECT_EQ(read.work_groups, settings.work_groups);
  EXPECT_EQ(read.pass_options, settings.pass_options);
  EXPECT_TRUE(read.time_only);
  EXPECT_EQ(read.device_like.name, "x");
  EXPECT_EQ(read.device_like.work_items, 512u);
  EXPECT_EQ(read.device_like.work_item_sizes, settings.device_like.work_item_sizes);
  EXPECT_EQ(read.device_like.local_bytes, 100u);
  EXPECT_EQ(read.device_like.constant_bytes, 200u);
  EXPECT_EQ(read.device_like.warp_size, 64u);
  EXPECT_EQ(read.device_like.global_bytes, 300u);
  EXPECT_EQ(read.device_like.most_allocated_bytes, 400u);
  EXPECT_EQ(read.device_like.char_vectors, 4u);
  EXPECT_EQ(read.device_like.short_vectors, 2u);
  EXPECT_EQ(read.device_like.device_name, "y");
  EXPECT_EQ(read.device_like.cores, 30u);
  EXPECT_EQ(read.device_like.cache_bytes, 500u);
  EXPECT_EQ(read.device_like.cache_line_bytes, 600u);
  EXPECT_EQ(read.device_like.clock_mhz, 700u);
  EXPECT_THROW(read_settings(folder.file("none")), InputError);
}

}  // namespace
}  // namespace warpscope::layer
