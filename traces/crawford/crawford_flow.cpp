#include "traces/crawford/crawford_flow.h"

#include <algorithm>
#include <set>

#include "traces/crawford/crawford_walk.h"

namespace warpscope {
namespace {

using What = CrawfordElement::What;

/// Barriers of one iteration that are told apart; more of them are in a loop that has no counter.
constexpr std::uint32_t kMostBarriers = 1024;

/// What a work-item did last in each body that it is in.
struct Before {
  std::uint32_t node = 0;
  std::optional<std::uint32_t> element;
  std::uint32_t barriers = 0;
};

CrawfordElement element_for(const CrawfordEvent& event, std::uint32_t barriers) {
  CrawfordElement element;
  element.line = event.record.line;
  element.kind = event.kind;
  if (event.kind == AccessKind::Barrier) {
    element.what = What::Barrier;
    element.number = barriers % kMostBarriers;
    element.scope = event.record.kind == CrawfordTraceRecord::Kind::LocalBarrier ? "local" : "global";
  } else {
    element.number = event.record.site.value();
    element.address_bits = event.record.address.value();
  }
  return element;
}

/// Elements of a body in an order in which each comes behind those that it followed in any pass; of several, the one with the lowest key
/// is next. Where they follow each other in a circle, the lowest key decides.
std::vector<std::uint32_t> order_of(const CrawfordNode& node, const std::vector<std::uint32_t>& keys) {
  std::vector<std::uint32_t> waits_for(keys.size(), 0);
  for (const auto& [pair, times] : node.followed) ++waits_for[pair.second];
  std::set<std::pair<std::uint32_t, std::uint32_t>> ready, waiting;
  for (std::uint32_t i = 0; i < keys.size(); ++i) (waits_for[i] == 0 ? ready : waiting).insert({keys[i], i});
  std::vector<std::uint32_t> order;
  while (order.size() < keys.size()) {
    auto& from = ready.empty() ? waiting : ready;
    const std::uint32_t next = from.begin()->second;
    from.erase(from.begin());
    order.push_back(next);
    for (auto pair = node.followed.lower_bound({next, 0});
         pair != node.followed.end() && pair->first.first == next; ++pair) {
      const std::uint32_t other = pair->first.second;
      if (--waits_for[other] == 0 && waiting.erase({keys[other], other}) != 0)
        ready.insert({keys[other], other});
    }
  }
  return order;
}

/// Counts passes, to find what every pass takes.
struct Counter {
  std::vector<CrawfordNode>& nodes;
  void pass(std::uint32_t node) { ++nodes[node].passes; }
  void take(std::uint32_t node, std::uint32_t place, bool taken) {
    if (taken) ++nodes[node].elements[nodes[node].order[place]].taken;
  }
  void leave(std::uint32_t node, bool again) { nodes[node].goes_again |= again; }
  void iterate(std::uint32_t /*node*/, bool /*next*/) {}
};

/// Writes the outcomes of the branches that crawford_kernel.cpp makes.
struct Outcomes {
  const std::vector<CrawfordNode>& nodes;
  std::vector<bool> bits = {};
  void pass(std::uint32_t /*node*/) {}
  void take(std::uint32_t node, std::uint32_t place, bool taken) {
    if (nodes[node].elements[nodes[node].order[place]].is_guarded) bits.push_back(taken);
  }
  void leave(std::uint32_t node, bool again) {
    if (nodes[node].goes_again) bits.push_back(again);
  }
  void iterate(std::uint32_t /*node*/, bool next) { bits.push_back(next); }
};

}  // namespace

CrawfordFlow::CrawfordFlow(CrawfordLines& lines, const std::string& path) : path_(path) {
  lines.each_item([&](CrawfordItem item) { place_item(item); });
  sort_bodies();
  count_passes(lines);
}

std::uint32_t CrawfordFlow::element_of(std::uint32_t node, const CrawfordElement& element) {
  const auto next = static_cast<std::uint32_t>(nodes_[node].elements.size());
  const auto [found, is_new] =
      nodes_[node].known.try_emplace({element.what, element.kind, element.number, element.scope}, next);
  if (is_new) nodes_[node].elements.push_back(element);
  CrawfordElement& known = nodes_[node].elements[found->second];
  known.line = std::min(known.line, element.line);
  known.address_bits |= element.address_bits;
  return found->second;
}

/// The body that a line is in; loops that were not seen before are added.
std::uint32_t CrawfordFlow::node_of(const CrawfordTraceRecord& record) {
  std::uint32_t node = 0;
  for (std::uint32_t depth = 0; depth < record.loop_count; ++depth) {
    CrawfordElement loop;
    loop.what = What::Loop;
    loop.number = record.loops[depth].label;
    loop.line = record.line;
    const std::uint32_t element = element_of(node, loop);
    if (nodes_[node].elements[element].node == 0) {
      nodes_[node].elements[element].node = static_cast<std::uint32_t>(nodes_.size());
      CrawfordNode body;
      body.label = loop.number;
      nodes_.push_back(std::move(body));
    }
    node = nodes_[node].elements[element].node;
  }
  return node;
}

/// Gives every event its element, and notes which follows which in one iteration. A barrier's line has no counters: it is in the loops of
/// the access before it.
void CrawfordFlow::place_item(CrawfordItem item) {
  std::vector<Before> open{{}};  // the bodies that the work-item is in
  CrawfordTraceRecord last;
  for (CrawfordEvent& event : item) {
    CrawfordTraceRecord& record = event.record;
    if (event.kind == AccessKind::Barrier) record.loop_count = last.loop_count, record.loops = last.loops;
    event.node = node_of(record);
    std::uint32_t same = 0;  // loops that are in the same iteration still
    while (same < record.loop_count && same + 1 < open.size() &&
           record.loops[same].label == last.loops[same].label &&
           record.loops[same].iteration == last.loops[same].iteration)
      ++same;
    open.resize(same + 1);
    const auto follow = [&](std::uint32_t element) {
      Before& before = open.back();
      if (before.element && *before.element != element)
        ++nodes_[before.node].followed[{*before.element, element}];
      before.element = element;
    };
    for (; same < record.loop_count; ++same) {
      const std::uint32_t in = open.back().node;
      const std::uint32_t loop =
          nodes_[in].known.at({What::Loop, AccessKind::Load, record.loops[same].label, ""});
      follow(loop);
      open.push_back({nodes_[in].elements[loop].node, {}, 0});
    }
    event.element = element_of(event.node, element_for(event, open.back().barriers));
    if (event.kind == AccessKind::Barrier) ++open.back().barriers;
    follow(event.element);
    last = record;
  }
}

/// Instructions are numbered in the order of the program, so the lowest number comes first where no pass says otherwise.
void CrawfordFlow::sort_bodies() {
  std::vector<std::uint32_t> least(nodes_.size(), ~std::uint32_t{0});  // of the accesses in a body
  for (std::size_t n = nodes_.size(); n-- > 0;) {                      // loops come behind what they are in
    std::vector<std::uint32_t> keys;
    for (const CrawfordElement& element : nodes_[n].elements) {
      keys.push_back(element.what == What::Barrier ? 0
                     : element.what == What::Loop  ? least[element.node]
                                                   : element.number);
      if (element.what != What::Barrier) least[n] = std::min(least[n], keys.back());
    }
    nodes_[n].order = order_of(nodes_[n], keys);
    for (std::uint32_t place = 0; place < nodes_[n].order.size(); ++place)
      nodes_[n].elements[nodes_[n].order[place]].place = place;
  }
}

void CrawfordFlow::count_passes(CrawfordLines& lines) {
  Counter counter{nodes_};
  lines.each_item([&](CrawfordItem item) { CrawfordWalk(nodes_, path_, counter).run(item); });
  // Work-items without a line pass the kernel and take nothing, and some work-group may have one.
  for (CrawfordNode& node : nodes_)
    for (CrawfordElement& element : node.elements)
      element.is_guarded = &node == nodes_.data() || element.taken != node.passes;
}

std::vector<bool> CrawfordFlow::outcomes(CrawfordItem item) const {
  Outcomes outcomes{nodes_};
  CrawfordWalk(nodes_, path_, outcomes).run(item);
  return std::move(outcomes.bits);
}

}  // namespace warpscope
