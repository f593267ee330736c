#pragma once
// The way of one work-item through the flow that its loop counters describe.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "traces/base/error.h"
#include "traces/crawford/crawford_flow.h"

namespace warpscope {

/// `Visitor` has pass(node): a pass begins; take(node, place, taken): an element is taken or left out; leave(node, again): a pass ends;
/// iterate(node, next): so does an iteration.
template <class Visitor>
class CrawfordWalk {
 public:
  /// All outlive this.
  CrawfordWalk(const std::vector<CrawfordNode>& nodes, const std::string& path, Visitor& visitor)
      : nodes_(nodes), path_(path), visitor_(visitor) {}

  void run(CrawfordItem item) {
    enter(0);
    for (const CrawfordEvent& event : item) step(event);
    while (frames_.size() > 1) leave_loop();
    end_pass(false);
  }

 private:
  static constexpr std::uint64_t kMostPasses = 1u << 24;  ///< of one work-item

  struct Frame {
    std::uint32_t node = 0, iteration = 1;
    std::uint32_t next = 0;  ///< place of the first element that this pass can take
  };

  void step(const CrawfordEvent& event) {
    line_ = event.record.line;
    const CrawfordTraceRecord& record = event.record;
    std::uint32_t depth = 0;
    while (depth < record.loop_count && goes_on(depth, record.loops[depth])) ++depth;
    while (frames_.size() > depth + 1) leave_loop();
    for (; depth < record.loop_count; ++depth) {
      const CrawfordNode& node = nodes_[frames_.back().node];
      const auto child =
          node.known.at({CrawfordElement::What::Loop, AccessKind::Load, record.loops[depth].label, ""});
      take(child);
      enter(node.elements[child].node);
      iterate_to(record.loops[depth].iteration);
    }
    take(event.element);
  }

  /// Whether the work-item is in this loop already; then it goes to the iteration.
  bool goes_on(std::uint32_t depth, const CrawfordTraceRecord::Loop& loop) {
    if (frames_.size() < depth + 2) return false;
    const Frame& frame = frames_[depth + 1];
    if (nodes_[frame.node].label != loop.label || frame.iteration > loop.iteration) return false;
    if (frame.iteration == loop.iteration) return true;
    while (frames_.size() > depth + 2) leave_loop();
    iterate_to(loop.iteration);
    return true;
  }

  void enter(std::uint32_t node) {
    frames_.push_back({node, 1, 0});
    begin_pass();
  }

  void begin_pass() {
    if (++passes_ > kMostPasses)
      throw InputError(
          fmt::format("{}:{}: the work-item's loops have made more than {} iterations, expected fewer", path_,
                      line_, kMostPasses));
    visitor_.pass(frames_.back().node);
    frames_.back().next = 0;
  }

  void end_pass(bool again) {
    skip_to(static_cast<std::uint32_t>(nodes_[frames_.back().node].order.size()));
    visitor_.leave(frames_.back().node, again);
  }

  void iterate_to(std::uint32_t iteration) {
    while (frames_.back().iteration < iteration) {
      end_pass(false);
      visitor_.iterate(frames_.back().node, true);
      ++frames_.back().iteration;
      begin_pass();
    }
  }

  void leave_loop() {
    end_pass(false);
    visitor_.iterate(frames_.back().node, false);
    frames_.pop_back();
  }

  void skip_to(std::uint32_t place) {
    Frame& frame = frames_.back();
    for (; frame.next < place; ++frame.next) visitor_.take(frame.node, frame.next, false);
  }

  void take(std::uint32_t element) {
    const std::uint32_t place = nodes_[frames_.back().node].elements[element].place;
    if (place < frames_.back().next) {
      end_pass(true);
      begin_pass();
    }
    skip_to(place);
    visitor_.take(frames_.back().node, place, true);
    ++frames_.back().next;
  }

  const std::vector<CrawfordNode>& nodes_;
  const std::string& path_;
  Visitor& visitor_;
  std::vector<Frame> frames_;
  std::uint64_t passes_ = 0, line_ = 0;
};

}  // namespace warpscope
