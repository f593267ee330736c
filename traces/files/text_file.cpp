#include "traces/files/text_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "traces/base/error.h"
#include "traces/files/file_io.h"

namespace warpscope {
namespace {

constexpr std::size_t kTextStep = 1u << 16;

/// Bytes behind the last newline; `before`: those of the text before this piece.
std::uint64_t open_line_bytes(std::string_view piece, std::uint64_t before) {
  const std::size_t newline = piece.rfind('\n');
  return newline == std::string_view::npos ? before + piece.size() : piece.size() - newline - 1;
}

}  // namespace

std::string read_text_file(const std::string& path, const std::string& expected) {
  const std::string name = path == "-" ? "standard input" : path;
  std::string text;
  try {
    const Descriptor file = open_input(path);
    struct stat info {};
    const bool is_regular = ::fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode);
    std::uint64_t open_line = 0;
    for (std::size_t got = kTextStep; got == kTextStep;) {
      const std::size_t old = text.size();
      text.resize(old + kTextStep);
      got = read_some(file.get(), {reinterpret_cast<std::uint8_t*>(text.data()) + old, kTextStep}, name);
      text.resize(old + got);
      open_line = open_line_bytes(std::string_view(text).substr(old), open_line);
      if (!is_regular && open_line > kMostLineBytes)
        throw InputError(name + ": has a line of more than 1 MiB and is not a regular file");
      if (text.size() > kMostTextBytes)
        throw InputError(fmt::format("{}: has more than {} MiB", name, kMostTextBytes >> 20));
    }
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}, expected {}", error.what(), expected));
  }
  return text;
}

}  // namespace warpscope
