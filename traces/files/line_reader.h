#pragma once
// Lines of a text file with a bounded buffer.
#include <cstdint>
#include <string>
#include <string_view>

#include "traces/files/file_io.h"

namespace warpscope {

class LineReader {
 public:
  /// `path` "-" = standard input. Throws InputError when it cannot be read.
  explicit LineReader(const std::string& path)
      : name_(path == "-" ? "standard input" : path), file_(open_input(path)) {}

  /// The next line without its end; false at the end of the file. The line is valid until the next call.
  bool next(std::string_view& line);
  /// Number of the line that was read last, from 1; 0 before the first.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// Throws InputError "FILE:LINE: what" for the line that was read last.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  void fill();

  std::string name_;
  Descriptor file_;
  std::string text_;
  std::size_t position_ = 0;
  std::uint64_t number_ = 0;
  bool ended_ = false;
};

}  // namespace warpscope
