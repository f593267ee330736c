#include "cachesim/transactions/coalescing_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "cachesim/access/served_lanes.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

constexpr std::size_t kStaged = 8192;  // transactions of a core before they go on
constexpr std::uint32_t kBypassShape = 1u << 31;

}  // namespace

CoalescingSink::CoalescingSink(std::uint32_t line_bytes, const CoalescingRule& rule, TransactionSink& sink,
                               L1Takes takes, const std::optional<StageRules>& stages)
    : line_bytes_(line_bytes),
      line_shift_(std::countr_zero(line_bytes)),
      takes_(takes),
      sink_(sink),
      path_({rule, line_bytes, line_bytes, stages}) {
  if (!stages) return;
  counts_apart_ = !path_.stages()->follows_from_transactions();
  banks_.emplace(stages->banks);
}

void CoalescingSink::begin(const StreamHeader& header) {
  header_ = header;
  plain_addresses_ = header.buffers.empty() && header.launches.empty();
  path_.begin(header);
  address_limit_ = (Transaction::kMaxLine + 1) << line_shift_;
  if (line_shift_ + 44 >= 64) address_limit_ = ~std::uint64_t{0};
  TransactionHeader transactions{header, line_bytes_, path_.rule().name, Transaction::kMaxLine + 1,
                                 path_.stages() != nullptr};
  if (!plain_addresses_) {
    const std::uint64_t limit = path_.memory().end(header);
    if (limit > address_limit_) refuse_address(limit);
    address_limit_ = limit;
    transactions.line_limit = (limit >> line_shift_) + 1;
    if (const auto first = path_.memory().private_begin()) transactions.private_from = *first >> line_shift_;
  }
  sink_.begin(transactions);
}

void CoalescingSink::refuse_address(std::uint64_t address) const {
  throw InputError(fmt::format("address {:#x} is beyond the end of memory, expected addresses below {:#x}",
                               address, address_limit_));
}

void CoalescingSink::begin_launch(LaunchId id) {
  flush_all();
  announced_ = 0;
  sites_.clear();
  sink_.begin_launch(id);
  const std::size_t position = header_.launches.position_of(id);
  if (position == header_.launches.size()) return path_.begin_launch({});  // text
  const LaunchInfo& launch = header_.launches[position];
  path_.begin_launch(launch);
  const L1Takes takes = taken_of(*launch.kernel, takes_);
  for (const SiteInfo& info : launch.kernel->sites) {
    sites_.push_back({AccessSite(info, takes)});
    aim(sites_.back(), sites_.back().planned.elsewhere);
  }
}

/// The next access of the site goes there.
void CoalescingSink::aim(Site& site, Destination destination) {
  site.destination = destination;
  site.shape = (site.shape & ~kBypassShape) | (destination == Destination::Bypass ? kBypassShape : 0);
}

CoalescingSink::Site& CoalescingSink::text_site(const WarpAccess& access) {
  constexpr std::uint32_t kMaxInstructions = 1u << 20;
  if (access.site.value() >= kMaxInstructions)
    throw InputError(fmt::format("instruction {} in the stream, expected a number below {}",
                                 access.site.value(), kMaxInstructions));
  const std::size_t at = std::size_t{access.site.value()} * 2 + (access.kind == AccessKind::Store ? 1 : 0);
  if (at >= sites_.size()) sites_.resize(at + 1);
  sites_[at].kind = access.kind;
  if (!takes_global(takes_)) sites_[at].destination = Destination::Bypass;
  return sites_[at];
}

CoalescingSink::Site& CoalescingSink::site_of(const WarpAccess& access) {
  if (plain_addresses_) return text_site(access);
  if (access.site.value() >= sites_.size())
    throw InputError(
        fmt::format("site {} in the stream, expected a number below {}", access.site.value(), sites_.size()));
  return sites_[access.site.value()];
}

/// Makes stage_ the stage of `core`. Cores come one after the other, or a turn each.
void CoalescingSink::enter(CoreId core) {
  constexpr std::uint32_t kMaxCores = 1u << 16;
  if (core.value() >= kMaxCores)
    throw InputError(
        fmt::format("core {} in the stream, expected a number below {}", core.value(), kMaxCores));
  if (core.value() >= stages_.size()) stages_.resize(core.value() + 1);
  stage_ = &stages_[core.value()];
  core_ = core;
  add_tallies(*stage_);
}

