// Captures that were made to harm their reader: tiny files that unpack to gigabytes, headers that nest
// without end, names that talk to the terminal; and readers and disks that go away. Always one line and
// status 2, or the listing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <zstd.h>

#include <cstdio>

#include "tests/unit/traces/samples.h"
#include "traces/base/error.h"
#include "traces/files/section.h"

namespace warpscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::TemporaryFolder;

struct ShellResult {
  int status = -1;
  std::string text;  ///< standard output and standard error
};

/// `command`: for bash; the tools are found by their names.
ShellResult shell(const std::string& command) {
  const std::string whole = "PATH=" WARPSCOPE_BIN_DIR ":$PATH bash -c '" + command + "' 2>&1";
  ShellResult result;
  FILE* pipe = ::popen(whole.c_str(), "r");
  char buffer[4096];
  while (const std::size_t count = std::fread(buffer, 1, sizeof(buffer), pipe))
    result.text.append(buffer, count);
  const int status = ::pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

/// A section whose header may say anything about `stored`.
std::string section_of(const char (&tag)[5], std::uint64_t number, const std::string& stored,
                       std::uint64_t raw_size) {
  std::vector<std::uint8_t> bytes(kSectionHeaderBytes);
  store_le(bytes.data(), section_tag(tag));
  store_le(bytes.data() + 4, static_cast<std::uint32_t>(stored.size()));
  store_le(bytes.data() + 8, static_cast<std::uint32_t>(raw_size));
  store_le(bytes.data() + 16, number);
  bytes.insert(bytes.end(), stored.begin(), stored.end());
  store_le(bytes.data() + 24, section_checksum(bytes));
  return std::string(text_of(bytes));
}

/// A zstd frame of one repeated letter.
std::string packed(std::size_t size) {
  const std::string raw(size, ' ');
  std::string stored(ZSTD_compressBound(size), '\0');
  stored.resize(ZSTD_compress(stored.data(), stored.size(), raw.data(), raw.size(), 1));
  return stored;
}

class HostileCapture : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }

  /// A capture without index whose header is `header`; what follows it is sound.
  std::string with_header(const std::string& header) const {
    testing::write_sample_capture(file("sound"), 1, 4);
    const std::string sound = testing::read_file(file("sound"));
    const auto first = parse_section_header(bytes_of(sound).subspan(8).first<kSectionHeaderBytes>());
    const std::size_t rest = 8 + kSectionHeaderBytes + first.stored_size;
    const std::size_t index = sound.find("INDX");
    testing::write_file(file("made"), sound.substr(0, 8) + section_of("FILE", 1, header, header.size()) +
                                          sound.substr(rest, index - rest));
    return file("made");
  }
  void expect_refused(const std::string& command, const std::string& message) const {
    // Far less than what the bombs unpack to; the address space of a sanitizer is another matter.
    const ShellResult result = shell(command);
    EXPECT_EQ(result.status, 2) << result.text;
    EXPECT_THAT(result.text, HasSubstr(message));
    EXPECT_EQ(std::count(result.text.begin(), result.text.end(), '\n'), 1) << result.text;
  }

  TemporaryFolder folder_;
};

TEST_F(HostileCapture, HeadersThatUnpackToFarMoreAreRefused) {
  const std::string bomb = packed(64u << 20);
  ASSERT_LT(bomb.size(), 10000u);
  testing::write_file(file("bomb"), "WSCAPTUR" + section_of("FILE", 1, bomb, 64u << 20));
  expect_refused("trace-check --partial " + file("bomb"),
                 "bytes unpack to 67108864, expected at most 1000 times");
  // A header that says 4 GiB, with as many stored bytes as make 1,000 times of them enough.
  testing::write_file(file("wide"),
                      "WSCAPTUR" + section_of("FILE", 1, std::string(5u << 20, 'x'), 0xffffffff));
  expect_refused("trace-check --partial " + file("wide"), "256 MiB of a header");
  // Work-groups may pack well, but not without end.
  const std::string header = "{\"version\": 1}";
  testing::write_file(file("chunk"), "WSCAPTUR" + section_of("FILE", 1, header, header.size()) +
                                         section_of("CHNK", 0, packed(65u << 20), 65u << 20));
  expect_refused("trace-check --partial " + file("chunk"), "bytes unpack to 68157440");
}

TEST_F(HostileCapture, AnIndexIsNotLargerThanItsFile) {
  const std::string header = "{\"version\": 1}";
  std::string bytes = "WSCAPTUR" + section_of("FILE", 1, header, header.size());
  std::vector<std::uint8_t> footer(8);
  store_le(footer.data(), std::uint64_t{bytes.size()});
  bytes += section_of("INDX", 0, packed(1u << 20), 1u << 20) + std::string(text_of(footer)) + "WSCAPEND";
  testing::write_file(file("index"), bytes);
  expect_refused("trace-view " + file("index"), "the index is larger than the file");
}

