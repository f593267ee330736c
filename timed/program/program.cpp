#include "timed/program/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include "cachesim/access/coalescer.h"
#include "timed/program/dependence.h"
#include "timed/program/predicates.h"
#include "traces/base/error.h"

namespace warpscope::timed {
namespace {

constexpr std::uint32_t kMaxLoads = 1u << 15;
/// Of a copy of 64 elements nvcc 13.0 puts so many loads in front of the first store, for sm_75 (validation/notes/copying-loops.md).
constexpr std::size_t kMostLoadsBeforeStores = 44;
/// Scoreboards of loads that are on their way: each of the first ones has its own, all others share the last one (the same page).
constexpr std::uint32_t kScoreboards = 4;
/// Instructions of an unrolled body, phis not counted: nvcc 13.0 unrolls a loop of 25 by four, one of 52 by two, one of 59 not (the same page).
constexpr std::uint32_t kMostUnrolled = 110;
/// Loads in front of the first use in such a body: 12 of 12, 12 of 16, and 8 of 16 (the same page).
constexpr std::uint32_t kMostLoadsOfBody = 12;
/// Bodies of more iterations are those of a known number of them, or of a pragma: no limit of instructions was seen there, and 15 to 20 loads
/// of 16 and more.
constexpr std::uint32_t kLongBody = 5;
constexpr std::uint32_t kMostLoadsOfLongBody = 16;

/// Which classes a block's other instructions have. The capture says how many of each class a block holds, not where: they are
/// spread evenly over its positions. Positions without a class execute nothing, such as an address that an access adds up itself;
/// one of a vector executes several. Kernels made by hand have no classes: each of their positions is one instruction.
class SpreadClasses {
 public:
  SpreadClasses(const BlockInfo& block, std::uint32_t positions) : positions_(std::max(1u, positions)) {
    const auto classes = instruction_classes();
    for (const auto& [name, count] : block.mix) {
      const std::size_t index = instruction_class_named(name);
      const Unit unit = classes[index].cost.unit;
      if (name == "phi" || name == "barrier" || unit == Unit::Memory) continue;
      if (name == "branch") continue;  // the terminator's place is known
      counts_[index] += count;
    }
    if (block.mix.empty()) counts_[instruction_class_named("other")] = positions;
    total_ = std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
  }
  void next_position() { ++position_; }
  /// The next instruction of this position; none where there is no more.
  std::optional<std::size_t> take() {
    if (taken_ >= total_ * position_ / positions_) return {};
    std::size_t best = 0;
    std::int64_t most = 0;
    for (std::size_t c = 0; c < kInstructionClasses; ++c) {
      const std::int64_t due = std::int64_t{counts_[c]} * position_ - std::int64_t{given_[c]} * positions_;
      if (given_[c] == counts_[c] || due <= most) continue;
      best = c;
      most = due;
    }
    ++given_[best];
    ++taken_;
    return best;
  }