void CoalescingSink::add_tallies(Stage& stage) const {
  for (std::size_t next = stage.tallies.size(); next < path_.origins().size(); ++next)
    stage.tallies.push_back({OriginId(static_cast<std::uint16_t>(next))});
}

Destination CoalescingSink::destination_of(const Site& site, BufferId buffer) const {
  return plain_addresses_ ? site.destination : path_.destination_of(site, buffer);
}

OriginId CoalescingSink::origin_of(Site& site, SiteId id, BufferId buffer, Destination destination) {
  if (site.last_buffer != buffer.value()) {
    path_.origin_of(site, id, buffer, destination);
    site.last_in_memory = false;
    add_tallies(*stage_);
  }
  return site.last_origin;
}

void CoalescingSink::tally(Stage& stage, OriginId origin, const Site& site, std::uint32_t lanes,
                           bool whole_request) {
  const std::uint64_t instructions = site.instructions;
  stage.tallies[origin.value()].access.lanes += lanes * instructions;
  if (whole_request && !makes_transactions(path_.origins()[origin.value()].destination))
    stage.tallies[origin.value()].outside_requests += instructions;
}

void CoalescingSink::access(const WarpAccess& access) {
  Site& site = site_of(access);
  if (!has_address(site.kind)) return;  // barriers and fences are in the schedule, too
  if (stage_ == nullptr || access.core != core_) enter(access.core);
  Stage& stage = *stage_;
  const bool in_one_buffer = AccessPath::in_one_buffer(access);
  if (site.last_in_memory && site.last_buffer == access.base.buffer().value() && in_one_buffer) [[likely]]
    access_in_memory(access, site, stage, site.last_base + access.base.offset());
  else
    access_elsewhere(access, site, stage, in_one_buffer);
  if (stage.used < kStaged) return;
  flush(access.core, stage);
  add_tallies(stage);
}

/// What does not go where the site's last access went.
void CoalescingSink::access_elsewhere(const WarpAccess& access, Site& site, Stage& stage,
                                      bool in_one_buffer) {
  const BufferId buffer = plain_addresses_ ? BufferId(0) : access.base.buffer();
  if (plain_addresses_) {
    origin_of(site, access.site, buffer, site.destination);
    access_in_memory(access, site, stage, access.base.key());
  } else if (!in_one_buffer) {
    access_scattered(access, site, stage);
  } else if (const Destination destination = destination_of(site, buffer); !makes_transactions(destination)) {
    const OriginId origin = origin_of(site, access.site, buffer, destination);
    tally(stage, origin, site, access.pattern->lanes);
    if (banks_ && destination != Destination::NoObject) access_outside(access, site, stage, origin);
  } else if (path_.memory().is_private(buffer)) {
    aim(site, destination);
    access_private(access, site, stage);
  } else {
    aim(site, destination);
    origin_of(site, access.site, buffer, site.destination);
    site.last_in_memory = true;
    site.last_base = path_.memory().base(buffer);
    access_in_memory(access, site, stage, path_.memory().address(access.base));
  }
}

inline const CoalescingSink::Remembered& CoalescingSink::steps_of(const WarpAccess& access, const Site& site,
                                                                  std::uint64_t address) {
  const auto [entry, fresh] = remembered_.at(access.pattern_id, path_.residue(address), site.shape);
  if (fresh) [[unlikely]]
    make_steps(access, site, address, entry);
  return entry;
}

void CoalescingSink::make_steps(const WarpAccess& access, const Site& site, std::uint64_t address,
                                Remembered& out) {
  const LaneAccesses lanes = path_.coalesce_at(access, site, address);
  if (names_accessors_) served_lanes(lanes, path_.rule(), line_bytes_, path_.lines(), out.lanes);
  const std::uint64_t base_line = address >> line_shift_;
  out.steps.clear();
  for (const CoalescedLine& line : path_.lines())
    out.steps.push_back((line.line.value() - base_line) << Transaction::kLineShift |
                        std::uint64_t{line.first_of_request});
  if (needs_plan(site)) path_.stages()->plan(lanes, address, path_.lines(), out.plan);
}

void CoalescingSink::count_stages(const StagePlan& plan, std::uint64_t base, Destination destination,
                                  StageCounts& sum) const {
  if (destination != Destination::Bypass) return path_.stages()->add(plan, base, sum);
  sum.bytes += plan.bypass_bytes;
  sum.cache_reads += plan.fixed.cache_reads;
  sum.load_words += plan.fixed.load_words;
  sum.cache_writes += plan.fixed.cache_writes;
}

