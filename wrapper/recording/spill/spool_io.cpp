#include "wrapper/recording/spill/spool_io.h"

#include <algorithm>

#include "traces/base/error.h"

namespace warpscope {
namespace {

constexpr const char* kSpoolName = "temporary file";
constexpr std::size_t kLongestVarint = 10;

}  // namespace

void SpoolWriter::flush() {
  if (waiting_.empty()) return;
  if (!file_.valid()) file_ = open_spool();
  seek_to(file_.get(), written_, kSpoolName);
  write_all(file_.get(), waiting_, kSpoolName);
  written_ += waiting_.size();
  waiting_.clear();
}

void SpoolWriter::cut(std::uint64_t size) {
  if (size >= written_) {
    waiting_.resize(size - written_);
    return;
  }
  written_ = size;
  waiting_.clear();
}

SpoolReader::SpoolReader(const SpoolWriter& spool, std::uint64_t from, std::uint64_t to, std::size_t step)
    : spool_(&spool), next_(from), end_(to), step_(std::max(step, 2 * kLongestVarint)) {}

void SpoolReader::refill() {
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(at_));
  at_ = 0;
  const std::size_t kept = buffer_.size();
  const std::size_t size = std::min<std::uint64_t>(step_ - kept, end_ - next_);
  buffer_.resize(kept + size);
  const std::span<std::uint8_t> wanted = std::span(buffer_).subspan(kept);
  if (next_ >= spool_->written_) {
    std::copy_n(spool_->waiting_.begin() + static_cast<std::ptrdiff_t>(next_ - spool_->written_), size,
                wanted.begin());
  } else {
    const std::size_t in_file = std::min<std::uint64_t>(size, spool_->written_ - next_);
    if (read_some_at(spool_->file_.get(), next_, wanted.first(in_file), kSpoolName) != in_file)
      throw InputError(std::string(kSpoolName) + ": became shorter while it was read");
    std::copy_n(spool_->waiting_.begin(), size - in_file,
                wanted.begin() + static_cast<std::ptrdiff_t>(in_file));
  }
  next_ += size;
}

std::uint64_t SpoolReader::varint() {
  if (buffer_.size() - at_ < kLongestVarint && next_ != end_) refill();
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t byte = buffer_[at_++];
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
}

std::span<const std::uint8_t> SpoolReader::bytes(std::uint64_t most) {
  if (at_ == buffer_.size() && next_ != end_) refill();
  const std::size_t size = std::min<std::uint64_t>(most, buffer_.size() - at_);
  const auto result = std::span<const std::uint8_t>(buffer_).subspan(at_, size);
  at_ += size;
  return result;
}

}  // namespace warpscope
