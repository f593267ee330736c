#include "wrapper/session/source_file.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <tuple>

#include "wrapper/session/twin_compiler.h"

namespace warpscope::layer {
namespace fs = std::filesystem;
namespace {

constexpr int kLevelsAbove = 1;  ///< below the folder above: ../kernels/a.cl
constexpr int kMostEntries = 5000;
constexpr std::size_t kLeastText = 16;      ///< bytes; an empty program is every empty file's text
constexpr std::uintmax_t kMostBlanks = 16;  ///< bytes that may be missing at an end

std::size_t size_without_blanks(const std::string& text) {
  const std::size_t last = text.find_last_not_of(std::string(" \t\r\n\0", 5));
  return last == std::string::npos ? 0 : last + 1;
}

bool holds(const fs::path& path, const std::string& text, std::size_t size) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream read;
  read << file.rdbuf();
  const std::string content = read.str();
  return size_without_blanks(content) == size && content.compare(0, size, text, 0, size) == 0;
}

bool may_hold(const fs::directory_entry& entry, std::size_t size) {
  std::error_code error;
  if (!entry.is_regular_file(error)) return false;
  const std::uintmax_t bytes = entry.file_size(error);
  return !error && bytes >= size && bytes <= size + kMostBlanks;
}

}  // namespace

std::string file_of_text(const std::string& text, const fs::path& folder, int levels) {
  const std::size_t size = size_without_blanks(text);
  if (size < kLeastText) return "";
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  std::tuple<int, fs::path> best{levels + 1, {}};
  for (int seen = 0; !error && entry != fs::end(entry) && seen < kMostEntries;
       entry.increment(error), ++seen) {
    const bool is_hidden = entry->path().filename().string().starts_with('.');
    std::error_code unknown;
    if (entry->is_directory(unknown) && (is_hidden || entry.depth() >= levels))
      entry.disable_recursion_pending();
    const std::tuple<int, fs::path> found{entry.depth(), entry->path()};
    if (found < best && may_hold(*entry, size) && holds(entry->path(), text, size)) best = found;
  }
  return std::get<1>(best).filename().string();
}

namespace {

/// The file in the working directory, or where users of another one keep their kernels: next to the program, and one folder above either.
std::string file_of_program(const std::string& text) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  const bool is_own = !program.empty() && !program.string().starts_with("/usr/");  // not an interpreter's
  for (const fs::path& folder : {fs::current_path(error), is_own ? program : fs::path()}) {
    if (folder.empty()) continue;
    if (std::string name = file_of_text(text, folder); !name.empty()) return name;
    if (std::string name = file_of_text(text, folder.parent_path(), kLevelsAbove); !name.empty()) return name;
  }
  return "";
}

}  // namespace

std::string shown_name_of(const std::string& text) {
  static std::mutex mutex;
  static std::map<std::size_t, std::string> known;  // a program is built for several kernels
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = known.try_emplace(std::hash<std::string>{}(text));
  if (is_new) {
    entry->second = file_of_program(text);
    if (entry->second.empty()) entry->second = name_of_source(text);
  }
  return entry->second;
}

}  // namespace warpscope::layer
