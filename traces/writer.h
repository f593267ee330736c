#pragma once
// Writes a capture: NAME.part while it grows, NAME once it is sorted and indexed.
#include <memory>
#include <string>

#include "traces/capture.h"
#include "traces/work_group_trace.h"

namespace warpscope {

class CaptureWriter {
 public:
  struct Options {
    std::string options_text;  ///< how the capture was made; goes into the file's header
    int compression_level = 1;
    std::uint64_t size_limit = 0;  ///< bytes; 0 = none. Beyond it, writing throws InputError
  };
  /// Opens `path`.part. `path` "-" spools to an unnamed temporary file and copies to standard output at the
  /// end.
  CaptureWriter(const std::string& path, const Options& options);
  ~CaptureWriter();  ///< without finish(): the .part file stays, readable up to its last complete chunk
  CaptureWriter(const CaptureWriter&) = delete;
  CaptureWriter& operator=(const CaptureWriter&) = delete;

  /// Before the first work-group of a launch; buffers first seen in this launch first. Not thread-safe.
  void add_buffer(const BufferInfo& buffer);
  void add_launch(const LaunchInfo& launch);
  /// Compresses and appends one work-group. Thread-safe; the order of calls does not change the finished
  /// file.
  void add_work_group(LaunchId launch, WorkGroupId group, std::span<const std::uint8_t> payload);
  /// Sorts the chunks by (launch, work-group) in bounded memory, appends the index, renames to the final
  /// name. Throws InputError (full disk, unwritable) and then leaves no file under the final name.
  void finish();
  [[nodiscard]] std::uint64_t bytes_written() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpscope
