#pragma once
// A temporary file that is written and read in large steps.
#include <cstdint>
#include <span>
#include <vector>

#include "traces/files/file_io.h"

namespace warpscope {

/// Grows at its end, and may be cut there. The file is made when the first bytes leave the memory.
class SpoolWriter {
 public:
  /// What waits in memory; bytes are appended here, and note_growth() is called from time to time.
  [[nodiscard]] std::vector<std::uint8_t>& waiting() { return waiting_; }
  /// Throws InputError when the file cannot be written.
  void note_growth() {
    if (waiting_.size() >= kStep) flush();
  }
  void flush();
  /// Forgets what is behind `size`.
  void cut(std::uint64_t size);
  [[nodiscard]] std::uint64_t size() const { return written_ + waiting_.size(); }

 private:
  friend class SpoolReader;
  static constexpr std::size_t kStep = 1u << 20;
  Descriptor file_;
  std::uint64_t written_ = 0;
  std::vector<std::uint8_t> waiting_;
};

/// Reads a stretch of a spool, which must not change meanwhile.
class SpoolReader {
 public:
  /// `step`: bytes read at once.
  SpoolReader(const SpoolWriter& spool, std::uint64_t from, std::uint64_t to, std::size_t step);
  [[nodiscard]] bool at_end() const { return at_ == buffer_.size() && next_ == end_; }
  /// Not at_end().
  std::uint64_t varint();
  /// Up to `most` bytes, at least one unless at_end(); valid until the next call.
  std::span<const std::uint8_t> bytes(std::uint64_t most);

 private:
  void refill();

  const SpoolWriter* spool_;
  std::uint64_t next_;  ///< next byte of the spool that is read into the buffer
  std::uint64_t end_;
  std::size_t step_;
  std::vector<std::uint8_t> buffer_;
  std::size_t at_ = 0;
};

}  // namespace warpscope
