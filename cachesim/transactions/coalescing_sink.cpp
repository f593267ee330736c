#include "cachesim/transactions/coalescing_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "cachesim/access/served_lanes.h"
#include "traces/base/error.h"

namespace warpscope {
namespace {

constexpr std::size_t kStaged = 8192;          // transactions of a core before they go on
constexpr std::size_t kRemembered = 1u << 12;  // patterns at places; a power of two
constexpr std::uint64_t kPrivateAlignment = 2u << 20;

bool is_power_of_two(std::uint32_t value) {
  return std::has_single_bit(value);
}

std::uint32_t shape_of(std::uint32_t width, std::uint32_t alignment, Destination destination) {
  constexpr std::uint32_t kBypass = 1u << 31;
  return (destination == Destination::Bypass ? kBypass : 0) | width << 8 |
         static_cast<std::uint32_t>(std::countr_zero(alignment));
}

/// End of the highest buffer.
std::uint64_t end_of_buffers(const StreamHeader& header, const Layout& layout) {
  std::uint64_t end = header.layout.base;
  for (const BufferInfo& buffer : header.buffers)
    if (buffer.space == AddressSpace::Global || buffer.space == AddressSpace::Constant)
      end = std::max(end, layout.base(buffer.id).value() + buffer.size);
  return end;
}

}  // namespace

PlannedDestination planned_destination(const SiteInfo& site, L1Takes takes) {
  if (site.space == AddressSpace::Local) return {Destination::Local, Destination::Local};
  if (site.space == AddressSpace::Constant) return {Destination::Constant, Destination::Constant};
  const bool passes_by = site.kind == AccessKind::Atomic || site.is_volatile || takes == L1Takes::Nothing;
  const auto unless = [&](L1Takes refuses) {
    return passes_by || takes == refuses ? Destination::Bypass : Destination::L1;
  };
  const Destination in_private = unless(L1Takes::GlobalMemory);
  if (site.space == AddressSpace::Private) return {in_private, in_private};
  const Destination elsewhere = unless(L1Takes::PrivateMemory);
  return {site.space == AddressSpace::Generic ? in_private : elsewhere, elsewhere};
}

CoalescingSink::CoalescingSink(std::uint32_t line_bytes, const CoalescingRule& rule, TransactionSink& sink,
                               L1Takes takes, const std::optional<StageRules>& stages)
    : line_bytes_(line_bytes),
      line_shift_(std::countr_zero(line_bytes)),
      rule_(rule),
      sink_(sink),
      takes_(takes),
      residue_mask_(coalescing_period(rule, line_bytes) - 1),
      remembered_(kRemembered) {
  if (!stages) return;
  counted_.emplace(*stages, rule);
  counts_apart_ = !counted_->follows_from_transactions();
  residue_mask_ = std::max(residue_mask_, counted_->period() - 1);
  remembered_banks_.resize(kRemembered);
}

void CoalescingSink::begin(const StreamHeader& header) {
  header_ = header;
  plain_addresses_ = header.buffers.empty() && header.launches.empty();
  layout_ = Layout(header.buffers, header.layout);
  for (const BufferInfo& buffer : header.buffers) {
    if (buffer.id.value() >= space_of_buffer_.size()) space_of_buffer_.resize(buffer.id.value() + 1);
    space_of_buffer_[buffer.id.value()] = buffer.space;
  }
  address_limit_ = (Transaction::kMaxLine + 1) << line_shift_;
  if (line_shift_ + 44 >= 64) address_limit_ = ~std::uint64_t{0};
  TransactionHeader transactions{header, line_bytes_, rule_.name, Transaction::kMaxLine + 1,
                                 counted_.has_value()};
  if (!plain_addresses_) {
    const std::uint64_t end = end_of_buffers(header, layout_);
    const std::uint64_t first = (end + kPrivateAlignment - 1) / kPrivateAlignment * kPrivateAlignment;
    private_ = PrivateMemory(header.buffers, header.warp_size, first);
    std::uint64_t limit = end;
    for (const LaunchInfo& launch : header.launches) limit = std::max(limit, private_.end(launch));
    if (limit > address_limit_) refuse_address(limit);
    address_limit_ = limit;
    transactions.line_limit = (limit >> line_shift_) + 1;
    if (!private_.empty()) transactions.private_from = first >> line_shift_;
  }
  sink_.begin(transactions);
}

void CoalescingSink::refuse_address(std::uint64_t address) const {
  throw InputError(fmt::format("address {:#x} is beyond the end of memory, expected addresses below {:#x}",
                               address, address_limit_));
}

void CoalescingSink::begin_launch(LaunchId id) {
  flush_all();
  origins_.clear();
  announced_ = 0;
  sites_.clear();
  sink_.begin_launch(id);
  const std::size_t position = header_.launches.position_of(id);
  if (position == header_.launches.size()) return;
  const LaunchInfo& launch = header_.launches[position];
  private_.begin_launch(launch.local.count());
  for (const SiteInfo& info : launch.kernel->sites) {
    Site site;
    site.kind = info.kind;
    site.space = info.space;
    site.width = info.width;
    site.alignment = is_power_of_two(info.alignment) ? info.alignment : 1;
    site.instructions = instruction_count(site.width, site.alignment);
    site.planned = planned_destination(info, takes_);
    aim(site, site.planned.elsewhere);
    sites_.push_back(site);
  }
}

void CoalescingSink::aim(Site& site, Destination destination) {
  site.destination = destination;
  site.shape = shape_of(site.width, site.alignment, destination);
  site.shape_hash = std::uint64_t{site.shape} * 0x9E37;
}

CoalescingSink::Site& CoalescingSink::text_site(const WarpAccess& access) {
  constexpr std::uint32_t kMaxInstructions = 1u << 20;
  if (access.site.value() >= kMaxInstructions)
    throw InputError(fmt::format("instruction {} in the stream, expected a number below {}",
                                 access.site.value(), kMaxInstructions));
  const std::size_t at = std::size_t{access.site.value()} * 2 + (access.kind == AccessKind::Store ? 1 : 0);
  if (at >= sites_.size()) sites_.resize(at + 1);
  sites_[at].kind = access.kind;
  if (takes_ == L1Takes::Nothing || takes_ == L1Takes::PrivateMemory)
    sites_[at].destination = Destination::Bypass;
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
  for (std::size_t next = stage.tallies.size(); next < origins_.origins().size(); ++next)
    stage.tallies.push_back({OriginId(static_cast<std::uint16_t>(next))});
}

Destination CoalescingSink::destination_of(const Site& site, BufferId buffer) const {
  return plain_addresses_ ? site.destination : destination_in(site.planned, buffer, space_of_buffer_);
}

OriginId CoalescingSink::origin_of(Site& site, SiteId id, BufferId buffer, Destination destination) {
  if (site.last_buffer != buffer.value()) {
    site.last_origin = origins_.id_of({id, buffer, site.kind, destination});
    site.last_buffer = buffer.value();
    site.last_in_memory = false;
    add_tallies(*stage_);
  }
  return site.last_origin;
}

void CoalescingSink::tally(Stage& stage, OriginId origin, const Site& site, std::uint32_t lanes,
                           bool whole_request) {
  const std::uint64_t instructions = site.instructions;
  stage.tallies[origin.value()].lanes += lanes * instructions;
  if (whole_request && !makes_transactions(origins_.origins()[origin.value()].destination))
    stage.tallies[origin.value()].outside_requests += instructions;
}

void CoalescingSink::access(const WarpAccess& access) {
  Site& site = site_of(access);
  if (!has_address(site.kind)) return;  // barriers and fences are in the schedule, too
  if (stage_ == nullptr || access.core != core_) enter(access.core);
  Stage& stage = *stage_;
  const LanePattern& pattern = *access.pattern;
  const auto offset = static_cast<std::int64_t>(access.base.offset());
  const bool in_one_buffer =
      offset + pattern.min_offset >= 0 &&
      offset + pattern.max_offset <= static_cast<std::int64_t>(BufferAddr::kOffsetMask);
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
    if (counted_ && destination != Destination::NoObject) access_outside(access, site, stage, origin);
  } else if (space_of_buffer_[buffer.value()] == AddressSpace::Private) {
    aim(site, destination);
    access_private(access, site, stage);
  } else {
    aim(site, destination);
    origin_of(site, access.site, buffer, site.destination);
    site.last_in_memory = true;
    site.last_base = layout_.base(buffer).value();
    access_in_memory(access, site, stage, layout_.address(access.base).value());
  }
}

