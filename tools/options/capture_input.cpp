#include "tools/options/capture_input.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <bit>
#include <cerrno>
#include <filesystem>
#include <iostream>

#include "traces/base/error.h"
#include "traces/base/printable.h"
#include "traces/crawford/crawford_import.h"
#include "traces/files/file_io.h"
#include "traces/stream/stream.h"

namespace warpscope {
namespace {

namespace po = boost::program_options;

constexpr std::uint32_t kLargestElement = 16;

std::optional<std::uint32_t> element_bytes(const OptionValues& values) {
  const auto bytes = number32_of(values, "element-bytes", 1, kLargestElement);
  if (bytes && !std::has_single_bit(*bytes))
    throw InputError(fmt::format("--element-bytes: {}, expected 1, 2, 4, 8 or 16", *bytes));
  return bytes;
}

std::string temporary_folder() {
  const std::string folder = std::filesystem::temp_directory_path().string();
  std::string name = folder + "/warpscope-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr)
    throw InputError(io_message(folder, "create a temporary folder", errno));
  return name;
}

std::string text_of(const Dim3& size) {
  return fmt::format("{} x {} x {}", size.x, size.y, size.z);
}

}  // namespace

void add_element_bytes(po::options_description& description) {
  description.add_options()("element-bytes", po::value<std::string>()->value_name("BYTES"),
                            "bytes of each access of a trace with loop counters (Crawford 2014, listing "
                            "5.1), which does not say it: "
                            "1, 2, 4, 8 or 16 (default 4, or less where addresses are not aligned to that)");
}

CaptureInput::CaptureInput(std::string path, const OptionValues& values, const char* tool)
    : path_(std::move(path)) {
  const auto bytes = element_bytes(values);
  if (path_ != "-" && is_special_file(path_)) return;
  if (detect_file_kind(path_) == FileKind::CrawfordTrace) {
    make_capture(values, tool);
  } else if (bytes) {
    throw InputError(fmt::format(
        "--element-bytes: {} says how wide its accesses are, expected the option with a trace with "
        "loop counters only",
        path_ == "-" ? "standard input" : path_));
  }
}

void CaptureInput::make_capture(const OptionValues& values, const char* tool) {
  const std::string name = path_ == "-" ? "standard input" : path_;
  folder_ = temporary_folder();
  const std::string capture = folder_ + "/" + std::filesystem::path(name).filename().string();
  const auto asked = element_bytes(values);
  const CrawfordImport made = [&] {
    try {
      return import_crawford_trace(path_, capture, asked);
    } catch (...) {
      std::error_code ignored;
      std::filesystem::remove_all(folder_, ignored);  // no destructor runs
      throw;
    }
  }();
  path_ = capture;
  std::cerr << fmt::format(
      "{}: {}: a trace with loop counters: {}, global size {} from the largest ids, in groups of {}\n", tool,
      printable(name),
      asked ? fmt::format("accesses of {} bytes", *asked)
            : fmt::format("accesses taken to be of {} bytes, or less where not aligned (--element-bytes)",
                          kCrawfordElementBytes),
      text_of(made.global), text_of(made.local));
}

CaptureInput::~CaptureInput() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

}  // namespace warpscope