void CoalescingSink::plan_apart(const LaneAccesses& lanes, const Site& site, OriginTally& tally) {
  if (!needs_plan(site)) return;
  const std::uint64_t base = lanes.address.empty() ? 0 : lanes.address.front();
  StagePlan& plan = remembered_.once().plan;
  path_.stages()->plan(lanes, base, path_.lines(), plan);
  count_stages(plan, base, site.destination, tally.stages);
}

/// Local memory: its banks. Constants: one address after the other.
void CoalescingSink::access_outside(const WarpAccess& access, const Site& site, Stage& stage,
                                    OriginId origin) {
  OriginTally& tally = stage.tallies[origin.value()];
  if (path_.origins()[origin.value()].destination == Destination::Constant) {
    const std::uint64_t distinct = distinct_addresses(*access.pattern);
    const std::uint64_t instructions = site.instructions;
    tally.outside_wavefronts += distinct * instructions;
    tally.outside_conflicts += (distinct - 1) * instructions;
    return;
  }
  const BankPasses& banks = banks_->passes(access, site, header_.warp_size);
  tally.outside_wavefronts += banks.cycles;
  tally.outside_conflicts += banks.cycles - banks.degrees.size();
  if (origin.value() >= stage.degrees.size()) stage.degrees.resize(origin.value() + 1);
  std::vector<std::uint64_t>& passes = stage.degrees[origin.value()];
  for (const std::uint16_t degree : banks.degrees) {
    if (degree >= passes.size()) passes.resize(degree + 1);
    ++passes[degree];
  }
}

void CoalescingSink::access_in_memory(const WarpAccess& access, const Site& site, Stage& stage,
                                      std::uint64_t address) {
  const std::uint64_t last = address + static_cast<std::uint64_t>(access.pattern->max_offset) + site.width;
  if (last > address_limit_) refuse_address(last);
  const OriginId origin = site.last_origin;
  const AccessKind kind = site.kind;
  const bool bypass = site.destination == Destination::Bypass;
  OriginTally& tally = stage.tallies[origin.value()];
  tally.access.lanes += std::uint64_t{access.pattern->lanes} * site.instructions;
  const Remembered& found = steps_of(access, site, address);
  if (needs_plan(site)) count_stages(found.plan, address, site.destination, tally.stages);
  if (names_accessors_)
    for (const LaneMask lanes : found.lanes) name_accessor(access, stage, lanes);
  const std::uint64_t base =
      Transaction(LineAddr(address >> line_shift_), origin, kind, bypass, false).bits();
  const std::span<const std::uint64_t> steps = found.steps;
  Transaction* const out = stage.add(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) out[i] = Transaction(base + steps[i]);
}

void CoalescingSink::access_private(const WarpAccess& access, Site& site, Stage& stage) {
  const OriginId origin = origin_of(site, access.site, access.base.buffer(), site.destination);
  tally(stage, origin, site, access.pattern->lanes);
  stage.tallies[origin.value()].access.private_words += site.words();
  path_.each_private_word(access, site, [&](const LaneAccesses& lanes, bool begins) {
    if (names_accessors_) name_accessors_of(access, lanes, stage);
    for (const CoalescedLine& line : path_.lines()) {
      if ((line.line.value() << line_shift_) > address_limit_)
        refuse_address(line.line.value() << line_shift_);
      *stage.add(1) =
          Transaction(line.line, origin, site.kind, site.destination == Destination::Bypass, begins);
      begins = false;
    }
    plan_apart({lanes.mask, lanes.address, 4, 4, lanes.warp_size}, site, stage.tallies[origin.value()]);
  });
}

/// Of the lanes the first that touches the line. Of a segment larger than the line some lines may be touched
/// by none: then the nearest.
std::size_t CoalescingSink::lane_of(LineAddr line, const LaneAccesses& lanes) const {
  std::size_t nearest = 0;
  std::uint64_t least = ~std::uint64_t{0};
  for (std::size_t lane = 0; lane < lanes.address.size() && least != 0; ++lane) {
    const std::uint64_t first = lanes.address[lane] >> line_shift_;
    const std::uint64_t last = (lanes.address[lane] + std::max(1u, lanes.width) - 1) >> line_shift_;
    const std::uint64_t distance = line.value() < first  ? first - line.value()
                                   : line.value() > last ? line.value() - last
                                                         : 0;
    if (distance >= least) continue;
    least = distance;
    nearest = lane;
  }
  return nearest;
}