 private:
  std::array<std::uint32_t, kInstructionClasses> counts_{}, given_{};
  std::int64_t positions_, position_ = 0, total_ = 0, taken_ = 0;
};

bool may_return_data(const SiteInfo& site) {
  return site.kind == AccessKind::Load || (site.kind == AccessKind::Atomic && !site.consumers.empty());
}

bool is_plain_store(const SiteInfo& site) {
  return site.kind == AccessKind::Store && !site.is_volatile;
}

std::uint32_t registers_of(const SiteInfo& load) {
  return std::max(1u, (load.width + 3) / 4);
}

bool is_hoistable_past(const SiteInfo& load, std::uint32_t block, std::uint32_t position) {
  if (load.kind != AccessKind::Load) return false;
  return !load.earliest || load.earliest->block.value() != block || load.earliest->position <= position;
}

/// Whether the address of `load` needs the value of `other`, which is in the same block: it is bound to the place right behind it.
bool needs_value_of(const SiteInfo& load, const SiteInfo& other, std::uint32_t block) {
  return load.earliest && load.earliest->block.value() == block && other.point.block.value() == block &&
         load.earliest->position == other.point.position + 1;
}

bool is_loop(const BlockInfo& info, std::uint32_t block) {
  return std::any_of(info.successors.begin(), info.successors.end(),
                     [&](BlockId to) { return to.value() == block; });
}

/// Whether an address needs what an iteration before loaded: the value of a load that is not in front of it.
bool needs_iteration_before(const KernelInfo& kernel, SiteId site) {
  const SiteInfo& info = kernel.sites[site.value()];
  if (!info.address_from) return false;
  const auto is_behind = [&](SiteId source) {
    const ProgramPoint& point = kernel.sites[source.value()].point;
    return point.block == info.point.block && point.position >= info.point.position;
  };
  const AddressSources& from = *info.address_from;
  return std::any_of(from.value.begin(), from.value.end(), is_behind) ||
         std::any_of(from.part.begin(), from.part.end(), is_behind) ||
         std::any_of(from.choice.begin(), from.choice.end(), is_behind);
}

/// How many iterations of a loop of one block a compiler makes one body of, so that they can be under way at once: none (1) if their
/// number is not known when the loop begins, or an address needs what an iteration before loaded.
std::uint32_t unrolled_iterations(const KernelInfo& kernel, std::uint32_t block, std::uint32_t most) {
  const BlockInfo& info = kernel.blocks[block];
  if (!is_loop(info, block) || (info.loop && !kernel.loops[*info.loop].is_counted)) return 1;
  const auto is_of_block = [&](SiteId site) {
    return kernel.sites[site.value()].point.block.value() == block;
  };
  if (std::any_of(info.branch_from.begin(), info.branch_from.end(), is_of_block)) return 1;
  if (std::any_of(info.sites.begin(), info.sites.end(),
                  [&](SiteId site) { return needs_iteration_before(kernel, site); }))
    return 1;
  const std::uint32_t instructions = info.instructions - std::min(info.instructions, count_in(info, "phi"));
  const auto loads = std::max(1u, static_cast<std::uint32_t>(info.sites.size()));
  const std::uint32_t allowed =
      most < kLongBody ? std::min(kMostUnrolled / std::max(1u, instructions), kMostLoadsOfBody / loads)
                       : kMostLoadsOfLongBody / loads;
  return most <= allowed ? most : std::bit_floor(std::max(1u, allowed));
}

}  // namespace

/// What is in a block, in order: sites, waits and other instructions with their positions.
struct Program::Item {
  enum class Kind : std::uint8_t { Compute, Wait, Site } kind;
  std::uint32_t index;     ///< class, load, or site
  std::uint32_t position;  ///< index in the block
};

Program::Program(const KernelInfo& kernel, const IssueConfig& config)
    : costs_(config.costs),
      sites_(kernel.sites.size()),
      bodies_(kernel.blocks.size()),
      waits_(kernel.blocks.size()) {
  const std::vector<std::optional<BlockId>> ends = ends_of_predicated(kernel, config.predicated);
  for (std::size_t s = 0; s < kernel.sites.size(); ++s) {
    const SiteInfo& info = kernel.sites[s];
    sites_[s].kind = info.kind;
    sites_[s].instructions =
        has_address(info.kind) ? instruction_count(info.width, std::max(1u, info.alignment)) : 1;
    if (!may_return_data(info)) continue;
    if (loads_ == kMaxLoads)
      throw InputError(fmt::format("kernel {}: more than {} loads", kernel.name, kMaxLoads));
    sites_[s].load = static_cast<LoadIndex>(loads_++);
    site_of_load_.push_back(static_cast<std::uint32_t>(s));
    for (const ProgramPoint& use : info.consumers) {
      if (use.block.value() >= kernel.blocks.size())
        throw InputError(
            fmt::format("kernel {}: site {} has a consumer in block {}, expected a number below {}",
                        kernel.name, s, use.block.value(), kernel.blocks.size()));
      const std::optional<BlockId> end = ends[use.block.value()];
      if (end && info.point.block == use.block)
        waits_[end->value()].emplace_back(0, sites_[s].load);
      else
        waits_[use.block.value()].emplace_back(use.position, sites_[s].load);
    }
  }
  for (auto& waits : waits_) std::sort(waits.begin(), waits.end());
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b) add_block(kernel, b, config);
}

std::vector<Program::Item> Program::items_of(const KernelInfo& kernel, std::uint32_t block) const {
  const BlockInfo& info = kernel.blocks[block];
  std::vector<std::uint32_t> site_at(info.instructions, ~0u);
  std::vector<std::uint32_t> unplaced;  // kernels made by hand have no points
  for (const SiteId site : info.sites) {
    const ProgramPoint& point = kernel.sites[site.value()].point;
    if (point.block.value() == block && point.position < site_at.size() && site_at[point.position] == ~0u) {
      site_at[point.position] = site.value();
    } else {
      unplaced.push_back(site.value());
    }
  }
  const std::uint32_t phis = count_in(info, "phi"), branches = count_in(info, "branch");
  const auto sites = static_cast<std::uint32_t>(info.sites.size() - unplaced.size());
  const std::uint32_t others = info.instructions - std::min(info.instructions, phis + branches + sites);
  SpreadClasses spread(info, others);
  const std::size_t branch = instruction_class_named("branch");
  std::vector<Item> items;
  std::size_t wait = 0;
  for (std::uint32_t p = 0; p < info.instructions; ++p) {
    for (; wait < waits_[block].size() && waits_[block][wait].first <= p; ++wait)
      items.push_back({Item::Kind::Wait, waits_[block][wait].second, p});
    if (site_at[p] != ~0u) {
      push_site(kernel, site_at[p], p, items);
    } else if (p >= phis) {
      if (p + branches >= info.instructions) {
        push_compute(branch, p, items);
        continue;
      }
      spread.next_position();
      while (const std::optional<std::size_t> which = spread.take()) push_compute(*which, p, items);
    }
  }
  for (const std::uint32_t site : unplaced) push_site(kernel, site, info.instructions, items);
  for (; wait < waits_[block].size(); ++wait)
    items.push_back({Item::Kind::Wait, waits_[block][wait].second, info.instructions});
  return items;
}

