#include "wrapper/recording/spill/payload_parts.h"

#include <algorithm>

#include "traces/base/varint.h"

namespace warpscope {

void PayloadParts::add(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    if (waiting_.size() >= part_bytes_) give();
    const std::size_t size = std::min(bytes.size(), part_bytes_ - waiting_.size());
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    bytes = bytes.subspan(size);
  }
}

void PayloadParts::add_varint(std::uint64_t value) {
  std::vector<std::uint8_t> bytes;
  put_varint(bytes, value);
  add(bytes);
}

void PayloadParts::give() {
  is_in_sink_ = true;
  sink_.add_part(launch_, group_, parts_++, waiting_);
  is_in_sink_ = false;
  given_ += waiting_.size();
  waiting_.clear();
}

void PayloadParts::end() {
  if (parts_ != 0) give();
  is_in_sink_ = true;
  if (parts_ == 0)
    sink_.add(launch_, group_, waiting_);
  else
    sink_.end_parts(launch_, group_);
  is_in_sink_ = false;
}

}  // namespace warpscope
