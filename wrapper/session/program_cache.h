#pragma once
// Files on disk that several processes share: what was compiled once need not be compiled again. Knows
// neither OpenCL nor what it stores.
#include <atomic>
#include <optional>
#include <string>
#include <string_view>

namespace warpscope::layer {

class ProgramCache {
 public:
  /// `directory` is made when something is stored; empty = no cache.
  explicit ProgramCache(std::string directory) : directory_(std::move(directory)) {}

  /// Nothing if there is no entry, or a damaged one. `key`: as cache_key() makes it.
  [[nodiscard]] std::optional<std::string> find(const std::string& key) const;
  /// False when the cache cannot be written. Readers see the whole entry or none.
  bool store(const std::string& key, std::string_view content) const;
  [[nodiscard]] const std::string& directory() const { return directory_; }

 private:
  std::string directory_;
};

/// 32 hexadecimal digits: XXH3-128 of the text.
std::string cache_key(std::string_view text);
/// The same of a file's content; empty if it cannot be read.
std::string cache_key_of_file(const std::string& path);

}  // namespace warpscope::layer