void Program::push_compute(std::size_t which, std::uint32_t position, std::vector<Item>& items) const {
  if (costs_[which].unit != Unit::None && costs_[which].instructions != 0)
    items.push_back({Item::Kind::Compute, static_cast<std::uint32_t>(which), position});
}

/// Barriers and fences are instructions of their own class; memory instructions issue as what they are.
void Program::push_site(const KernelInfo& kernel, std::uint32_t site, std::uint32_t position,
                        std::vector<Item>& items) const {
  const std::size_t barrier = instruction_class_named("barrier");
  if (!has_address(kernel.sites[site].kind) && costs_[barrier].unit != Unit::None)
    items.push_back({Item::Kind::Compute, static_cast<std::uint32_t>(barrier), position});
  items.push_back({Item::Kind::Site, site, position});
}

Segment Program::append(std::span<const Item> items, double exposed) {
  Segment segment{static_cast<std::uint32_t>(ops_.size()), 0};
  for (const Item& item : items) {
    const auto kind = item.kind == Item::Kind::Wait ? Op::Kind::Wait : Op::Kind::Compute;
    const std::uint32_t count = kind == Op::Kind::Compute ? costs_[item.index].instructions : 0;
    if (count != 0 && ops_.size() > segment.first && ops_.back().kind == kind &&
        ops_.back().index == item.index) {
      ops_.back().count += count;
    } else {
      const double gap = kind == Op::Kind::Compute ? std::max(1.0, exposed * costs_[item.index].latency) : 0;
      ops_.push_back({kind, static_cast<std::uint16_t>(item.index), count,
                      static_cast<std::uint32_t>(std::lround(gap * Op::kGapsPerCycle))});
    }
  }
  segment.end = static_cast<std::uint32_t>(ops_.size());
  return segment;
}

/// Loads of a block that are on their way, oldest first, each with the place of its wait.
class Program::OnTheirWay {
 public:
  OnTheirWay(std::vector<Item> items, std::uint32_t most_registers)
      : items_(std::move(items)), is_done_(items_.size()), most_registers_(most_registers) {}
  /// A load of so many registers, whose wait is at that place.
  void issue(std::size_t wait, std::uint32_t registers) {
    while (!loads_.empty() && registers_ + registers > most_registers_) arrive(loads_.front().board);
    std::uint32_t board = 0;
    while (board + 1 < kScoreboards && is_taken(board)) ++board;
    loads_.push_back({wait, board, registers});
    registers_ += registers;
  }
  /// The wait at this place, and those of all loads of its scoreboard; nothing if it has been done.
  void wait(std::size_t at) {
    const auto found =
        std::find_if(loads_.begin(), loads_.end(), [&](const Load& one) { return one.wait == at; });
    if (found != loads_.end())
      arrive(found->board);
    else if (!is_done_[at])
      result_.push_back(items_[at]);
  }
  void other(const Item& item) { result_.push_back(item); }
  /// In their new order.
  std::vector<Item> take() { return std::move(result_); }

 private:
  struct Load {
    std::size_t wait;
    std::uint32_t board, registers;
  };
  [[nodiscard]] bool is_taken(std::uint32_t board) const {
    return std::any_of(loads_.begin(), loads_.end(), [&](const Load& one) { return one.board == board; });
  }
  void arrive(std::uint32_t board) {
    for (const Load& one : loads_) {
      if (one.board != board) continue;
      result_.push_back(items_[one.wait]);
      is_done_[one.wait] = true;
      registers_ -= one.registers;
    }
    std::erase_if(loads_, [&](const Load& one) { return one.board == board; });
  }

  std::vector<Item> items_, result_;
  std::vector<bool> is_done_;  ///< waits, by place
  std::vector<Load> loads_;
  std::uint32_t most_registers_, registers_ = 0;
};

