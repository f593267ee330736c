#pragma once
// Every file that a tool writes goes through here: no partial file under the final name, one message on a full disk.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace warpscope {

class OutputFile {
 public:
  /// Opens `path`.part ("-" = standard output). Throws InputError "PATH: cannot write: No such file or directory…".
  explicit OutputFile(const std::string& path);
  ~OutputFile();  ///< without commit(): the .part file is removed
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  void write(std::span<const std::uint8_t> bytes);
  void write(std::string_view text);
  void commit();  ///< flushes, checks (a full disk shows here at the latest), renames to the final name
 private:
  std::string path_;
  int descriptor_ = -1;
  bool committed_ = false;
};

}  // namespace warpscope
