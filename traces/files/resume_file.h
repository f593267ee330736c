#pragma once
// What an interrupted run has done, in records that a later run of the same command takes over.
#include <cstdint>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "traces/files/file_io.h"
#include "traces/files/section.h"

namespace warpscope {

/// An 8-byte magic and checksummed sections (traces/FORMAT.md). Whatever ends the process, the records before are there: an
/// end that was cut short or is damaged is dropped. All functions throw InputError where the file cannot be read or written.
class ResumeFile {
 public:
  /// What a record is, and its number among those of its kind. A run of several stages, such as repetitions, has records
  /// of each.
  struct Key {
    std::uint32_t tag = 0;  ///< section_tag()
    std::uint32_t stage = 0;
    std::uint64_t number = 0;
    auto operator<=>(const Key&) const = default;
  };

  /// Goes on with `path`, or creates it. `identity`: an object with everything that the records depend on. Throws
  /// InputError when the file is of another identity or of no such run, and when another program has it open.
  ResumeFile(std::string path, const nlohmann::json& identity);
  ~ResumeFile();  ///< removes a file without records
  ResumeFile(const ResumeFile&) = delete;
  ResumeFile& operator=(const ResumeFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// How much is in the file, 0 at first.
  [[nodiscard]] std::size_t records() const { return places_.size(); }
  [[nodiscard]] bool has(const Key& key) const;  ///< thread-safe
  /// The numbers of the records of a kind, ascending.
  [[nodiscard]] std::vector<std::uint64_t> numbers(std::uint32_t tag, std::uint32_t stage) const;
  /// One that is there.
  [[nodiscard]] std::vector<std::uint8_t> read(const Key& key) const;
  /// Adds a record, which replaces one of this key. Thread-safe.
  void add(const Key& key, std::span<const std::uint8_t> payload);
  /// Gives back the space of a record, if it is there, where the file system can. For records of kReplaced.
  void drop(const Key& key);
  /// The run is complete.
  void remove();

  /// Records of this kind may be dropped; so they are checked only when they are read.
  static constexpr std::uint32_t kReplaced = section_tag("STAT");

 private:
  struct Place {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
  };
  void begin(const nlohmann::json& identity);
  void take(SectionScanner& sections, const nlohmann::json& identity);
  void expect_same(std::span<const std::uint8_t> section, const nlohmann::json& identity) const;

  std::string path_;
  std::string place_;  ///< the file itself, where the path is another name of it
  Descriptor file_;
  mutable std::mutex mutex_;  ///< for what follows
  SectionEncoder encoder_;
  std::map<Key, Place> places_;
  std::uint64_t size_ = 0;
};

/// 16 hex digits that differ where the content of two files does.
std::string content_hash(const std::string& path);

}  // namespace warpscope