/// Lanes in several buffers: those that reach the memory together are coalesced together. The lanes of the
/// others are counted where they go; the request only if no lane reaches the memory, with the first lane.
void CoalescingSink::access_scattered(const WarpAccess& access, Site& site, Stage& stage) {
  const LanePattern& pattern = *access.pattern;
  LaneMask mask = pattern.mask, in_memory = 0;
  std::vector<BufferId> buffer_of;
  std::vector<std::uint64_t> addresses;
  const auto location = [&](std::uint32_t i) {
    return BufferAddr(access.base.key() + static_cast<std::uint64_t>(pattern.offset[i]));
  };
  for (std::uint32_t i = 0; i < pattern.lanes; ++i, mask &= mask - 1) {
    const BufferId buffer = location(i).buffer();
    if (!makes_transactions(destination_of(site, buffer))) continue;
    in_memory |= mask & (~mask + 1);
    buffer_of.push_back(buffer);
    addresses.push_back(path_.memory().address(
        access, LaneId(static_cast<std::uint32_t>(std::countr_zero(mask))), location(i)));
    if (addresses.back() + site.width > address_limit_) refuse_address(addresses.back());
  }
  for (std::uint32_t i = 0; i < pattern.lanes; ++i) {
    const BufferId buffer = location(i).buffer();
    tally(stage, origin_of(site, access.site, buffer, destination_of(site, buffer)), site, 1,
          in_memory == 0 && i == 0);
  }
  if (addresses.empty()) return;
  const LaneAccesses lanes{in_memory, addresses, site.width, site.alignment, header_.warp_size};
  path_.coalesce(lanes);
  if (names_accessors_) name_accessors_of(access, lanes, stage);
  for (const CoalescedLine& line : path_.lines()) {
    const std::size_t lane = lane_of(line.line, lanes);
    const Destination destination = destination_of(site, buffer_of[lane]);
    const OriginId origin = origin_of(site, access.site, buffer_of[lane], destination);
    *stage.add(1) =
        Transaction(line.line, origin, site.kind, destination == Destination::Bypass, line.first_of_request);
  }
  // The stages see one access: it goes where its first lane does.
  aim(site, destination_of(site, buffer_of.front()));
  const OriginId origin = origin_of(site, access.site, buffer_of.front(), site.destination);
  if (path_.memory().is_private(buffer_of.front()))
    stage.tallies[origin.value()].access.private_words += site.words();
  plan_apart(lanes, site, stage.tallies[origin.value()]);
}

/// Of the transactions that path_ made of the lanes.
void CoalescingSink::name_accessors_of(const WarpAccess& access, const LaneAccesses& lanes, Stage& stage) {
  served_lanes(lanes, path_.rule(), line_bytes_, path_.lines(), served_);
  for (const LaneMask served : served_) name_accessor(access, stage, served);
}

void CoalescingSink::name_accessor(const WarpAccess& access, Stage& stage, LaneMask lanes) {
  stage.accessors.push_back({access.group, access.warp, lanes});
}

void CoalescingSink::flush(CoreId core, Stage& stage) {
  const auto origins = path_.origins();
  if (announced_ < origins.size()) {
    sink_.add_origins(origins.subspan(announced_));
    announced_ = origins.size();
  }
  std::vector<OriginTally> tallies;
  for (const OriginTally& tally : stage.tallies)
    if (tally.access.lanes != 0 || tally.outside_requests != 0) tallies.push_back(tally);
  std::vector<DegreeTally> degrees;
  for (std::size_t origin = 0; origin < stage.degrees.size(); ++origin)
    for (std::size_t degree = 0; degree < stage.degrees[origin].size(); ++degree)
      if (const std::uint64_t passes = stage.degrees[origin][degree]; passes != 0)
        degrees.push_back(
            {OriginId(static_cast<std::uint16_t>(origin)), static_cast<std::uint16_t>(degree), passes});
  if (!tallies.empty() || stage.used != 0)
    sink_.block({core, tallies, std::span(stage.transactions).first(stage.used), degrees, stage.accessors});
  stage.used = 0;
  stage.accessors.clear();
  stage.tallies.clear();
  stage.degrees.clear();
}

void CoalescingSink::flush_all() {
  for (std::size_t core = 0; core < stages_.size(); ++core)
    flush(CoreId(static_cast<std::uint32_t>(core)), stages_[core]);
  stage_ = nullptr;
}

void CoalescingSink::end() {
  flush_all();
  sink_.end();
}

}  // namespace warpscope
