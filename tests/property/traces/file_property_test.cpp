// Whole files: every truncation and every flipped byte is noticed.
#include <gtest/gtest.h>

#include "tests/thinning.h"
#include "tests/unit/traces/samples.h"
#include "tests/unit/traces/stream_samples.h"
#include "traces/base/error.h"
#include "traces/capture/reader.h"
#include "traces/files/section.h"
#include "traces/stream/stream.h"

namespace warpscope {
namespace {

using testing::Random;
using testing::TemporaryFolder;

void read_everything(const std::string& path, bool partial) {
  const CaptureReader reader(path, partial);
  for (const LaunchInfo& launch : reader.launches()) {
    for (const WorkGroupId group : reader.groups(launch.id)) (void)reader.read(launch.id, group);
  }
}

bool is_refused(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError&) {
    return true;
  }
  return false;
}

TEST(CaptureProperty, EveryFlippedByteIsNoticed) {
  const TemporaryFolder folder;
  testing::write_sample_capture(folder.file("a"), 1, 3);
  const std::string whole = testing::read_file(folder.file("a"));
  Random random(1);
  for (std::size_t at = 0; at < whole.size(); at += kCaseStep) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random.below(8)));
    testing::write_file(folder.file("b"), damaged);
    ASSERT_TRUE(is_refused([&] { read_everything(folder.file("b"), false); })) << "byte " << at;
  }
}

// With --partial a damaged end (index, footer) may be given up, but then every work-group must still be
// right.
TEST(CaptureProperty, AFlippedByteNeverChangesAWorkGroup) {
  const TemporaryFolder folder;
  const auto written = testing::write_sample_capture(folder.file("a"), 1, 3);
  const std::string whole = testing::read_file(folder.file("a"));
  for (std::size_t at = 0; at < whole.size(); at += kCaseStep) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    testing::write_file(folder.file("b"), damaged);
    try {
      const CaptureReader reader(folder.file("b"), true);
      for (const WorkGroupTrace& trace : written) {
        ASSERT_TRUE(testing::same(reader.read(trace.launch, trace.group), trace)) << "byte " << at;
      }
    } catch (const InputError&) {
      continue;
    }
  }
}

TEST(CaptureProperty, EveryTruncationIsNoticedAndWholeWorkGroupsSurvive) {
  const TemporaryFolder folder;
  const auto written = testing::write_sample_capture(folder.file("a"), 2, 3);
  const std::string whole = testing::read_file(folder.file("a"));
  std::size_t before = 0;
  for (std::size_t size = 0; size < whole.size(); size += kCaseStep) {
    testing::write_file(folder.file("b"), whole.substr(0, size));
    ASSERT_TRUE(is_refused([&] { read_everything(folder.file("b"), false); })) << "size " << size;
    std::size_t intact = 0;
    try {
      const CaptureReader reader(folder.file("b"), true);
      for (const LaunchInfo& launch : reader.launches()) intact += reader.groups(launch.id).size();
      for (std::size_t i = 0; i < intact; ++i) {
        ASSERT_TRUE(testing::same(reader.read(written[i].launch, written[i].group), written[i]))
            << "size " << size;
      }
    } catch (const InputError&) {
      intact = 0;
    }
    ASSERT_TRUE(intact == before || intact == before + 1) << "size " << size;
    before = intact;
  }
  EXPECT_EQ(before, written.size());
}

TEST(StreamProperty, EveryFlippedByteAndTruncationIsNoticed) {
  const TemporaryFolder folder;
  testing::write_sample_stream(folder.file("a"), testing::random_accesses(3, 40));
  const std::string whole = testing::read_file(folder.file("a"));
  const auto refused = [&](const std::string& content, bool partial) {
    testing::write_file(folder.file("b"), content);
    return is_refused([&] {
      testing::CollectingSink sink;
      read_stream(folder.file("b"), sink, partial);
    });
  };
  for (std::size_t at = 0; at < whole.size(); at += kCaseStep) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x04);
    ASSERT_TRUE(refused(damaged, false)) << "byte " << at;
    ASSERT_TRUE(refused(whole.substr(0, at), false)) << "size " << at;
  }
}

TEST(StreamProperty, RandomStreamsRoundTrip) {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto accesses = testing::random_accesses(seed, 500);
    testing::write_sample_stream(folder.file("a"), accesses, seed % 2 == 0);
    testing::CollectingSink sink;
    read_stream(folder.file("a"), sink);
    ASSERT_EQ(sink.accesses, accesses) << "seed " << seed;
  }
}

// Blocks with a right checksum and damaged content are refused or stay inside the header's limits.
TEST(StreamProperty, DamagedBlocksWithARightChecksumStayInRange) {
  const TemporaryFolder folder;
  testing::write_sample_stream(folder.file("a"), testing::random_accesses(4, 30));
  const std::string whole = testing::read_file(folder.file("a"));
  for (std::uint64_t seed = 1; seed <= 3000; seed += kCaseStep) {
    Random random(seed);
    std::string damaged;
    SectionEncoder encoder;
    SectionDecoder decoder;
    damaged = whole.substr(0, kMagicBytes);
    for (std::size_t at = kMagicBytes; at < whole.size();) {
      const auto bytes = bytes_of(whole).subspan(at);
      const SectionHeader header = parse_section_header(bytes.first<kSectionHeaderBytes>());
      const auto section = bytes.first(kSectionHeaderBytes + header.stored_size);
      const auto payload = decoder.decode(section, "section");
      std::vector<std::uint8_t> changed(payload.begin(), payload.end());
      if (header.tag == section_tag("BLCK") && !changed.empty()) {
        changed[random.below(changed.size())] = static_cast<std::uint8_t>(random.next());
      }
      damaged += text_of(encoder.encode(header.tag, header.launch, header.number, changed));
      at += section.size();
    }
    testing::write_file(folder.file("b"), damaged);
    testing::CollectingSink sink;
    if (is_refused([&] { read_stream(folder.file("b"), sink); })) continue;
    for (const testing::OwnedAccess& access : sink.accesses) {
      ASSERT_LT(access.core, 3u);
      ASSERT_LT(access.site, 5u);
      ASSERT_LT(access.group, 4u);
      ASSERT_NE(access.mask, 0u);
    }
  }
}

}  // namespace
}  // namespace warpscope