inline const CoalescingSink::Remembered& CoalescingSink::steps_of(const WarpAccess& access, const Site& site,
                                                                  std::uint64_t address) {
  const std::uint64_t key = std::uint64_t{access.pattern_id} << 32 | (address & residue_mask_);
  Remembered* found = &once_;
  if (access.pattern_id != 0) [[likely]] {
    static_assert(kRemembered == 1u << (64 - 52));
    found = &remembered_[((key + site.shape_hash) * 0x9E3779B97F4A7C15ull) >> 52];
    if (found->key == key && found->shape == site.shape) [[likely]]
      return *found;
    found->key = key;
    found->shape = site.shape;
  }
  make_steps(access, site, address, *found);
  return *found;
}

void CoalescingSink::make_steps(const WarpAccess& access, const Site& site, std::uint64_t address,
                                Remembered& out) {
  const LanePattern& pattern = *access.pattern;
  addresses_.resize(pattern.lanes);
  for (std::uint32_t i = 0; i < pattern.lanes; ++i)
    addresses_[i] = address + static_cast<std::uint64_t>(pattern.offset[i]);
  lines_.clear();
  const LaneAccesses lanes{pattern.mask, addresses_, site.width, site.alignment, header_.warp_size};
  coalesce(lanes, rule_, line_bytes_, lines_);
  if (names_touchers_) served_lanes(lanes, rule_, line_bytes_, lines_, out.lanes);
  const std::uint64_t base_line = address >> line_shift_;
  out.steps.clear();
  for (const CoalescedLine& line : lines_)
    out.steps.push_back((line.line.value() - base_line) << Transaction::kLineShift |
                        std::uint64_t{line.first_of_request});
  if (needs_plan(site)) counted_->plan(lanes, address, lines_, out.plan);
}

