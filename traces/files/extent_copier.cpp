#include "traces/files/extent_copier.h"

#include <algorithm>

#include "traces/base/error.h"
#include "traces/files/file_io.h"

namespace warpscope {
namespace {

constexpr std::uint64_t kBatchBytes = 4u << 20;

}  // namespace

void ExtentCopier::add(Extent extent) {
  if (batch_bytes_ + extent.size > kBatchBytes) flush();
  batch_.push_back(extent);
  batch_bytes_ += extent.size;
}

void ExtentCopier::flush() {
  if (batch_.empty()) return;
  std::uint64_t start = batch_.front().offset;
  std::uint64_t stop = 0;
  for (const Extent& extent : batch_) {
    start = std::min(start, extent.offset);
    stop = std::max(stop, extent.end());
  }
  output_.resize(batch_bytes_);
  // Work-groups complete nearly in order, so one read usually covers the whole batch.
  const bool dense = stop - start <= 2 * batch_bytes_;
  if (dense) {
    window_.resize(stop - start);
    read(start, window_);
  }
  std::size_t position = 0;
  for (const Extent& extent : batch_) {
    const auto target = std::span(output_).subspan(position, extent.size);
    if (dense) {
      const auto source = std::span(window_).subspan(extent.offset - start, extent.size);
      std::copy(source.begin(), source.end(), target.begin());
    } else {
      read(extent.offset, target);
    }
    position += extent.size;
  }
  write_(output_);
  batch_.clear();
  batch_bytes_ = 0;
}

void ExtentCopier::read(std::uint64_t offset, std::span<std::uint8_t> bytes) const {
  if (read_some_at(source_, offset, bytes, source_name_) != bytes.size()) {
    throw InputError(source_name_ +
                     ": became shorter while it was being written; let one program write it at a time");
  }
}

}  // namespace warpscope
