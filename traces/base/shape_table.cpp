#include "traces/base/shape_table.h"

#include <algorithm>
#include <cassert>

#include "traces/base/varint.h"

namespace warpscope {

void ShapeTable::clear() {
  bytes_.clear();
  ends_.clear();
  pages_.reset();
  paged_.clear();
}

bool ShapeTable::operator==(const ShapeTable& other) const {
  if (size() != other.size()) return false;
  for (std::size_t index = 0; index < size(); ++index)
    if (!std::ranges::equal((*this)[index].coded(), other[index].coded())) return false;
  return true;
}

void ShapeTable::add(std::span<const DeltaRun> runs) {
  assert(pages_ == nullptr);
  const std::size_t start = ends_.empty() ? 0 : ends_.back().byte;
  bytes_.resize(start);
  for (const DeltaRun& run : runs) put_delta_run(bytes_, run);
  ends_.push_back({bytes_.size(), runs.size()});
  bytes_.resize(bytes_.size() + RunCursor::kPadding);
}

void ShapeTable::add_coded(std::span<const std::uint8_t> coded, std::uint64_t runs) {
  assert(pages_ == nullptr);
  bytes_.resize(ends_.empty() ? 0 : ends_.back().byte);
  bytes_.insert(bytes_.end(), coded.begin(), coded.end());
  ends_.push_back({bytes_.size(), runs});
  bytes_.resize(bytes_.size() + RunCursor::kPadding);
}

}  // namespace warpscope
