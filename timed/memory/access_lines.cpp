#include "timed/memory/access_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "traces/base/error.h"

namespace warpscope::timed {
namespace {

constexpr std::size_t kRemembered = 1u << 12;  // a power of two
constexpr std::uint64_t kPrivateAlignment = 2u << 20;

std::uint64_t end_of_buffers(const StreamHeader& header, const Layout& layout) {
  std::uint64_t end = header.layout.base;
  for (const BufferInfo& buffer : header.buffers)
    if (buffer.space == AddressSpace::Global || buffer.space == AddressSpace::Constant)
      end = std::max(end, layout.base(buffer.id).value() + buffer.size);
  return end;
}

std::optional<AccessStages> stages_of(const TimedConfig& config, const CoalescingRule& rule) {
  if (config.l1.stages == L1Stages::InOrder || config.l1.tags_per_cycle == 0) return {};
  return AccessStages({config.l1.banks, config.l1.tags_per_cycle, config.l1.cache.line_bytes}, rule);
}

}  // namespace

AccessLines::AccessLines(const StreamHeader& header, const TimedConfig& config)
    : header_(header),
      rule_(coalescing_rule(config.coalescing)),
      sector_bytes_(config.l1.cache.transaction_bytes()),
      data_bytes_(config.l1.data_bytes_per_cycle),
      banks_(config.l1.banks),
      stages_(stages_of(config, rule_)),
      residue_mask_(
          std::max(coalescing_period(rule_, config.l1.cache.line_bytes), stages_ ? stages_->period() : 1) -
          1),
      tag_banks_(stages_ && rule_.tag_stage == TagStage::BankedTags ? config.l1.tags_per_cycle : 0),
      line_shift_(std::countr_zero(config.l1.cache.line_bytes)),
      sectors_shift_(line_shift_ - std::countr_zero(config.l1.cache.transaction_bytes())),
      l1_takes_(config.l1.takes),
      sectors_apart_(config.l1.sectors_apart),
      layout_(header.buffers, header.layout),
      remembered_(kRemembered) {
  for (const BufferInfo& buffer : header.buffers) {
    if (buffer.id.value() >= space_of_buffer_.size()) space_of_buffer_.resize(buffer.id.value() + 1);
    space_of_buffer_[buffer.id.value()] = buffer.space;
  }
  const std::uint64_t end = end_of_buffers(header, layout_);
  const std::uint64_t first = (end + kPrivateAlignment - 1) / kPrivateAlignment * kPrivateAlignment;
  private_ = PrivateMemory(header.buffers, header.warp_size, first);
  if (!private_.empty()) private_from_ = first >> line_shift_;
}

void AccessLines::begin_launch(const LaunchInfo& launch) {
  origins_.clear();
  sites_.clear();
  private_.begin_launch(launch.local.count());
  for (const SiteInfo& info : launch.kernel->sites) {
    Site site;
    site.kind = info.kind;
    site.space = info.space;
    site.width = info.width;
    site.alignment = std::has_single_bit(info.alignment) ? info.alignment : 1;
    site.shape = site.width << 8 | static_cast<std::uint32_t>(std::countr_zero(site.alignment));
    site.planned = planned_destination(info, l1_takes_);
    sites_.push_back(site);
  }
}

Destination AccessLines::destination_of(const Site& site, BufferId buffer) const {
  return destination_in(site.planned, buffer, space_of_buffer_);
}

OriginId AccessLines::origin_of(Site& site, SiteId id, BufferId buffer, Destination destination) {
  if (site.last_buffer != buffer.value()) {
    site.last_origin = origins_.id_of({id, buffer, site.kind, destination});
    site.last_buffer = buffer.value();
  }
  return site.last_origin;
}

/// Groups sectors (transactions of the coalescer) into look-ups of lines, request by request.
void AccessLines::steps_of_lines(std::int64_t base_line, Remembered& out) const {
  out.steps.clear();
  std::size_t request = 0;
  for (const CoalescedLine& sector : sectors_) {
    if (sector.first_of_request) request = out.steps.size();
    const std::int64_t line = static_cast<std::int64_t>(sector.line.value() >> sectors_shift_) - base_line;
    const auto bit = static_cast<SectorMask>(1u << (sector.line.value() & ((1u << sectors_shift_) - 1)));
    std::size_t at = sectors_apart_ ? out.steps.size() : request;
    // A sector that came before comes again where lanes are compared in groups: that is another look-up.
    while (at < out.steps.size() && (out.steps[at].line != line || (out.steps[at].sectors & bit) != 0)) ++at;
    if (at == out.steps.size()) out.steps.push_back({line, 0, sector.first_of_request});
    out.steps[at].sectors |= bit;
  }
  out.cycles = cycles_of_sectors(sectors_.size());
}

std::uint32_t AccessLines::cycles_of_sectors(std::size_t sectors) const {
  if (data_bytes_ == 0) return 1;
  const std::size_t bytes = sectors * sector_bytes_;
  return static_cast<std::uint32_t>(std::max<std::size_t>(1, (bytes + data_bytes_ - 1) / data_bytes_));
}

/// Words of 32 bits: an instruction of 8 bytes touches two words of every lane, which lie in different lines.
/// Every word takes the stages for itself; a sector that an earlier word of the instruction has looked up is
/// not looked up again.
void AccessLines::private_words(const WarpAccess& access, const Site& site) {
  const std::uint32_t bytes = instruction_width(site.width, site.alignment);
  once_.steps.clear();
  std::size_t request = 0, sectors = 0;
  for (std::uint32_t at = 0; at < std::max(1u, site.width); at += 4) {
    if (bytes == 0 || at % bytes == 0) {
      request = once_.steps.size();
      looked_up_.clear();
    }
    const std::size_t earlier = looked_up_.size();
    collect_addresses(access, at);
    sectors_.clear();
    coalesce({access.pattern->mask, addresses_, 1, 1, header_.warp_size}, rule_, sector_bytes_, sectors_);
    for (const CoalescedLine& sector : sectors_) {
      const auto line = static_cast<std::int64_t>(sector.line.value() >> sectors_shift_);
      const auto bit = static_cast<SectorMask>(1u << (sector.line.value() & ((1u << sectors_shift_) - 1)));
      const auto looked_up_end = looked_up_.begin() + static_cast<std::ptrdiff_t>(earlier);
      if (std::find(looked_up_.begin(), looked_up_end, sector.line) != looked_up_end) continue;
      looked_up_.push_back(sector.line);
      ++sectors;
      std::size_t step = sectors_apart_ ? once_.steps.size() : request;
      while (step < once_.steps.size() &&
             (once_.steps[step].line != line || (once_.steps[step].sectors & bit) != 0))
        ++step;
      if (step == once_.steps.size()) once_.steps.push_back({line, 0, step == request});
      once_.steps[step].sectors |= bit;
    }
    if (!stages_) continue;
    stages_->plan({access.pattern->mask, addresses_, 4, 4, header_.warp_size}, 0, sectors_, once_.plan);
    stages_->add(once_.plan, 0, counts_);
  }
  if (stages_ && stages_->follows_from_transactions())
    add_from_transactions(rule_, sectors, sector_bytes_, counts_);
  once_.cycles = cycles_of_sectors(sectors);
}

const AccessLines::Remembered& AccessLines::in_memory(const WarpAccess& access, const Site& site,
                                                      std::uint64_t address) {
  const auto residue = static_cast<std::uint32_t>(address & residue_mask_);
  Remembered* entry = &once_;
  if (access.pattern_id != 0) {
    const std::uint64_t key =
        (std::uint64_t{access.pattern_id} << 32 | residue) + std::uint64_t{site.shape} * 0x9E37;
    entry = &remembered_[(key * 0x9E3779B97F4A7C15ull) >> 52];
    static_assert(kRemembered == 1u << (64 - 52));
    if (entry->pattern == access.pattern_id && entry->shape == site.shape && entry->residue == residue)
      return *entry;
    entry->pattern = access.pattern_id;
    entry->shape = site.shape;
    entry->residue = residue;
  }
  addresses_.clear();
  for (std::uint32_t i = 0; i < access.pattern->lanes; ++i)
    addresses_.push_back(address + static_cast<std::uint64_t>(access.pattern->offset[i]));
  coalesce_addresses(access, site);
  steps_of_lines(static_cast<std::int64_t>(address >> line_shift_), *entry);
  plan_stages(access, site, address, *entry);
  return *entry;
}

/// Of an access whose addresses and transactions have been collected.
void AccessLines::plan_stages(const WarpAccess& access, const Site& site, std::uint64_t base,
                              Remembered& out) {
  if (!stages_) return;
  stages_->plan({access.pattern->mask, addresses_, site.width, site.alignment, header_.warp_size}, base,
                sectors_, out.plan);
  if (stages_->follows_from_transactions())
    add_from_transactions(rule_, sectors_.size(), sector_bytes_, out.plan.fixed);
  out.staged_cycles = cycles_of(out.plan.fixed);
  if (!out.plan.requests.empty()) out.data_cycles = data_cycles_of(out.plan.requests[0].data_wavefronts);
}

/// Those of the data stage are longer where a cycle moves less than all banks.
std::uint32_t AccessLines::data_cycles_of(std::uint64_t wavefronts) const {
  if (data_bytes_ == 0) return 0;
  const std::uint32_t widest = banks_.banks * banks_.bank_bytes;
  return static_cast<std::uint32_t>(wavefronts * ((widest + data_bytes_ - 1) / data_bytes_));
}

std::uint32_t AccessLines::cycles_of(const StageCounts& counts) const {
  const std::uint64_t occupied = data_bytes_ == 0 ? counts.tag_wavefronts : counts.wavefronts;
  return std::max({1u, static_cast<std::uint32_t>(occupied), data_cycles_of(counts.data_wavefronts)});
}

/// Of every request a line of each bank of tags per cycle; the next request's tags follow at once. Returns
/// their cycles.
std::uint32_t AccessLines::place_in_banks(std::vector<LineLookup>& lines) const {
  const auto bank = [&](const LineLookup& line) { return tag_bank(line.line.value(), tag_banks_); };
  if (lines.size() == 2 && !lines[1].first_of_request) {
    lines[1].wavefront = bank(lines[0]) == bank(lines[1]) ? 1 : 0;
    return 1 + lines[1].wavefront;
  }
  std::uint32_t begin = 0;
  for (std::size_t i = 0; i < lines.size();) {
    std::array<std::uint32_t, kMaxTagBanks> in_bank{};
    std::uint32_t most = 0;
    const std::size_t first = i;
    do {
      const std::uint32_t before = in_bank[bank(lines[i])]++;
      lines[i].wavefront = begin + before;
      most = std::max(most, before + 1);
    } while (++i < lines.size() && !lines[i].first_of_request);
    begin += most;
    if (most == 1) continue;
    for (std::size_t at = first + 1; at < i; ++at) {  // sorted by wavefront, else in their order
      const LineLookup one = lines[at];
      std::size_t to = at;
      for (; to > first && lines[to - 1].wavefront > one.wavefront; --to) lines[to] = lines[to - 1];
      lines[to] = one;
    }
  }
  return begin;
}

/// How long the access takes the L1, and which of its lines when.
void AccessLines::count_stages(const Remembered& found, std::uint64_t base, bool is_private,
                               PreparedAccess& out) {
  const StagePlan& plan = found.plan;
  if (!is_private && plan.requests.empty() && (out.lines.size() == 1 || tag_banks_ == 0)) {
    out.cycles = found.staged_cycles;
    return;
  }
  const std::uint32_t tags = tag_banks_ == 0 ? 0 : place_in_banks(out.lines);
  if (!is_private && plan.requests.size() == 1 && plan.lines.size() == out.lines.size()) {  // one request
    out.cycles = std::max(tags, found.data_cycles);
    return;
  }
  if (!is_private) stages_->add(plan, base, counts_);
  out.cycles = cycles_of(counts_);
}

void AccessLines::coalesce_addresses(const WarpAccess& access, const Site& site) {
  sectors_.clear();
  coalesce({access.pattern->mask, addresses_, site.width, site.alignment, header_.warp_size}, rule_,
           sector_bytes_, sectors_);
}

/// Addresses of lanes that are in private memory, or in several buffers, of the byte `at` of each.
void AccessLines::collect_addresses(const WarpAccess& access, std::uint32_t at) {
  addresses_.clear();
  LaneMask mask = access.pattern->mask;
  for (std::uint32_t i = 0; i < access.pattern->lanes; ++i, mask &= mask - 1) {
    const BufferAddr where(access.base.key() + static_cast<std::uint64_t>(access.pattern->offset[i]) + at);
    const std::uint32_t buffer = where.buffer().value();
    const bool is_private =
        buffer < space_of_buffer_.size() && space_of_buffer_[buffer] == AddressSpace::Private;
    addresses_.push_back(
        is_private ? private_.address(access.group, access.warp,
                                      LaneId(static_cast<std::uint32_t>(std::countr_zero(mask))), where)
                   : layout_.address(where).value());
  }
}

std::uint32_t AccessLines::distinct_offsets(const WarpAccess& access) const {
  std::vector<std::int64_t> offsets(access.pattern->offset.begin(),
                                    access.pattern->offset.begin() + access.pattern->lanes);
  std::sort(offsets.begin(), offsets.end());
  return static_cast<std::uint32_t>(std::unique(offsets.begin(), offsets.end()) - offsets.begin());
}

/// Cycles that a local access takes the banks, all its instructions.
std::uint32_t AccessLines::bank_cycles(const WarpAccess& access, const Site& site) {
  const std::uint32_t bytes = instruction_width(site.width, site.alignment);
  degrees_.clear();
  for (std::uint32_t at = 0; at < std::max(1u, site.width); at += std::max(1u, bytes)) {
    addresses_.clear();
    for (std::uint32_t i = 0; i < access.pattern->lanes; ++i)
      addresses_.push_back(access.base.offset() + static_cast<std::uint64_t>(access.pattern->offset[i]) + at);
    bank_degrees({access.pattern->mask, addresses_, bytes, header_.warp_size}, banks_, degrees_);
  }
  return std::accumulate(degrees_.begin(), degrees_.end(), std::uint32_t{0});
}

void AccessLines::prepare(const WarpAccess& access, PreparedAccess& out) {
  if (access.site.value() >= sites_.size())
    throw InputError(fmt::format("site {} in the capture, expected a number below {}", access.site.value(),
                                 sites_.size()));
  Site& site = sites_[access.site.value()];
  const LanePattern& pattern = *access.pattern;
  const BufferId buffer = access.base.buffer();
  out.kind = site.kind;
  out.lanes = pattern.lanes;
  out.destination = destination_of(site, buffer);
  out.origin = origin_of(site, access.site, buffer, out.destination);
  out.cycles = 1;
  out.lines.clear();
  if (out.destination == Destination::Local) out.cycles = bank_cycles(access, site);
  if (out.destination == Destination::Constant) out.cycles = distinct_offsets(access);
  if (!makes_transactions(out.destination)) return;
  const auto offset = static_cast<std::int64_t>(access.base.offset());
  const bool scattered = offset + pattern.min_offset < 0 ||
                         offset + pattern.max_offset > static_cast<std::int64_t>(BufferAddr::kOffsetMask);
  const bool is_private = !scattered && space_of_buffer_[buffer.value()] == AddressSpace::Private;
  std::uint64_t base = 0;
  const Remembered* found = &once_;
  counts_ = {};
  if (scattered) {
    collect_addresses(access, 0);
    coalesce_addresses(access, site);
    steps_of_lines(0, once_);
    plan_stages(access, site, 0, once_);
  } else if (is_private) {
    private_words(access, site);
  } else {
    base = layout_.address(access.base).value();
    found = &in_memory(access, site, base);
  }
  out.cycles = found->cycles;
  for (const Step& step : found->steps)
    out.lines.push_back({LineAddr((base >> line_shift_) + static_cast<std::uint64_t>(step.line)),
                         step.sectors, step.first_of_request, 0});
  if (stages_ && out.destination != Destination::Bypass) count_stages(*found, base, is_private, out);
}

}  // namespace warpscope::timed
