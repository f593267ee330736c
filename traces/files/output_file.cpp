#include "traces/files/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "traces/base/error.h"
#include "traces/files/file_io.h"

namespace warpscope {
namespace {

constexpr std::size_t kGatherBytes = 1u << 16;

bool is_directory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// Names of .part files. Whoever takes one out owns it: its writer, or a signal that comes meanwhile. A program has few outputs at a
// time; one that finds no room here is removed by its destructor only.
constexpr std::size_t kMostNoted = 64;
std::array<std::atomic<char*>, kMostNoted> g_unfinished = {};
std::array<std::atomic<char*>, kMostNoted> g_removed = {};  // by a signal, which may free nothing
static_assert(std::atomic<char*>::is_always_lock_free, "a signal handler reads it");

char* note_unfinished(const std::string& name) {
  char* const copy = ::strdup(name.c_str());
  for (std::atomic<char*>& place : g_unfinished) {
    char* expected = nullptr;
    if (copy != nullptr && place.compare_exchange_strong(expected, copy)) return copy;
  }
  std::free(copy);
  return nullptr;
}

void forget_unfinished(char* noted) {
  for (std::atomic<char*>& place : g_unfinished) {
    char* expected = noted;
    if (noted == nullptr || !place.compare_exchange_strong(expected, nullptr)) continue;
    std::free(noted);
    return;
  }
}

}  // namespace

void remove_unfinished_outputs() {
  for (std::size_t i = 0; i < kMostNoted; ++i)
    if (char* const name = g_unfinished[i].exchange(nullptr)) {
      ::unlink(name);
      g_removed[i] = name;
    }
}

OutputFile::OutputFile(const std::string& path) : path_(path) {
  buffer_.reserve(kGatherBytes);
  if (path == "-") {
    path_ = "standard output";
    descriptor_ = STDOUT_FILENO;
    return;
  }
  if (path == "/dev/stdout" || path == "/dev/fd/1") {  // opened again, a file would have two positions
    descriptor_ = STDOUT_FILENO;
    return;
  }
  if (is_directory(path)) throw InputError(io_message(path, "write", EISDIR));
  // A device or pipe has no final name to protect.
  if (!is_special_file(path)) part_ = path + ".part";
  const std::string& name = part_.empty() ? path_ : part_;
  const int from = part_.empty() ? O_APPEND : O_TRUNC;  // /dev/stdout may be a file that has something
  if (!part_.empty()) noted_ = note_unfinished(part_);  // before it is there: a signal may come at once
  descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | from | O_CLOEXEC, 0666);
  if (descriptor_ >= 0) return;
  const int trouble = errno;
  forget_unfinished(noted_);
  throw InputError(io_message(path, "write", trouble));
}

OutputFile::~OutputFile() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  if (!committed_ && !part_.empty()) ::unlink(part_.c_str());
  forget_unfinished(noted_);
}

void OutputFile::write(std::span<const std::uint8_t> bytes) {
  if (buffer_.size() + bytes.size() > kGatherBytes) {
    flush();
    if (bytes.size() >= kGatherBytes) return write_all(descriptor_, bytes, path_);
  }
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void OutputFile::write(std::string_view text) {
  write(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

void OutputFile::flush() {
  write_all(descriptor_, buffer_, path_);
  buffer_.clear();
}

void OutputFile::commit() {
  commit_as(path_);
}

void OutputFile::commit_as(const std::string& final_path) {
  flush();
  if (descriptor_ > STDERR_FILENO) {
    // Network and quota file systems report a full disk as late as close().
    const int status = ::close(descriptor_);
    descriptor_ = -1;
    if (status != 0) throw InputError(io_message(path_, "write", errno));
  }
  if (!part_.empty() && std::rename(part_.c_str(), final_path.c_str()) != 0) {
    throw InputError(io_message(final_path, "write", errno));
  }
  committed_ = true;
  forget_unfinished(std::exchange(noted_, nullptr));
}

}  // namespace warpscope
