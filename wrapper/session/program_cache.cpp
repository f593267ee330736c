#include "wrapper/session/program_cache.h"

#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace warpscope::layer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "WSCACHE1";

std::optional<std::string> read_entry(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::optional<std::string> ProgramCache::find(const std::string& key) const {
  if (directory_.empty()) return std::nullopt;
  const auto entry = read_entry(directory_ + "/" + key);
  constexpr std::size_t kHead = kMagic.size() + sizeof(std::uint64_t);
  if (!entry || entry->size() < kHead || !entry->starts_with(kMagic)) return std::nullopt;
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, entry->data() + kMagic.size(), sizeof(checksum));
  if (XXH3_64bits(entry->data() + kHead, entry->size() - kHead) != checksum) return std::nullopt;
  return entry->substr(kHead);
}

bool ProgramCache::store(const std::string& key, std::string_view content) const {
  if (directory_.empty()) return true;
  std::error_code error;
  fs::create_directories(directory_, error);
  static std::atomic<unsigned> counter = 0;
  const std::string temporary = fmt::format("{}/{}.{}.{}", directory_, key, ::getpid(), ++counter);
  const std::uint64_t checksum = XXH3_64bits(content.data(), content.size());
  std::ofstream file(temporary, std::ios::binary);
  file << kMagic;
  file.write(reinterpret_cast<const char*>(&checksum), sizeof(checksum));
  file << content;
  file.close();
  if (file && std::rename(temporary.c_str(), (directory_ + "/" + key).c_str()) == 0) return true;
  fs::remove(temporary, error);
  return false;
}

std::string cache_key(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string cache_key_of_file(const std::string& path) {
  const auto content = read_entry(path);
  return content ? cache_key(*content) : std::string();
}

}  // namespace warpscope::layer