void CoalescingSink::count_stages(const StagePlan& plan, std::uint64_t base, Destination destination,
                                  StageCounts& sum) const {
  if (destination == Destination::Bypass)
    sum.bytes += plan.bypass_bytes;
  else
    counted_->add(plan, base, sum);
}

void CoalescingSink::plan_apart(const LaneAccesses& lanes, const Site& site, OriginTally& tally) {
  if (!needs_plan(site)) return;
  const std::uint64_t base = lanes.address.empty() ? 0 : lanes.address.front();
  counted_->plan(lanes, base, lines_, once_.plan);
  count_stages(once_.plan, base, site.destination, tally.stages);
}

const CoalescingSink::RememberedBanks& CoalescingSink::banks_of(const WarpAccess& access, const Site& site) {
  const BankRules& rules = counted_->rules().banks;
  const auto residue = static_cast<std::uint32_t>(access.base.offset() & (bank_period(rules) - 1));
  RememberedBanks* entry = &banks_once_;
  if (access.pattern_id != 0) {
    const std::uint64_t key =
        (std::uint64_t{access.pattern_id} << 32 | residue) + std::uint64_t{site.shape} * 0x9E37;
    entry = &remembered_banks_[(key * 0x9E3779B97F4A7C15ull) >> 52];
    if (entry->pattern == access.pattern_id && entry->shape == site.shape && entry->residue == residue)
      return *entry;
    entry->pattern = access.pattern_id;
    entry->shape = site.shape;
    entry->residue = residue;
  }
  const std::uint32_t bytes = instruction_width(site.width, site.alignment);
  entry->degrees.clear();
  for (std::uint32_t i = 0; i < site.instructions; ++i) {
    addresses_.clear();
    for (std::uint32_t lane = 0; lane < access.pattern->lanes; ++lane)
      addresses_.push_back(access.base.offset() + static_cast<std::uint64_t>(access.pattern->offset[lane]) +
                           std::uint64_t{i} * bytes);
    bank_degrees({access.pattern->mask, addresses_, bytes, header_.warp_size}, rules, entry->degrees);
  }
  entry->cycles = std::accumulate(entry->degrees.begin(), entry->degrees.end(), std::uint32_t{0});
  return *entry;
}

