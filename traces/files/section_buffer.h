#pragma once
// Sections on their way into a file, collected so that a small one costs no system call.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traces/files/file_io.h"

namespace warpscope {

/// With a journal, what is not in the file yet is in another file that is mapped into memory: it survives
/// the process, however that ends, and recover_journal() brings it home.
class SectionBuffer {
 public:
  /// `journal`: file to create, empty = none. Throws InputError when it cannot be created.
  explicit SectionBuffer(const std::string& journal);
  ~SectionBuffer();
  SectionBuffer(const SectionBuffer&) = delete;
  SectionBuffer& operator=(const SectionBuffer&) = delete;

  /// Appends to `file`, which nobody else writes; `path` is for messages. Throws InputError (full disk): then
  /// clear() forgets what was collected.
  void add(std::span<const std::uint8_t> bytes, int file, const std::string& path);
  void flush(int file, const std::string& path);
  void clear();

 private:
  struct Journal;

  std::vector<std::uint8_t> own_;  ///< without a journal
  Journal* journal_ = nullptr;
  std::uint8_t* data_ = nullptr;
  std::size_t length_ = 0;
  std::uint64_t written_ = 0;  ///< bytes that are in the file
};

/// Writes what a journal still holds to its place in `file`; nothing if there is no journal, or an empty one.
void recover_journal(const std::string& journal, int file, const std::string& path);

}  // namespace warpscope
