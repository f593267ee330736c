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
constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

}  // namespace

struct SectionLanes::Header {
  std::atomic<std::uint64_t> written;  ///< bytes at the beginning of the file that are whole sections
  std::atomic<std::uint64_t> has_failed;
};

/// The process may be killed between any two stores: `length` covers only complete bytes. While they are
/// written to the file, `offset` says where; otherwise it is kNowhere. Lanes share no line of the host's caches.
struct alignas(128) SectionLanes::Lane {
  std::atomic<std::uint64_t> offset;
  std::atomic<std::uint64_t> length;
  std::uint8_t data[kLaneBytes];

  void forget() {
    length.store(0, std::memory_order_release);
    offset.store(kNowhere, std::memory_order_release);
  }
  [[nodiscard]] std::span<const std::uint8_t> content() const {
    return {data, length.load(std::memory_order_acquire)};
  }
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
  for (Lane& lane : memory_->lanes) lane.forget();
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
  const std::uint64_t length = lane.length.load(std::memory_order_relaxed);
  if (length + bytes.size() > kLaneBytes) flush(lane);
  if (bytes.size() > kLaneBytes) return append(bytes);
  const std::uint64_t begin = lane.length.load(std::memory_order_relaxed);
  std::copy(bytes.begin(), bytes.end(), lane.data + begin);
  lane.length.store(begin + bytes.size(), std::memory_order_release);
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
  for (const Lane& lane : memory_->lanes) sum += lane.content().size();
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

void recover_journal(const std::string& journal, int file, const std::string& path) {
  using Memory = SectionLanes::Memory;
  const Descriptor source(::open(journal.c_str(), O_RDWR | O_CLOEXEC));
  if (!source.valid() || file_size(source.get(), journal) != sizeof(Memory)) return;
  void* mapping = ::mmap(nullptr, sizeof(Memory), PROT_READ | PROT_WRITE, MAP_SHARED, source.get(), 0);
  if (mapping == MAP_FAILED) throw InputError(io_message(journal, "map", errno));
  const std::unique_ptr<void, void (*)(void*)> unmapped(mapping,
                                                        [](void* begin) { ::munmap(begin, sizeof(Memory)); });
  Memory& memory = *static_cast<Memory*>(mapping);
  try {
    SectionLanes::recover(memory, file, path);
  } catch (const InputError&) {
    // A program whose disk was full has been told so; it is here, too, and what is in the file stays.
    if (memory.header.has_failed.load() == 0) throw;
  }
}

/// Behind the end of the file there may be the beginning of a large section. The process may have died while it wrote
/// a lane, before it said that this was done: writing the same there again is right in both cases.
void SectionLanes::recover(Memory& memory, int file, const std::string& path) {
  std::uint64_t end = memory.header.written.load();
  const auto write_lane = [&](Lane& lane) {
    const std::uint64_t offset = lane.offset.load();
    write_at(file, offset, lane.content(), path);
    end = std::max(end, offset + lane.content().size());
    memory.header.written.store(end);
    lane.forget();
  };
  for (Lane& lane : memory.lanes) {
    if (lane.length.load() > kLaneBytes) return;
    if (lane.offset.load() != kNowhere && !lane.content().empty()) write_lane(lane);
  }
  if (file_size(file, path) > end && ::ftruncate(file, static_cast<off_t>(end)) != 0)
    throw InputError(io_message(path, "write", errno));
  for (Lane& lane : memory.lanes) {
    if (lane.content().empty()) continue;
    lane.offset.store(end);
    write_lane(lane);
  }
}

}  // namespace warpscope
