#pragma once
// Sections on their way into a file, collected so that a small one costs no system call.
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpscope {

/// Threads collect in their own lanes, so that none waits for another. Sections of different lanes come
/// into the file in any order. With a journal, what is not in the file yet is in another file that is mapped
/// into memory: it survives the process, however that ends, and recover_journal() brings it home.
class SectionLanes {
 public:
  static constexpr std::uint32_t kLanes = 16;
  using OfLog = std::function<std::vector<std::uint8_t>(std::span<const std::uint64_t>)>;

  /// `journal`: file to create, empty = none. Throws InputError when it cannot be created.
  explicit SectionLanes(const std::string& journal);
  ~SectionLanes();
  SectionLanes(const SectionLanes&) = delete;
  SectionLanes& operator=(const SectionLanes&) = delete;

  /// Whose end sections are appended to, and which nobody else writes; `path` is for messages. It has
  /// `written` bytes already. Once, before anything is added.
  void open(int file, const std::string& path, std::uint64_t written);
  /// Appends to the file after what the same lane was given before; one thread at a time per lane. Throws
  /// InputError (full disk), and the same again whatever is added from then on.
  void add(std::uint32_t lane, std::span<const std::uint8_t> bytes);
  /// The log of a lane, for what is not a section yet: it survives the process, too. Its first words, up to what set_log() was last
  /// given, become a section by close_log().
  [[nodiscard]] std::span<std::uint64_t> log(std::uint32_t lane);
  void set_log(std::uint32_t lane, std::size_t words);
  /// add(), and forgets the log. The section is at most 1.5 times as large as a log.
  void close_log(std::uint32_t lane, std::span<const std::uint8_t> section);
  /// Writes what the lane has collected.
  void flush(std::uint32_t lane);
  /// Appends to the file now, before what lanes have collected. Thread-safe; throws as add() does.
  void append(std::span<const std::uint8_t> bytes);
  /// Writes what all lanes have collected; no thread may be adding. Throws as add() does.
  void flush();
  /// From now on adding throws InputError(`why`), and what lanes have collected is forgotten.
  void fail(const std::string& why);
  /// Why adding fails, if it does.
  [[nodiscard]] std::optional<std::string> failure() const;
  /// Bytes added so far, in logs, too, and those that the file had.
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Header;
  struct Lane;
  struct Memory;

  void flush(Lane& lane);
  void write(std::span<const std::uint8_t> bytes);
  void throw_failure() const;
  static void recover(Memory& memory, int file, const std::string& path, const OfLog& of_log);
  friend void recover_journal(const std::string& journal, int file, const std::string& path,
                              const OfLog& of_log);

  Memory* memory_;
  int file_ = -1;
  std::string path_;
  mutable std::mutex mutex_;  ///< guards the end of the file, and what follows
  std::optional<std::string> failure_;
};

/// Writes what a journal still holds to the end of `file`; nothing if there is no journal, or an empty one. May be
/// killed, and called again. `of_log` makes the section of a log.
void recover_journal(const std::string& journal, int file, const std::string& path,
                     const SectionLanes::OfLog& of_log);

}  // namespace warpscope
