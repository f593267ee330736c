#include "traces/files/section_buffer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "traces/base/error.h"

namespace warpscope {
namespace {

constexpr std::size_t kCapacity = 1u << 16;

}  // namespace

/// Start of a journal file. The process may be killed between any two stores: `length` covers only complete
/// bytes, and is 0 while `offset` changes.
struct SectionBuffer::Journal {
  std::atomic<std::uint64_t> offset;  ///< in the file, of the first collected byte
  std::atomic<std::uint64_t> length;
};

SectionBuffer::SectionBuffer(const std::string& journal) {
  if (journal.empty()) {
    own_.resize(kCapacity);
    data_ = own_.data();
    return;
  }
  const Descriptor file(::open(journal.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  constexpr std::size_t kBytes = sizeof(Journal) + kCapacity;
  // Allocated now, so that a full disk shows here and not as a signal when a page is first touched.
  if (!file.valid() || ::posix_fallocate(file.get(), 0, kBytes) != 0)
    throw InputError(io_message(journal, "write", errno));
  void* mapping = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapping == MAP_FAILED) throw InputError(io_message(journal, "map", errno));
  journal_ = static_cast<Journal*>(mapping);
  data_ = static_cast<std::uint8_t*>(mapping) + sizeof(Journal);
}

SectionBuffer::~SectionBuffer() {
  if (journal_ != nullptr) ::munmap(journal_, sizeof(Journal) + kCapacity);
}

void SectionBuffer::add(std::span<const std::uint8_t> bytes, int file, const std::string& path) {
  if (length_ + bytes.size() > kCapacity) flush(file, path);
  if (bytes.size() > kCapacity) {
    write_all(file, bytes, path);
    written_ += bytes.size();
    if (journal_ != nullptr) journal_->offset.store(written_, std::memory_order_relaxed);
    return;
  }
  std::copy(bytes.begin(), bytes.end(), data_ + length_);
  length_ += bytes.size();
  if (journal_ != nullptr) journal_->length.store(length_, std::memory_order_release);
}

void SectionBuffer::flush(int file, const std::string& path) {
  if (length_ == 0) return;
  write_all(file, {data_, length_}, path);
  written_ += length_;
  clear();
}

void SectionBuffer::clear() {
  length_ = 0;
  if (journal_ == nullptr) return;
  journal_->length.store(0, std::memory_order_release);
  journal_->offset.store(written_, std::memory_order_release);
}

void recover_journal(const std::string& journal, int file, const std::string& path) {
  const Descriptor source(::open(journal.c_str(), O_RDONLY | O_CLOEXEC));
  if (!source.valid()) return;
  std::uint64_t place[2] = {0, 0};
  std::vector<std::uint8_t> bytes(sizeof(place));
  if (read_some(source.get(), bytes, journal) != sizeof(place)) return;
  std::memcpy(place, bytes.data(), sizeof(place));
  const auto [offset, length] = place;
  if (length == 0 || length > kCapacity) return;
  bytes.resize(length);
  if (read_some(source.get(), bytes, journal) != length) return;
  // The process may have died after it wrote these bytes and before it said so: writing them again is the
  // same.
  for (std::size_t done = 0; done < length;) {
    const ssize_t count =
        ::pwrite(file, bytes.data() + done, length - done, static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw InputError(io_message(path, "write", errno));
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace warpscope