/// Local memory: its banks. Constants: one address after the other.
void CoalescingSink::access_outside(const WarpAccess& access, const Site& site, Stage& stage,
                                    OriginId origin) {
  OriginTally& tally = stage.tallies[origin.value()];
  if (origins_.origins()[origin.value()].destination == Destination::Constant) {
    const LanePattern& pattern = *access.pattern;
    addresses_.assign(pattern.offset.begin(), pattern.offset.begin() + pattern.lanes);
    std::sort(addresses_.begin(), addresses_.end());
    const auto distinct =
        static_cast<std::uint64_t>(std::unique(addresses_.begin(), addresses_.end()) - addresses_.begin());
    const std::uint64_t instructions = site.instructions;
    tally.outside_wavefronts += distinct * instructions;
    tally.outside_conflicts += (distinct - 1) * instructions;
    return;
  }
  const RememberedBanks& banks = banks_of(access, site);
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
  tally.lanes += std::uint64_t{access.pattern->lanes} * site.instructions;
  const Remembered& found = steps_of(access, site, address);
  if (needs_plan(site)) count_stages(found.plan, address, site.destination, tally.stages);
  if (names_touchers_)
    for (const LaneMask lanes : found.lanes) name_toucher(access, stage, lanes);
  const std::uint64_t base =
      Transaction(LineAddr(address >> line_shift_), origin, kind, bypass, false).bits();
  const std::span<const std::uint64_t> steps = found.steps;
  Transaction* const out = stage.add(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) out[i] = Transaction(base + steps[i]);
}

/// Words of 32 bits: an instruction of 8 bytes touches two words of every lane, which lie in different lines.
void CoalescingSink::access_private(const WarpAccess& access, Site& site, Stage& stage) {
  const OriginId origin = origin_of(site, access.site, access.base.buffer(), site.destination);
  tally(stage, origin, site, access.pattern->lanes);
  const std::uint32_t bytes = instruction_width(site.width, site.alignment);
  std::vector<std::uint64_t> seen;
  for (std::uint32_t at = 0; at < std::max(1u, site.width); at += 4) {
    if (bytes == 0 || at % bytes == 0) seen.clear();
    addresses_.clear();
    LaneMask mask = access.pattern->mask;
    for (std::uint32_t i = 0; i < access.pattern->lanes; ++i, mask &= mask - 1)
      addresses_.push_back(private_.address(
          access.group, access.warp, LaneId(static_cast<std::uint32_t>(std::countr_zero(mask))),
          BufferAddr(access.base.key() + static_cast<std::uint64_t>(access.pattern->offset[i]) + at)));
    lines_.clear();
    const LaneAccesses lanes{access.pattern->mask, addresses_, 1, 1, header_.warp_size};
    coalesce(lanes, rule_, line_bytes_, lines_);
    std::erase_if(lines_, [&](const CoalescedLine& line) {
      return std::find(seen.begin(), seen.end(), line.line.value()) != seen.end();
    });
    if (names_touchers_) served_lanes(lanes, rule_, line_bytes_, lines_, served_);
    for (const CoalescedLine& line : lines_) {
      if ((line.line.value() << line_shift_) > address_limit_)
        refuse_address(line.line.value() << line_shift_);
      *stage.add(1) =
          Transaction(line.line, origin, site.kind, site.destination == Destination::Bypass, seen.empty());
      if (names_touchers_)
        name_toucher(access, stage, served_[static_cast<std::size_t>(&line - lines_.data())]);
      seen.push_back(line.line.value());
    }
    plan_apart({access.pattern->mask, addresses_, 4, 4, header_.warp_size}, site,
               stage.tallies[origin.value()]);
  }
}

