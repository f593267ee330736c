#include "traces/capture/writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <mutex>
#include <optional>

#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "traces/base/object_pool.h"
#include "traces/base/version.h"
#include "traces/capture/capture_finish.h"
#include "traces/capture/capture_format.h"
#include "traces/capture/capture_index.h"
#include "traces/files/file_io.h"
#include "traces/files/section_buffer.h"

namespace warpscope {
struct CaptureWriter::State {
  State(const std::string& target, const Options& settings);
  ~State();
  void open();
  void take_part();
  void expect_same(std::uint32_t tag, std::span<const std::uint8_t> section);
  void append(std::uint32_t tag, LaunchId launch, std::uint64_t number,
              std::span<const std::uint8_t> payload);
  StoredSection store(std::span<const std::uint8_t> section);
  void record(std::uint32_t tag, LaunchId launch, std::uint64_t number, const StoredSection& stored);
  void flush();
  void cut_back();

  std::string target;  ///< as given
  std::string part;    ///< name while it grows; empty: an unnamed file, copied to the target at the end
  Options options;
  Descriptor file;
  ObjectPool<SectionEncoder> encoders;
  std::mutex mutex;        ///< for everything below
  SectionBuffer buffer;    ///< whole sections that are not in the file yet
  std::uint64_t size = 0;  ///< bytes so far, buffered ones included
  std::optional<std::string> failure;
  bool finished = false;
  CaptureContents contents;
  std::vector<WorkGroupId> found;  ///< in the file that it goes on with
  bool is_found = false;           ///< there is one: `contents` has what comes before the work-groups
  std::size_t buffers_seen = 0;    ///< of those in `contents`, while it is found
};

CaptureWriter::State::State(const std::string& path, const Options& settings)
    : target(path), options(settings), buffer(settings.journal) {
  open();
  if (options.goes_on && !part.empty()) take_part();
  if (!is_found) {
    buffer.add(bytes_of(kCaptureMagic), file.get(), target);
    size = kMagicBytes;
  }
  nlohmann::json header{{"version", kCaptureVersion},
                        {"tool", std::string("warpscope ") + version()},
                        {"options", options.options_text}};
  if (!options.device_like.empty()) header["device_like"] = options.device_like;
  append(kFileTag, LaunchId(0), kCaptureVersion, bytes_of(dump(header)));
}

void CaptureWriter::State::open() {
  const bool special = target != "-" && is_special_file(target);
  if (special && ::access(target.c_str(), W_OK) != 0) throw InputError(io_message(target, "write", errno));
  if (special || target == "-") {
    file = open_spool();
    return;
  }
  const std::string name = target + ".part";
  file.reset(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!file.valid()) throw InputError(io_message(target, "write", errno));
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    throw InputError(target + ": another program is writing it; choose another name");
  }
  part = name;
  if (!options.goes_on && ::ftruncate(file.get(), 0) != 0)
    throw InputError(io_message(target, "write", errno));
}

/// What a run before this one left.
void CaptureWriter::State::take_part() {
  size = scan_part(file.get(), part, contents);
  if (contents.launches.size() > 1)
    throw InputError(fmt::format("{}: holds {} launches, expected one of trace-kernel KERNEL", part,
                                 contents.launches.size()));
  is_found = !contents.launches.empty();
  if (!is_found) {
    contents = {};
    size = 0;
  }
  for (const auto& chunk : contents.chunks) found.push_back(chunk.group);
  std::sort(found.begin(), found.end());
  if (::ftruncate(file.get(), static_cast<off_t>(size)) != 0 ||
      ::lseek(file.get(), static_cast<off_t>(size), SEEK_SET) < 0)
    throw InputError(io_message(target, "write", errno));
}

/// `section`, which would be written at the beginning, is what the file has there.
void CaptureWriter::State::expect_same(std::uint32_t tag, std::span<const std::uint8_t> section) {
  const StoredSection* known = &contents.file;
  if (tag == kBufferTag)
    known = buffers_seen < contents.buffers.size() ? &contents.buffers[buffers_seen++] : nullptr;
  if (tag == kLaunchTag)
    known = buffers_seen == contents.buffers.size() ? &contents.launches.front().section : nullptr;
  if (known != nullptr &&
      known->checksum == parse_section_header(section.first<kSectionHeaderBytes>()).checksum)
    return;
  throw InputError(fmt::format(
      "{}: is of another launch, other options or another version of this program, expected what this "
      "command records; leave out --resume to begin anew",
      part));
}

CaptureWriter::State::~State() {
  if (finished || part.empty()) return;
  try {
    if (!failure) flush();
  } catch (const std::exception&) {
    cut_back();
  }
  if (contents.chunks.empty() || !options.keeps_part) ::unlink(part.c_str());
}

