#include "traces/files/mapped_spool.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "traces/base/error.h"

namespace warpscope {
namespace {

constexpr const char* kSpoolName = "temporary file";
/// Linux (6.18, ext4) keeps what one call has written as one piece, and maps all of the piece where one byte of it is read.
constexpr std::size_t kMostAtOnce = 64u << 10;

}  // namespace

MappedSpool::~MappedSpool() {
  if (bytes_ != nullptr) ::munmap(const_cast<std::uint8_t*>(bytes_), size_ + kPadding);
}

void MappedSpool::add(std::span<const std::uint8_t> bytes) {
  if (!file_.valid()) file_ = open_spool();
  size_ += bytes.size();
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), kMostAtOnce)))
    write_all(file_.get(), bytes.first(std::min(bytes.size(), kMostAtOnce)), kSpoolName);
}

void MappedSpool::map() {
  add(std::array<std::uint8_t, kPadding>{});
  size_ -= kPadding;
  void* const mapping = ::mmap(nullptr, size_ + kPadding, PROT_READ, MAP_SHARED, file_.get(), 0);
  if (mapping == MAP_FAILED) throw InputError(io_message(kSpoolName, "map", errno));
  bytes_ = static_cast<const std::uint8_t*>(mapping);
}

void MappedSpool::release() const {
  ::madvise(const_cast<std::uint8_t*>(bytes_), size_ + kPadding, MADV_DONTNEED);
}

}  // namespace warpscope
