#pragma once
// Random kernels: structured ones (sequence, if, switch, loops with one exit) and arbitrary graphs.
#include <algorithm>
#include <functional>
#include <vector>

#include "tests/unit/scheduler/kernel_builder.h"
#include "traces/base/random.h"

namespace warpscope::testing {

/// Blocks with successors and numbers of sites, before numbering.
struct Sketch {
  std::vector<std::vector<std::uint32_t>> successors;
  std::vector<std::uint32_t> sites;
  std::uint32_t add(std::uint32_t count) {
    successors.emplace_back();
    sites.push_back(count);
    return static_cast<std::uint32_t>(sites.size() - 1);
  }
};

/// The part of a sketch that can be reached and can end, in reverse post-order. Empty if the entry cannot
/// end.
inline KernelInfo number_blocks(const Sketch& sketch, SplitMix64& random) {
  const std::size_t n = sketch.sites.size();
  std::vector<bool> ends(n);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = 0; b < n; ++b) {
      bool now = sketch.successors[b].empty();
      for (const std::uint32_t s : sketch.successors[b]) now = now || ends[s];
      changed |= now != ends[b];
      ends[b] = now;
    }
  }
  if (!ends[0]) return {};
  std::vector<std::uint32_t> post_order;
  std::vector<bool> visited(n);
  const std::function<void(std::uint32_t)> visit = [&](std::uint32_t b) {
    visited[b] = true;
    for (const std::uint32_t s : sketch.successors[b]) {
      if (ends[s] && !visited[s]) visit(s);
    }
    post_order.push_back(b);
  };
  visit(0);
  std::reverse(post_order.begin(), post_order.end());
  std::vector<std::uint32_t> number(n);
  for (std::uint32_t i = 0; i < post_order.size(); ++i) number[post_order[i]] = i;
  KernelBuilder builder;
  for (const std::uint32_t b : post_order) {
    std::vector<SiteId> sites;
    for (std::uint32_t s = 0; s < sketch.sites[b]; ++s) {
      const std::uint64_t kind = random.below(10);
      sites.push_back(builder.site(kind == 0   ? AccessKind::Fence
                                   : kind == 1 ? AccessKind::Atomic
                                   : kind < 5  ? AccessKind::Store
                                               : AccessKind::Load));
    }
    std::vector<std::uint32_t> successors;
    for (const std::uint32_t s : sketch.successors[b]) {
      if (ends[s]) successors.push_back(number[s]);
    }
    builder.block(sites, successors);
  }
  return builder.finish();
}

/// Any graph: loops into the middle of loops, several returns, switches.
inline KernelInfo random_graph(SplitMix64& random) {
  Sketch sketch;
  const auto blocks = static_cast<std::uint32_t>(2 + random.below(12));
  for (std::uint32_t b = 0; b < blocks; ++b) sketch.add(static_cast<std::uint32_t>(random.below(3)));
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const std::uint64_t ways = b + 1 == blocks        ? 0
                               : random.below(10) < 8 ? 1 + random.below(2)
                                                      : random.below(6);
    for (std::uint64_t w = 0; w < ways; ++w) {
      // Mostly forward, so that graphs are deep; block 0 is the entry and nobody's successor.
      const bool back = random.below(4) == 0;
      const std::uint64_t target = back ? 1 + random.below(blocks - 1) : b + 1 + random.below(blocks - b - 1);
      sketch.successors[b].push_back(static_cast<std::uint32_t>(target));
    }
  }
  return number_blocks(sketch, random);
}

/// Sequences, if, if/else, switch, while and do-while loops with one exit each.
class StructuredKernel {
 public:
  explicit StructuredKernel(SplitMix64& random) : random_(random) {}
  KernelInfo make() {
    const std::uint32_t entry = sketch_.add(1);
    const std::uint32_t end = statement(entry, 4);
    const std::uint32_t last = sketch_.add(1);
    sketch_.successors[end].push_back(last);
    return number_blocks(sketch_, random_);
  }

 private:
  std::uint32_t block() { return sketch_.add(static_cast<std::uint32_t>(random_.below(3))); }
  void edge(std::uint32_t from, std::uint32_t to) { sketch_.successors[from].push_back(to); }

  /// Adds a statement after block `from`, which has no successor yet; returns its last block.
  std::uint32_t statement(std::uint32_t from, int depth) {
    const std::uint64_t kind = depth == 0 ? 0 : random_.below(6);
    switch (kind) {
      case 0:
        return after(from);
      case 1:
        return statement(statement(from, depth - 1), depth - 1);
      case 2:
      case 3:
        return branch(from, depth, kind == 2 ? 1 : 2 + random_.below(3));
      case 4:
        return while_loop(from, depth);
      default:
        return do_loop(from, depth);
    }
  }
  std::uint32_t after(std::uint32_t from) {
    const std::uint32_t next = block();
    edge(from, next);
    return next;
  }
  std::uint32_t branch(std::uint32_t from, int depth, std::uint64_t ways) {
    std::vector<std::uint32_t> ends;
    for (std::uint64_t w = 0; w < ways; ++w) ends.push_back(statement(after(from), depth - 1));
    const std::uint32_t join = block();
    for (const std::uint32_t e : ends) edge(e, join);
    if (ways == 1) edge(from, join);
    return join;
  }
  std::uint32_t while_loop(std::uint32_t from, int depth) {
    const std::uint32_t header = after(from);
    const std::uint32_t end = statement(after(header), depth - 1);
    edge(end, header);
    return after(header);
  }
  std::uint32_t do_loop(std::uint32_t from, int depth) {
    const std::uint32_t end = statement(after(from), depth - 1);
    const std::uint32_t latch = after(end);
    edge(latch, sketch_.successors[from].back());
    return after(latch);
  }

  SplitMix64& random_;
  Sketch sketch_;
};

/// Outcomes of one work-item's walk; after `patience` branches it takes the shortest way out.
inline Outcomes random_walk(const KernelInfo& kernel, SplitMix64& random, std::uint32_t patience) {
  std::vector<std::uint64_t> distance(kernel.blocks.size(), 1u << 20);
  for (std::size_t round = 0; round < kernel.blocks.size(); ++round) {
    for (std::size_t b = 0; b < kernel.blocks.size(); ++b) {
      if (kernel.blocks[b].successors.empty()) distance[b] = 0;
      for (const BlockId s : kernel.blocks[b].successors)
        distance[b] = std::min(distance[b], distance[s.value()] + 1);
    }
  }
  Outcomes outcomes;
  std::uint32_t b = 0;
  for (std::uint32_t walked = 0; !kernel.blocks[b].successors.empty(); ++walked) {
    const auto& successors = kernel.blocks[b].successors;
    std::uint32_t way = static_cast<std::uint32_t>(random.below(successors.size()));
    if (walked >= patience) {
      for (std::uint32_t w = 0; w < successors.size(); ++w) {
        if (distance[successors[w].value()] < distance[successors[way].value()]) way = w;
      }
    }
    if (successors.size() > 1) outcomes.push_back(way);
    b = successors[way].value();
  }
  return outcomes;
}

}  // namespace warpscope::testing
