#include "traces/files/section_lanes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <span>

#include "traces/base/error.h"
#include "traces/files/file_io.h"

namespace warpscope {
namespace {

constexpr std::size_t kLaneBytes = 1u << 15;
constexpr std::size_t kLogWords = 1u << 11;
constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

}  // namespace

struct SectionLanes::Header {
  std::atomic<std::uint64_t> written;  ///< bytes at the beginning of the file that are whole sections
  std::atomic<std::uint64_t> has_failed;
};

/// The process may be killed between any two stores: `lengths` covers only complete bytes. While they are
/// written to the file, `offset` says where; otherwise it is kNowhere. Lanes share no line of the host's caches.
struct alignas(128) SectionLanes::Lane {
  std::atomic<std::uint64_t> offset;
  /// Bytes of `data`, and 2^32 times the words of `log`: in one store a log becomes a section.
  std::atomic<std::uint64_t> lengths;
  std::uint8_t data[kLaneBytes];
  std::uint64_t log[kLogWords];

  [[nodiscard]] std::uint64_t length() const { return lengths.load(std::memory_order_acquire) & 0xffffffff; }
  [[nodiscard]] std::uint64_t log_length() const { return lengths.load(std::memory_order_acquire) >> 32; }
  void set_lengths(std::uint64_t of_data, std::uint64_t of_log) {
    lengths.store(of_data | of_log << 32, std::memory_order_release);
  }
  void forget() {
    set_lengths(0, log_length());
    offset.store(kNowhere, std::memory_order_release);
  }
  [[nodiscard]] std::span<const std::uint8_t> content() const { return {data, length()}; }
};

/// A journal's content.
struct SectionLanes::Memory {
  Header header;
  Lane lanes[kLanes];
};

SectionLanes::SectionLanes(const std::string& journal) {
  Descriptor file;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  if (!journal.empty()) {
    flags = MAP_SHARED;
    file.reset(::open(journal.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    // Allocated now, so that a full disk shows here and not as a signal when a page is first touched.
    if (!file.valid() || ::posix_fallocate(file.get(), 0, sizeof(Memory)) != 0)
      throw InputError(io_message(journal, "write", errno));
  }
  void* mapping = ::mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, flags, file.get(), 0);
  if (mapping == MAP_FAILED) throw InputError(io_message(journal, "map", errno));
  memory_ = static_cast<Memory*>(mapping);
  for (Lane& lane : memory_->lanes) {
    lane.set_lengths(0, 0);
    lane.forget();
  }
}

SectionLanes::~SectionLanes() {
  ::munmap(memory_, sizeof(Memory));
}

void SectionLanes::open(int file, const std::string& path, std::uint64_t written) {
  file_ = file;
  path_ = path;
  memory_->header.written.store(written, std::memory_order_release);
}

void SectionLanes::add(std::uint32_t number, std::span<const std::uint8_t> bytes) {
  Lane& lane = memory_->lanes[number];
  if (memory_->header.has_failed.load(std::memory_order_acquire) != 0) throw_failure();
  if (lane.length() + bytes.size() > kLaneBytes) flush(lane);
  if (bytes.size() > kLaneBytes) return append(bytes);
  const std::uint64_t begin = lane.length();
  std::copy(bytes.begin(), bytes.end(), lane.data + begin);
  lane.set_lengths(begin + bytes.size(), lane.log_length());
}

std::span<std::uint64_t> SectionLanes::log(std::uint32_t lane) {
  return memory_->lanes[lane].log;
}

void SectionLanes::set_log(std::uint32_t number, std::size_t words) {
  Lane& lane = memory_->lanes[number];
  if (memory_->header.has_failed.load(std::memory_order_acquire) != 0) throw_failure();
  lane.set_lengths(lane.length(), words);
}

void SectionLanes::close_log(std::uint32_t number, std::span<const std::uint8_t> section) {
  Lane& lane = memory_->lanes[number];
  if (memory_->header.has_failed.load(std::memory_order_acquire) != 0) throw_failure();
  static_assert(kLogWords * sizeof(std::uint64_t) * 3 / 2 < kLaneBytes);
  if (lane.length() + section.size() > kLaneBytes) flush(lane);
  const std::uint64_t begin = lane.length();
  std::copy(section.begin(), section.end(), lane.data + begin);
  lane.set_lengths(begin + section.size(), 0);
}

void SectionLanes::flush(std::uint32_t number) {
  flush(memory_->lanes[number]);
}

void SectionLanes::append(std::span<const std::uint8_t> bytes) {
  const std::lock_guard lock(mutex_);
  write(bytes);
}

void SectionLanes::flush(Lane& lane) {
  if (lane.content().empty()) return;
  const std::lock_guard lock(mutex_);
  lane.offset.store(memory_->header.written.load(std::memory_order_relaxed), std::memory_order_release);
  write(lane.content());
  lane.forget();
}

/// mutex_ is locked.
void SectionLanes::write(std::span<const std::uint8_t> bytes) {
  if (failure_) throw InputError(*failure_);
  try {
    write_all(file_, bytes, path_);
  } catch (const InputError& error) {
    failure_ = error.what();
    memory_->header.has_failed.store(1, std::memory_order_release);
    throw;
  }
  memory_->header.written.fetch_add(bytes.size(), std::memory_order_release);
}

void SectionLanes::flush() {
  for (Lane& lane : memory_->lanes) flush(lane);
}

void SectionLanes::fail(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = why;
  memory_->header.has_failed.store(1, std::memory_order_release);
}

void SectionLanes::throw_failure() const {
  throw InputError(*failure());
}

std::optional<std::string> SectionLanes::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

std::uint64_t SectionLanes::bytes() const {
  std::uint64_t sum = memory_->header.written.load(std::memory_order_acquire);
  for (const Lane& lane : memory_->lanes)
    sum += lane.content().size() + lane.log_length() * sizeof(std::uint64_t);
  return sum;
}

namespace {

void write_at(int file, std::uint64_t offset, std::span<const std::uint8_t> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw InputError(io_message(path, "write", errno));
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

}  // namespace

void recover_journal(const std::string& journal, int file, const std::string& path,
                     const SectionLanes::OfLog& of_log) {
  using Memory = SectionLanes::Memory;
  const Descriptor source(::open(journal.c_str(), O_RDWR | O_CLOEXEC));
  if (!source.valid() || file_size(source.get(), journal) != sizeof(Memory)) return;
  void* mapping = ::mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, source.get(), 0);
  if (mapping == MAP_FAILED) throw InputError(io_message(journal, "map", errno));
  const std::unique_ptr<void, void (*)(void*)> unmapped(mapping,
                                                        [](void* begin) { ::munmap(begin, sizeof(Memory)); });
  Memory& memory = *static_cast<Memory*>(mapping);
  try {
    SectionLanes::recover(memory, file, path, of_log);
  } catch (const InputError&) {
    // A program whose disk was full has been told so; it is here, too, and what is in the file stays.
    if (memory.header.has_failed.load() == 0) throw;
  }
}

/// Behind the end of the file there may be the beginning of a large section. The process may have died while it wrote
/// a lane, before it said that this was done: writing the same there again is right in both cases.
void SectionLanes::recover(Memory& memory, int file, const std::string& path, const OfLog& of_log) {
  std::uint64_t end = memory.header.written.load();
  const auto write_lane = [&](Lane& lane) {
    const std::uint64_t offset = lane.offset.load();
    write_at(file, offset, lane.content(), path);
    end = std::max(end, offset + lane.content().size());
    memory.header.written.store(end);
    lane.forget();
  };
  for (Lane& lane : memory.lanes) {
    if (lane.length() > kLaneBytes || lane.log_length() > kLogWords) return;
    if (lane.offset.load() != kNowhere && !lane.content().empty()) write_lane(lane);
  }
  if (file_size(file, path) > end && ::ftruncate(file, static_cast<off_t>(end)) != 0)
    throw InputError(io_message(path, "write", errno));
  const auto append_lane = [&](Lane& lane) {
    if (lane.content().empty()) return;
    lane.offset.store(end);
    write_lane(lane);
  };
  for (Lane& lane : memory.lanes) {
    append_lane(lane);
    if (lane.log_length() == 0) continue;
    const std::vector<std::uint8_t> section = of_log(std::span(lane.log).first(lane.log_length()));
    if (section.size() > kLaneBytes) continue;
    std::ranges::copy(section, lane.data);
    lane.set_lengths(section.size(), 0);
    append_lane(lane);
  }
}

}  // namespace warpscope