void CaptureWriter::State::append(std::uint32_t tag, LaunchId launch, std::uint64_t number,
                                  std::span<const std::uint8_t> payload) {
  if (payload.size() < kLeastPackedBytes) {
    const ShortSection section(tag, launch, number, payload);
    const std::lock_guard lock(mutex);
    if (is_found && tag != kChunkTag) return expect_same(tag, section.bytes());
    record(tag, launch, number, store(section.bytes()));
    return;
  }
  auto encoder = encoders.acquire(options.compression_level);
  const auto section = encoder->encode(tag, launch, number, payload);
  const std::lock_guard lock(mutex);
  if (is_found && tag != kChunkTag) return expect_same(tag, section);
  record(tag, launch, number, store(section));
}

StoredSection CaptureWriter::State::store(std::span<const std::uint8_t> section) {
  if (failure) throw InputError(*failure);
  try {
    if (options.size_limit != 0 && size + section.size() > options.size_limit) {
      flush();  // what is within the limit stays
      throw InputError(
          fmt::format("{}: would exceed its limit of {} bytes; raise the limit or record fewer work-groups",
                      target, options.size_limit));
    }
    buffer.add(section, file.get(), target);
  } catch (const InputError& error) {
    failure = error.what();
    cut_back();
    throw;
  }
  const SectionHeader header = parse_section_header(section.first<kSectionHeaderBytes>());
  const StoredSection stored{{size, static_cast<std::uint32_t>(section.size())}, header.checksum};
  size += section.size();
  return stored;
}

void CaptureWriter::State::record(std::uint32_t tag, LaunchId launch, std::uint64_t number,
                                  const StoredSection& stored) {
  if (tag == kFileTag) contents.file = stored;
  if (tag == kBufferTag) contents.buffers.push_back(stored);
  if (tag == kLaunchTag) contents.launches.push_back({launch, stored, contents.buffers.size()});
  if (tag == kChunkTag) {
    contents.chunks.push_back({launch, WorkGroupId(static_cast<std::uint32_t>(number)), stored});
  }
}

void CaptureWriter::State::flush() {
  buffer.flush(file.get(), target);
}

// After a failed write: keeps the sections that are complete in the file, so that the .part file is a valid
// partial capture.
void CaptureWriter::State::cut_back() {
  buffer.clear();
  const std::uint64_t written = file_size(file.get(), target);
  std::uint64_t keep = 0;
  const auto complete = [&](const StoredSection& section) {
    const bool is_complete = section.extent.end() <= written;
    if (is_complete) keep = std::max(keep, section.extent.end());
    return is_complete;
  };
  std::erase_if(contents.chunks, [&](const auto& chunk) { return !complete(chunk.section); });
  std::erase_if(contents.launches, [&](const auto& launch) { return !complete(launch.section); });
  if (::ftruncate(file.get(), static_cast<off_t>(keep)) != 0) contents.chunks.clear();
  size = keep;
}

CaptureWriter::CaptureWriter(const std::string& path, const Options& options)
    : state_(std::make_unique<State>(path, options)) {}

CaptureWriter::~CaptureWriter() = default;

void CaptureWriter::add_buffer(const BufferInfo& buffer) {
  // The index of readers and the delta coding of locations rely on it.
  assert(state_->is_found || buffer.id.value() == state_->contents.buffers.size() + 1);
  state_->append(kBufferTag, LaunchId(0), buffer.id.value(), bytes_of(dump(to_json(buffer))));
}

void CaptureWriter::add_launch(const LaunchInfo& launch, std::optional<LaunchId> shares) {
  assert(state_->is_found || state_->contents.launches.empty() ||
         state_->contents.launches.back().id < launch.id);
  state_->append(kLaunchTag, launch.id, launch.groups().count(), bytes_of(dump(to_json(launch, shares))));
}

void CaptureWriter::add_work_group(LaunchId launch, WorkGroupId group,
                                   std::span<const std::uint8_t> payload) {
  state_->append(kChunkTag, launch, group.value(), payload);
}

void CaptureWriter::finish(const nlohmann::json& notes) {
  State& state = *state_;
  const std::lock_guard lock(state.mutex);
  if (state.failure) throw InputError(*state.failure);
  assert(!state.finished);
  try {
    state.flush();
  } catch (const InputError& error) {
    state.failure = error.what();
    state.cut_back();
    throw;
  }
  finish_capture(state.file.get(), state.part, state.target, state.contents, notes);
  state.finished = true;
}

void CaptureWriter::leave_to_parent() {
  state_->file.reset();
}

std::vector<WorkGroupId> CaptureWriter::found() const {
  return state_->found;
}

std::uint64_t CaptureWriter::bytes_written() const {
  const std::lock_guard lock(state_->mutex);
  return state_->size;
}

}  // namespace warpscope
