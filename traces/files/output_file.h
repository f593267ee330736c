#pragma once
// Every file that a tool writes goes through here: no partial file under the final name, one message on a
// full disk.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

class OutputFile {
 public:
  /// Opens `path`.part ("-" = standard output; a device or pipe is written directly). Throws InputError
  /// "PATH: cannot write: No such file or directory…".
  explicit OutputFile(const std::string& path);
  ~OutputFile();  ///< without commit(): the .part file is removed; remove_unfinished_outputs() is for signals
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  void write(std::span<const std::uint8_t> bytes);
  void write(std::string_view text);
  void commit();  ///< flushes, checks (a full disk shows here at the latest), renames to the final name
  void commit_as(const std::string& final_path);  ///< commit() under another name
 private:
  void flush();

  std::string path_;
  std::string
      part_;  ///< name until commit(); empty when there is no final name (standard output, devices, pipes)
  std::vector<std::uint8_t> buffer_;
  int descriptor_ = -1;
  bool committed_ = false;
  char* noted_ = nullptr;  ///< part_, for remove_unfinished_outputs()
};

/// Removes the .part files of all that are open, for a signal that is about to end the process. Async-signal-safe.
void remove_unfinished_outputs();

}  // namespace warpscope
