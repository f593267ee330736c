#include "traces/base/shape_table.h"

#include "traces/base/varint.h"

namespace warpscope {

void ShapeTable::clear() {
  bytes_.clear();
  ends_.clear();
}

void ShapeTable::add(std::span<const DeltaRun> runs) {
  const std::size_t start = ends_.empty() ? 0 : ends_.back().byte;
  bytes_.resize(start);
  for (const DeltaRun& run : runs) put_delta_run(bytes_, run);
  ends_.push_back({bytes_.size(), runs.size()});
  bytes_.resize(bytes_.size() + RunCursor::kPadding);
}

void ShapeTable::add_coded(std::span<const std::uint8_t> coded, std::uint64_t runs) {
  bytes_.resize(ends_.empty() ? 0 : ends_.back().byte);
  bytes_.insert(bytes_.end(), coded.begin(), coded.end());
  ends_.push_back({bytes_.size(), runs});
  bytes_.resize(bytes_.size() + RunCursor::kPadding);
}

}  // namespace warpscope