TEST_F(HostileCapture, HeadersThatNestOrOverflowAreRefused) {
  const std::string deep =
      "{\"version\": 1, \"x\": " + std::string(100000, '[') + std::string(100000, ']') + "}";
  expect_refused("trace-view --partial " + with_header(deep), "nested more than 64 deep");
  expect_refused("trace-view --partial " + with_header("{\"version\": 1, \"x\": 1e999}"),
                 "a number is too large, expected finite numbers");
}

TEST_F(HostileCapture, AHeaderOfAnotherTypeIsShown) {
  const ShellResult shown =
      shell("trace-view --partial " + with_header(R"({"version": 1, "tool": 5, "options": [1]})"));
  EXPECT_EQ(shown.status, 0) << shown.text;
  EXPECT_THAT(shown.text, HasSubstr("made by 5, options: [1]"));
}

/// A capture whose every text asks the terminal to do something.
void write_talking_capture(const std::string& path) {
  const std::string evil =
      "\x1b[2J\x07\xc2\x9b"
      "31m\r\n";
  LaunchInfo launch = testing::sample_launch(0, 1, 1);
  KernelInfo& kernel = launch.kernel.edit();
  kernel.name += evil;
  kernel.untraceable = {"a.cl:1:2: " + evil};
  kernel.registers_from = evil;
  for (ArgumentInfo& argument : kernel.arguments) argument.name = argument.type = evil;
  for (ObjectInfo& object : kernel.objects) object.name = evil;
  for (SiteInfo& site : kernel.sites) {
    site.function = site.operation = evil;
    for (SourceLocation& at : site.locations) at.file = evil;
  }
  for (ArgumentValue& value : launch.arguments.edit()) value.value = value.buffer.value() == 0 ? evil : "";
  launch.build_options = evil;
  launch.source_name = evil;
  launch.source = "int a;\n" + evil;
  CaptureWriter writer(path, {.options_text = evil});
  for (BufferInfo buffer : testing::sample_buffers()) {
    buffer.name = buffer.flags = evil;
    writer.add_buffer(buffer);
  }
  writer.add_launch(launch);
  writer.finish();
}

TEST_F(HostileCapture, NothingOfItReachesTheTerminalAsAControlCharacter) {
  write_talking_capture(file("talks"));
  for (const char* options : {"", "--summary", "--sites", "--cfg", "--source"}) {
    const ShellResult shown = shell("trace-view --partial " + std::string(options) + " " + file("talks"));
    EXPECT_EQ(shown.status, 0) << shown.text;
    for (const char* control : {"\x1b", "\x07", "\r", "\xc2\x9b"})
      EXPECT_THAT(shown.text, Not(HasSubstr(control))) << options;
    EXPECT_THAT(shown.text, HasSubstr("\\x1b[2J\\x07")) << options;
  }
  const ShellResult checked = shell("trace-check --partial $'\\''/tmp/\\e[2Jnone'\\''");
  EXPECT_EQ(checked.status, 2);
  EXPECT_THAT(checked.text, HasSubstr("trace-check: /tmp/\\x1b[2Jnone: cannot read"));
}

TEST_F(HostileCapture, MessagesDoNotRepeatLongInput) {
  const ShellResult result = shell("trace-view --format $(head -c 120000 /dev/zero | tr \\\\0 x) none");
  EXPECT_EQ(result.status, 2);
  EXPECT_LT(result.text.size(), 400u);
  EXPECT_THAT(result.text, HasSubstr("expected table or crawford"));
}

TEST_F(HostileCapture, OptionsAreCheckedBeforeTheInput) {
  expect_refused("trace-view none --format tables", "--format is");
  expect_refused("trace-view none --work-item 3", "--work-item is");
}

// More than a pipe or a stdio buffer holds.
void write_long_capture(const std::string& path) {
  LaunchInfo launch = testing::sample_launch(0, 1, 1);
  for (int line = 0; line < 20000; ++line) launch.source.edit() += "// a line of the kernel's source\n";
  CaptureWriter writer(path, {});
  for (const BufferInfo& buffer : testing::sample_buffers()) writer.add_buffer(buffer);
  writer.add_launch(launch);
  writer.finish();
}

TEST_F(HostileCapture, AReaderThatGoesAwayEndsTheListingQuietly) {
  write_long_capture(file("long"));
  for (const char* reader : {"head -1 >/dev/null", "true"}) {
    const ShellResult result =
        shell("trace-view --partial --source " + file("long") + " | " + reader + "; exit ${PIPESTATUS[0]}");
    EXPECT_EQ(result.status, 0) << reader;
    EXPECT_EQ(result.text, "") << reader;
  }
}

TEST_F(HostileCapture, OutputThatCannotBeWrittenIsOneLine) {
  write_long_capture(file("long"));
  for (const char* options : {"--source", "--json", "", "--help"}) {
    expect_refused("trace-view --partial " + std::string(options) + " " + file("long") + " >/dev/full",
                   "write");
    expect_refused("trace-view --partial " + std::string(options) + " " + file("long") + " >&-", "write");
  }
}

}  // namespace
}  // namespace warpscope
