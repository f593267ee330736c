#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <thread>
#include <vector>

#include "traces/base/error.h"
#include "traces/files/file_io.h"
#include "traces/files/section.h"
#include "traces/stream/stream.h"

namespace warpscope {
namespace {

constexpr std::size_t kLookBytes = 64;
constexpr std::string_view kCrawfordTraceStart = "local size:";

// Copies what is in the pipe `from` without taking it out; waits until there is enough or the writer has
// closed.
std::size_t look_into_pipe(int from, std::span<std::uint8_t> bytes) {
  for (;;) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return 0;
    const Descriptor out(ends[0]);
    const Descriptor in(ends[1]);
    const ssize_t copied = ::tee(from, in.get(), bytes.size(), 0);
    if (copied <= 0) return 0;
    pollfd state{from, POLLIN, 0};
    ::poll(&state, 1, 0);
    const bool closed = (state.revents & POLLHUP) != 0;
    if (static_cast<std::size_t>(copied) >= kMagicBytes || closed) {
      return read_some(out.get(), bytes.first(static_cast<std::size_t>(copied)), "pipe");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::vector<std::uint8_t> first_bytes(const std::string& path) {
  std::vector<std::uint8_t> bytes(kLookBytes);
  const Descriptor file = open_input(path);
  const off_t position = ::lseek(file.get(), 0, SEEK_CUR);
  if (position >= 0) {
    bytes.resize(read_some_at(file.get(), static_cast<std::uint64_t>(position), bytes, path));
  } else if (path == "-") {
    bytes.resize(look_into_pipe(file.get(), bytes));
  } else {
    throw InputError(path + ": is a pipe, expected a file; read it as standard input");
  }
  return bytes;
}

}  // namespace

FileKind detect_file_kind(const std::string& path) {
  const std::vector<std::uint8_t> bytes = first_bytes(path);
  if (bytes.empty()) return FileKind::Empty;
  const std::string_view text = text_of(bytes);
  if (text.starts_with(kCaptureMagic)) return FileKind::Capture;
  if (text.starts_with(kStreamMagic)) return FileKind::BinaryStream;
  if (text.starts_with(kTransactionMagic)) return FileKind::TransactionStream;
  if (text.starts_with(kCrawfordTraceStart)) return FileKind::CrawfordTrace;
  // A text stream's first line: two numbers.
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t space = line.find_first_of(" \t");
  const bool two_words = space != std::string_view::npos && space > 0 &&
                         line.find_first_of("0123456789", space) != std::string_view::npos;
  if (two_words && line.find_first_not_of("0123456789 \t\r") == std::string_view::npos)
    return FileKind::TextStream;
  return FileKind::Unknown;
}

}  // namespace warpscope
