#pragma once
// The lines of a trace with loop counters, by launch, work-group and work-item.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "traces/base/types.h"
#include "traces/crawford/crawford_trace.h"

namespace warpscope {

/// One access or barrier of a work-item.
struct CrawfordEvent {
  CrawfordTraceRecord record;
  AccessKind kind = AccessKind::Load;  ///< of the access, or Barrier
  std::uint32_t launch = 0, group = 0, item = 0;
  std::uint32_t node = 0, element = 0;  ///< where the flow has it (crawford_flow.h)
};

/// The events of one work-item, in program order.
using CrawfordItem = std::span<CrawfordEvent>;

struct CrawfordLines {
  Dim3 global, local;
  std::uint32_t launches = 0;
  std::vector<CrawfordEvent> events;  ///< by launch, work-group and work-item
  /// Calls `use` for every work-item that has a line.
  template <class Use>
  void each_item(const Use& use) {
    for (std::size_t first = 0, end = 0; first < events.size(); first = end) {
      while (end < events.size() && same_item(events[first], events[end])) ++end;
      use(CrawfordItem(events).subspan(first, end - first));
    }
  }

 private:
  static bool same_item(const CrawfordEvent& a, const CrawfordEvent& b) {
    return a.launch == b.launch && a.group == b.group && a.item == b.item;
  }
};

/// The global size is that of the work-groups up to the largest ids. A read of an instruction is an atomic operation where its write of
/// the same address follows every time. Throws InputError "FILE:LINE: …".
CrawfordLines read_crawford_lines(const std::string& path);

}  // namespace warpscope