/// Where a load of global memory would have more registers on their way than there are, the oldest is waited for in front of it. Who
/// waits for a load waits for all that share its scoreboard.
std::vector<Program::Item> Program::limit_registers(const KernelInfo& kernel, const std::vector<Item>& items,
                                                    std::uint32_t most_registers) const {
  const auto is_limited = [&](const Item& item) {
    return item.kind == Item::Kind::Site && sites_[item.index].load != kNoLoad &&
           kernel.sites[item.index].space == AddressSpace::Global;
  };
  if (most_registers == 0 || std::none_of(items.begin(), items.end(), is_limited)) return items;
  std::vector<std::size_t> wait_of(items.size(), items.size());  // of loads: the first wait behind them
  std::vector<std::size_t> next_wait(loads_, items.size());
  for (std::size_t i = items.size(); i-- > 0;) {
    if (items[i].kind == Item::Kind::Wait) next_wait[items[i].index] = i;
    if (is_limited(items[i])) wait_of[i] = next_wait[sites_[items[i].index].load];
  }
  OnTheirWay loads(items, most_registers);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].kind == Item::Kind::Wait) {
      loads.wait(i);
      continue;
    }
    if (wait_of[i] < items.size()) loads.issue(wait_of[i], registers_of(kernel.sites[items[i].index]));
    loads.other(items[i]);
  }
  return loads.take();
}

void Program::add_block(const KernelInfo& kernel, std::uint32_t block, const IssueConfig& config) {
  std::vector<Item> items = items_of(kernel, block);
  // A compiler issues a load as early as it may: a wait moves behind the loads that could have gone before
  // it, also where stores are between.
  for (std::size_t i = items.size(); i-- > 0;) {
    if (items[i].kind != Item::Kind::Wait) continue;
    std::size_t to = i, stores = 0, loads_behind_stores = 0;
    for (std::size_t k = i + 1; k < items.size(); ++k) {
      if (items[k].kind != Item::Kind::Site) continue;
      if (is_plain_store(kernel.sites[items[k].index])) {
        ++stores;
        continue;
      }
      if (stores != 0 && ++loads_behind_stores > kMostLoadsBeforeStores) break;
      const SiteInfo &load = kernel.sites[items[k].index],
                     &awaited = kernel.sites[site_of_load_[items[i].index]];
      if (!is_hoistable_past(load, block, items[i].position)) break;
      if (needs_value_of(load, awaited, block)) break;
      to = k;
    }
    std::rotate(items.begin() + static_cast<std::ptrdiff_t>(i),
                items.begin() + static_cast<std::ptrdiff_t>(i + 1),
                items.begin() + static_cast<std::ptrdiff_t>(to + 1));
  }
  items = limit_registers(kernel, items, config.load_registers);
  const std::uint32_t iterations = unrolled_iterations(kernel, block, config.unroll);
  const double exposed = exposed_latency(kernel.blocks[block], iterations, config);
  std::size_t begin = 0;
  SiteOps* last = nullptr;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].kind != Item::Kind::Site) continue;
    last = &sites_[items[i].index];
    last->before = append(std::span(items).subspan(begin, i - begin), exposed);
    begin = i + 1;
  }
  const std::vector<Item> tail(items.begin() + static_cast<std::ptrdiff_t>(begin), items.end());
  if (last == nullptr) {
    bodies_[block] = append(tail, exposed);
    return;
  }
  last->after = append(tail, exposed);
  last->iterations = iterations;
  if (iterations > 1) unroll(kernel, block, tail, exposed, *last);
}

/// A loop of one block that only loads and hands no loaded value to its next iteration: several iterations' loads can issue before the first
/// use. What a load waits for in its own iteration it waits for in the first one: the loads of the others are under way by then.
void Program::unroll(const KernelInfo& kernel, std::uint32_t block, const std::vector<Item>& tail,
                     double exposed, SiteOps& last) {
  const BlockInfo& info = kernel.blocks[block];
  std::size_t waits = 0;
  for (const SiteId site : info.sites) {
    const SiteInfo& load = kernel.sites[site.value()];
    if (load.kind != AccessKind::Load || load.is_volatile) return;
  }
  for (const auto& [position, load] : waits_[block]) {
    if (position >= info.instructions) return;
    ++waits;
  }
  if (waits == 0) return;
  const auto first_wait = static_cast<std::size_t>(
      std::find_if(tail.begin(), tail.end(), [](const Item& i) { return i.kind == Item::Kind::Wait; }) -
      tail.begin());
  last.every = append(std::span(tail).first(first_wait), exposed);
  last.after = append(std::span(tail).subspan(first_wait), exposed);
  last.loop_block = block;
}

}  // namespace warpscope::timed
