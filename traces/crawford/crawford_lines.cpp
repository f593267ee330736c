#include "traces/crawford/crawford_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "traces/base/error.h"
#include "traces/program/work_group_trace.h"

namespace warpscope {
namespace {

using Kind = CrawfordTraceRecord::Kind;

class Collector final : public CrawfordTraceSink {
 public:
  Collector(const std::string& path, CrawfordLines& lines) : path_(path), lines_(lines) {}

  void begin(Dim3 local_size) override {
    lines_.local = local_size;
    if (local_size.count() > kMaxWorkItemsPerGroup)
      throw InputError(fmt::format("{}:1: a work-group has {} work-items, expected at most {}", path_,
                                   local_size.count(), kMaxWorkItemsPerGroup));
  }

  void record(const CrawfordTraceRecord& record) override {
    if (record.kind == Kind::End) {
      lines_.launches += open_ ? 1 : 0;
      open_ = false;
      return;
    }
    open_ = true;
    CrawfordEvent event;
    event.record = record;
    event.launch = lines_.launches;
    event.kind = record.kind == Kind::Read    ? AccessKind::Load
                 : record.kind == Kind::Write ? AccessKind::Store
                                              : AccessKind::Barrier;
    lines_.events.push_back(event);
    last_ = {std::max(last_.x, record.item.x), std::max(last_.y, record.item.y),
             std::max(last_.z, record.item.z)};
  }

  void finish() {
    lines_.launches += open_ ? 1 : 0;
    if (lines_.events.empty())
      throw InputError(path_ + ":1: has no access, expected '0xACCESS|0xID|0xLOOPS'");
    const Dim3 local = lines_.local;
    const Dim3 groups{last_.x / local.x + 1, last_.y / local.y + 1, last_.z / local.z + 1};
    // Ids have 20 bits each, so that the product of two fits.
    if (groups.x * groups.y > kMostGroups || groups.x * groups.y * groups.z > kMostGroups)
      throw InputError(
          fmt::format("{}: ids up to {} {} {} make {} x {} x {} work-groups, expected at most {}", path_,
                      last_.x, last_.y, last_.z, groups.x, groups.y, groups.z, kMostGroups));
    lines_.global = {groups.x * local.x, groups.y * local.y, groups.z * local.z};
    for (CrawfordEvent& event : lines_.events) place(event, groups);
  }

 private:
  static constexpr std::uint64_t kMostGroups = 0xFFFFFFFF;

  void place(CrawfordEvent& event, const Dim3& groups) const {
    const Dim3 id = event.record.item;
    const Dim3 local = lines_.local;
    event.group = static_cast<std::uint32_t>(id.x / local.x +
                                             groups.x * (id.y / local.y + groups.y * (id.z / local.z)));
    event.item =
        static_cast<std::uint32_t>(id.x % local.x + local.x * (id.y % local.y + local.y * (id.z % local.z)));
  }

  const std::string& path_;
  CrawfordLines& lines_;
  Dim3 last_{0, 0, 0};
  bool open_ = false;  ///< the launch has a line
};

bool same_loops(const CrawfordTraceRecord& a, const CrawfordTraceRecord& b) {
  const auto same = [](const CrawfordTraceRecord::Loop& x, const CrawfordTraceRecord::Loop& y) {
    return x.label == y.label && x.iteration == y.iteration;
  };
  return a.loop_count == b.loop_count && std::equal(a.loops.begin(), a.loops.end(), b.loops.begin(), same);
}

/// Whether `second` is what the same execution of an atomic operation writes.
bool is_pair(const CrawfordEvent& first, const CrawfordEvent& second) {
  return first.kind == AccessKind::Load && second.kind == AccessKind::Store &&
         first.record.site == second.record.site && first.record.address == second.record.address &&
         same_loops(first.record, second.record);
}

/// What an instruction does over the whole trace.
struct Uses {
  std::uint64_t reads = 0, writes = 0, pairs = 0;
  [[nodiscard]] bool is_atomic() const { return pairs != 0 && reads == pairs && writes == pairs; }
};

/// One event for each read and write of an atomic operation.
void join_atomics(CrawfordLines& lines) {
  std::map<SiteId, Uses> uses;
  lines.each_item([&](CrawfordItem item) {
    for (std::size_t i = 0; i < item.size(); ++i) {
      Uses& of_site = uses[item[i].record.site];
      of_site.reads += item[i].kind == AccessKind::Load ? 1 : 0;
      of_site.writes += item[i].kind == AccessKind::Store ? 1 : 0;
      of_site.pairs += i + 1 < item.size() && is_pair(item[i], item[i + 1]) ? 1 : 0;
    }
  });
  for (CrawfordEvent& event : lines.events)
    if (event.kind == AccessKind::Load && uses[event.record.site].is_atomic())
      event.kind = AccessKind::Atomic;
  std::erase_if(lines.events, [&](const CrawfordEvent& event) {
    return event.kind == AccessKind::Store && uses[event.record.site].is_atomic();
  });
}

}  // namespace

CrawfordLines read_crawford_lines(const std::string& path) {
  CrawfordLines lines;
  const std::string name = path == "-" ? "standard input" : path;
  Collector collector(name, lines);
  read_crawford_trace(path, collector);
  collector.finish();
  std::stable_sort(lines.events.begin(), lines.events.end(),
                   [](const CrawfordEvent& a, const CrawfordEvent& b) {
                     return std::tie(a.launch, a.group, a.item) < std::tie(b.launch, b.group, b.item);
                   });
  join_atomics(lines);
  return lines;
}

}  // namespace warpscope
