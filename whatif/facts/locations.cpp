#include "whatif/facts/locations.h"

#include <algorithm>
#include <map>
#include <utility>

#include "traces/base/printable.h"

namespace warpscope::whatif {

AlikeItems::AlikeItems(const SiteColumn& column) : kind_of_(column.shape_of.size(), SiteColumn::kNone) {
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> known;
  for (std::uint32_t item = 0; item < column.shape_of.size(); ++item) {
    if (column.shape_of[item] == SiteColumn::kNone) continue;
    const auto number = static_cast<std::uint32_t>(kinds_.size());
    const auto [entry, is_new] = known.try_emplace({column.shape_of[item], column.first[item]}, number);
    if (is_new) kinds_.push_back({item, 0});
    ++kinds_[entry->second].count;
    kind_of_[item] = entry->second;
  }
}

Reach::Reach(const SiteColumn& column) : column_(column) {
  for (std::size_t i = 0; i < column.shapes.size(); ++i) {
    Span span;
    std::uint64_t at = 0;  // modulo 2^64, as the locations of a damaged capture may be
    for (const DeltaRun& run : column.shapes[i]) {
      at += static_cast<std::uint64_t>(run.delta) * run.repeat;
      span.least = std::min(span.least, static_cast<std::int64_t>(at));
      span.most = std::max(span.most, static_cast<std::int64_t>(at));
    }
    spans_.push_back(span);
  }
}

BufferId Reach::only_object(std::uint32_t item, bool& several) const {
  const Span& span = spans_[column_.shape_of[item]];
  const BufferAddr least(column_.first[item] + static_cast<std::uint64_t>(span.least));
  const BufferAddr most(column_.first[item] + static_cast<std::uint64_t>(span.most));
  several = least.buffer() != most.buffer();
  return several ? BufferId(0) : least.buffer();
}

std::string place_of(const KernelInfo& kernel, SiteId site) {
  const SiteInfo& info = kernel.sites[site.value()];
  if (info.locations.empty()) return fmt::format("kernel {}, site {}", quotable(kernel.name), site.value());
  const SourceLocation& where = info.locations.front();
  return fmt::format("{}:{}:{}", quotable(where.file), where.line, where.column);
}

}  // namespace warpscope::whatif
