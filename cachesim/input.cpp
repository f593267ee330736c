#include "cachesim/input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>

#include "traces/error.h"
#include "traces/file_io.h"
#include "traces/section.h"

namespace warpscope {
namespace {

/// The first bytes of standard input. tee() copies out of a pipe without taking; it may give fewer bytes than asked for
/// when the writer wrote them in pieces, which no writer of ours does with a magic.
std::size_t peek_standard_input(std::span<std::uint8_t> bytes) {
  struct stat info {};
  if (::fstat(STDIN_FILENO, &info) != 0) throw InputError(io_message("standard input", "read", errno));
  if (S_ISREG(info.st_mode)) {
    const ::ssize_t got = ::pread(STDIN_FILENO, bytes.data(), bytes.size(), ::lseek(STDIN_FILENO, 0, SEEK_CUR));
    return got < 0 ? 0 : static_cast<std::size_t>(got);
  }
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw InputError(io_message("standard input", "read", errno));
  const Descriptor read_end(ends[0]), write_end(ends[1]);
  const ::ssize_t copied = ::tee(STDIN_FILENO, write_end.get(), bytes.size(), 0);
  if (copied < 0 && errno == EINVAL)
    throw InputError("standard input is neither a pipe nor a file, expected a stream or capture; give its name instead of -");
  if (copied <= 0) return 0;
  const ::ssize_t got = ::read(read_end.get(), bytes.data(), static_cast<std::size_t>(copied));
  return got < 0 ? 0 : static_cast<std::size_t>(got);
}

}  // namespace

FileKind detect_input(const std::string& path) {
  if (path != "-") return detect_file_kind(path);
  std::array<std::uint8_t, kMagicBytes> bytes{};
  const std::size_t got = peek_standard_input(bytes);
  if (got == 0) throw InputError("standard input is empty, expected a stream or capture");
  const std::string_view magic = text_of(std::span(bytes).first(got));
  if (magic == kCaptureMagic) return FileKind::Capture;
  if (magic == kStreamMagic) return FileKind::BinaryStream;
  if (magic == kTransactionMagic) return FileKind::TransactionStream;
  return FileKind::TextStream;
}

std::string input_kind_name(FileKind kind) {
  switch (kind) {
    case FileKind::Capture:
      return "capture";
    case FileKind::BinaryStream:
      return "binary stream";
    case FileKind::TextStream:
      return "text stream";
    case FileKind::TransactionStream:
      return "transaction stream";
    case FileKind::RootTraceText:
      return "raw text trace";
    case FileKind::Unknown:
      break;
  }
  return "unknown file";
}

}  // namespace warpscope
