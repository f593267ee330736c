#include "traces/files/resume_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "traces/base/error.h"

namespace warpscope {
namespace {

constexpr std::string_view kResumeMagic = "WSRESUME";
constexpr std::uint32_t kIdentityTag = section_tag("SAME");

/// The key of the first member that differs and is no object in both, or, where there is none, of what differs in these.
std::string difference(const nlohmann::json& known, const nlohmann::json& wanted, bool is_inside = false) {
  std::string inside = "command";
  for (const auto* one : {&wanted, &known})
    for (const auto& [key, value] : one->items()) {
      if (!known.contains(key) || !wanted.contains(key)) return key;
      const nlohmann::json &before = known.at(key), &now = wanted.at(key);
      if (before == now) continue;
      if (is_inside || !before.is_object() || !now.is_object()) return key;
      inside = difference(before, now, true);
    }
  return inside;
}

}  // namespace

ResumeFile::ResumeFile(std::string path, const nlohmann::json& identity) : path_(std::move(path)) {
  file_.reset(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file_.valid()) throw InputError(io_message(path_, "write", errno));
  place_ = std::filesystem::canonical(path_).string();
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0)
    throw InputError(path_ + ": another program is writing it; wait for its end, or choose another result");
  std::vector<std::uint8_t> magic(kMagicBytes);
  magic.resize(read_some(file_.get(), magic, path_));
  if (!kResumeMagic.starts_with(text_of(magic)))
    throw InputError(path_ + ": was not left by an interrupted run, expected what --resume keeps; remove it");
  SectionScanner sections(file_.get(), path_, kMagicBytes);
  const bool is_begun = magic.size() == kMagicBytes && sections.next() == SectionScanner::Status::Section;
  is_begun ? take(sections, identity) : begin(identity);
}

ResumeFile::~ResumeFile() {
  if (file_.valid() && size_ != 0 && places_.empty()) ::unlink(place_.c_str());
}

void ResumeFile::begin(const nlohmann::json& identity) {
  const std::string text = identity.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto section = encoder_.encode(kIdentityTag, LaunchId(0), 0, bytes_of(text));
  if (::ftruncate(file_.get(), 0) != 0) throw InputError(io_message(path_, "write", errno));
  seek_to(file_.get(), 0, path_);
  try {
    write_all(file_.get(), bytes_of(kResumeMagic), path_);
    write_all(file_.get(), section, path_);
  } catch (const InputError&) {
    ::unlink(place_.c_str());
    throw;
  }
  size_ = kMagicBytes + section.size();
}

void ResumeFile::expect_same(std::span<const std::uint8_t> section, const nlohmann::json& identity) const {
  const SectionHeader header = parse_section_header(section.first<kSectionHeaderBytes>());
  if (header.tag != kIdentityTag || header.checksum != section_checksum(section))
    throw InputError(path_ + ": is damaged, expected what --resume keeps; remove it to begin anew");
  SectionDecoder decoder;
  const auto payload = decoder.decode(section, path_);
  const nlohmann::json known = nlohmann::json::parse(text_of(payload), nullptr, false);
  // Compared as text: numbers and bytes that JSON cannot hold are then what the file has, too.
  const std::string text = identity.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (text_of(payload) == text) return;
  const nlohmann::json wanted = nlohmann::json::parse(text, nullptr, false);
  throw InputError(
      fmt::format("{}: is of a run with another {}, expected one of this command; remove it to begin anew",
                  path_, known.is_object() ? difference(known, wanted) : "command"));
}

/// What a run before this one left. `sections` is at the first.
void ResumeFile::take(SectionScanner& sections, const nlohmann::json& identity) {
  expect_same(sections.section(), identity);
  size_ = sections.end();
  SectionDecoder decoder;
  while (sections.next() == SectionScanner::Status::Section) {
    const SectionHeader& header = sections.header();
    if (header.tag != kReplaced && section_checksum(sections.section()) != header.checksum) break;
    places_[{header.tag, header.launch.value(), header.number}] = {sections.offset(),
                                                                   sections.end() - sections.offset()};
    size_ = sections.end();
  }
  if (::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0)
    throw InputError(io_message(path_, "write", errno));
  seek_to(file_.get(), size_, path_);
}

bool ResumeFile::has(const Key& key) const {
  const std::lock_guard lock(mutex_);
  return places_.contains(key);
}

std::vector<std::uint64_t> ResumeFile::numbers(std::uint32_t tag, std::uint32_t stage) const {
  std::vector<std::uint64_t> numbers;
  for (auto it = places_.lower_bound({tag, stage, 0});
       it != places_.end() && it->first.tag == tag && it->first.stage == stage; ++it)
    numbers.push_back(it->first.number);
  return numbers;
}

std::vector<std::uint8_t> ResumeFile::read(const Key& key) const {
  const Place& place = places_.at(key);
  std::vector<std::uint8_t> section(place.bytes);
  if (read_some_at(file_.get(), place.offset, section, path_) != section.size())
    throw InputError(path_ + ": became shorter while it was read");
  SectionDecoder decoder;
  const auto payload = decoder.decode(section, fmt::format("{}: byte {}", path_, place.offset));
  return {payload.begin(), payload.end()};
}

void ResumeFile::add(const Key& key, std::span<const std::uint8_t> payload) {
  const std::lock_guard lock(mutex_);
  const auto section = encoder_.encode(key.tag, LaunchId(key.stage), key.number, payload);
  try {
    write_all(file_.get(), section, path_);
  } catch (const InputError&) {
    // The records before stay, and a later run goes on from them.
    if (::ftruncate(file_.get(), static_cast<off_t>(size_)) == 0) seek_to(file_.get(), size_, path_);
    throw;
  }
  places_[key] = {size_, section.size()};
  size_ += section.size();
}

void ResumeFile::drop(const Key& key) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(key);
  if (found == places_.end()) return;
  // The header stays: it says where the next section begins.
  const auto [offset, bytes] = found->second;
  static_cast<void>(::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                static_cast<off_t>(offset + kSectionHeaderBytes),
                                static_cast<off_t>(bytes - kSectionHeaderBytes)));
  places_.erase(found);
}

void ResumeFile::remove() {
  ::unlink(place_.c_str());
  file_.reset();
}

std::string content_hash(const std::string& path) {
  const Descriptor file = open_input(path);
  std::vector<std::uint8_t> bytes(kSectionHeaderBytes + (1u << 20));
  std::uint64_t hash = 0;
  while (const std::size_t count = read_some(file.get(), std::span(bytes).subspan(kSectionHeaderBytes), path))
    hash = chain_checksum(hash, section_checksum(std::span(bytes).first(kSectionHeaderBytes + count)));
  return fmt::format("{:016x}", hash);
}

}  // namespace warpscope