/// Of the lanes in addresses_ the first that touches the line. Of a segment larger than the line some lines
/// may be touched by none: then the nearest.
std::size_t CoalescingSink::lane_of(LineAddr line, std::uint32_t width) const {
  std::size_t nearest = 0;
  std::uint64_t least = ~std::uint64_t{0};
  for (std::size_t lane = 0; lane < addresses_.size() && least != 0; ++lane) {
    const std::uint64_t first = addresses_[lane] >> line_shift_;
    const std::uint64_t last = (addresses_[lane] + std::max(1u, width) - 1) >> line_shift_;
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
  addresses_.clear();
  const auto location = [&](std::uint32_t i) {
    return BufferAddr(access.base.key() + static_cast<std::uint64_t>(pattern.offset[i]));
  };
  for (std::uint32_t i = 0; i < pattern.lanes; ++i, mask &= mask - 1) {
    const BufferId buffer = location(i).buffer();
    if (!makes_transactions(destination_of(site, buffer))) continue;
    in_memory |= mask & (~mask + 1);
    buffer_of.push_back(buffer);
    addresses_.push_back(
        address_of(access, LaneId(static_cast<std::uint32_t>(std::countr_zero(mask))), location(i)));
    if (addresses_.back() + site.width > address_limit_) refuse_address(addresses_.back());
  }
  for (std::uint32_t i = 0; i < pattern.lanes; ++i) {
    const BufferId buffer = location(i).buffer();
    tally(stage, origin_of(site, access.site, buffer, destination_of(site, buffer)), site, 1,
          in_memory == 0 && i == 0);
  }
  lines_.clear();
  const LaneAccesses lanes{in_memory, addresses_, site.width, site.alignment, header_.warp_size};
  coalesce(lanes, rule_, line_bytes_, lines_);
  if (names_touchers_) {
    served_lanes(lanes, rule_, line_bytes_, lines_, served_);
    for (const LaneMask served : served_) name_toucher(access, stage, served);
  }
  for (const CoalescedLine& line : lines_) {
    const std::size_t lane = lane_of(line.line, site.width);
    const Destination destination = destination_of(site, buffer_of[lane]);
    const OriginId origin = origin_of(site, access.site, buffer_of[lane], destination);
    *stage.add(1) =
        Transaction(line.line, origin, site.kind, destination == Destination::Bypass, line.first_of_request);
  }
  if (!addresses_.empty()) {
    // The stages see one access: it goes where its first lane does.
    aim(site, destination_of(site, buffer_of.front()));
    const OriginId origin = origin_of(site, access.site, buffer_of.front(), site.destination);
    plan_apart({in_memory, addresses_, site.width, site.alignment, header_.warp_size}, site,
               stage.tallies[origin.value()]);
  }
}

std::uint64_t CoalescingSink::address_of(const WarpAccess& access, LaneId lane, BufferAddr where) const {
  return space_of_buffer_[where.buffer().value()] == AddressSpace::Private
             ? private_.address(access.group, access.warp, lane, where)
             : layout_.address(where).value();
}

void CoalescingSink::name_toucher(const WarpAccess& access, Stage& stage, LaneMask lanes) {
  stage.touchers.push_back({access.group, access.warp, lanes});
}

void CoalescingSink::flush(CoreId core, Stage& stage) {
  const auto origins = origins_.origins();
  if (announced_ < origins.size()) {
    sink_.add_origins(origins.subspan(announced_));
    announced_ = origins.size();
  }
  std::vector<OriginTally> tallies;
  for (const OriginTally& tally : stage.tallies)
    if (tally.lanes != 0 || tally.outside_requests != 0) tallies.push_back(tally);
  std::vector<DegreeTally> degrees;
  for (std::size_t origin = 0; origin < stage.degrees.size(); ++origin)
    for (std::size_t degree = 0; degree < stage.degrees[origin].size(); ++degree)
      if (const std::uint64_t passes = stage.degrees[origin][degree]; passes != 0)
        degrees.push_back(
            {OriginId(static_cast<std::uint16_t>(origin)), static_cast<std::uint16_t>(degree), passes});
  if (!tallies.empty() || stage.used != 0)
    sink_.block({core, tallies, std::span(stage.transactions).first(stage.used), degrees, stage.touchers});
  stage.used = 0;
  stage.touchers.clear();
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
