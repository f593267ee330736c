#include "timed/memory/access_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "traces/base/error.h"

namespace warpscope::timed {
namespace {

/// What is asked of the stages: nothing where accesses take the L1 in order.
std::optional<StageRules> stages_of(const L1Config& l1) {
  if (l1.stages == L1Stages::InOrder || l1.tags_per_cycle == 0) return {};
  return StageRules{l1.banks, l1.tags_per_cycle, l1.cache.line_bytes};
}

}  // namespace

AccessLines::AccessLines(const StreamHeader& header, const TimedConfig& config)
    : l1_(config.l1),
      path_({coalescing_rule(config.coalescing), l1_.cache.transaction_bytes(), l1_.cache.line_bytes,
             stages_of(l1_)}),
      tag_banks_(path_.stages() && path_.rule().tag_stage.banked ? l1_.tags_per_cycle : 0),
      line_shift_(std::countr_zero(l1_.cache.line_bytes)),
      banks_(l1_.banks) {
  path_.begin(header);
  if (const std::uint32_t lanes = l1_.lanes_per_cycle; lanes != 0)
    lane_cycles_ = (path_.warp_size() + lanes - 1) / lanes;
}

std::uint64_t AccessLines::private_from() const {
  const auto first = path_.memory().private_begin();
  return first ? *first >> line_shift_ : kNoPrivateMemory;
}

void AccessLines::begin_launch(const LaunchInfo& launch) {
  path_.begin_launch(launch);
  sites_.clear();
  const L1Takes takes = taken_of(*launch.kernel, l1_.takes);
  for (const SiteInfo& info : launch.kernel->sites) sites_.emplace_back(info, takes);
}

/// The look-up of the sector's line among those from `request` on, made if there is none that can take it: a
/// sector that came before comes again where lanes are compared in groups, and that is another look-up.
void AccessLines::add_sector(LineAddr sector, std::int64_t base_line, std::size_t request, bool first,
                             std::vector<Step>& steps) const {
  const int shift = l1_.cache.sector_shift();
  const std::int64_t line = static_cast<std::int64_t>(sector.value() >> shift) - base_line;
  const auto bit = static_cast<SectorMask>(1u << (sector.value() & ((1u << shift) - 1)));
  std::size_t at = l1_.sectors_apart ? steps.size() : request;
  while (at < steps.size() && (steps[at].line != line || (steps[at].sectors & bit) != 0)) ++at;
  if (at == steps.size()) steps.push_back({line, 0, first});
  steps[at].sectors |= bit;
}

/// Groups the path's transactions, which are sectors, into look-ups of lines, request by request.
void AccessLines::steps_of_lines(std::int64_t base_line, Remembered& out) const {
  out.steps.clear();
  std::size_t request = 0;
  for (const CoalescedLine& sector : path_.lines()) {
    if (sector.first_of_request) request = out.steps.size();
    add_sector(sector.line, base_line, request, sector.first_of_request, out.steps);
  }
  out.cycles = cycles_of_sectors(path_.lines().size());
}

std::uint32_t AccessLines::cycles_of_sectors(std::size_t sectors) const {
  const std::size_t data_bytes = l1_.data_bytes_per_cycle;
  if (data_bytes == 0) return 1;
  const std::size_t bytes = sectors * l1_.cache.transaction_bytes();
  return static_cast<std::uint32_t>(std::max<std::size_t>(1, (bytes + data_bytes - 1) / data_bytes));
}

/// Every word takes the stages for itself.
void AccessLines::private_words(const WarpAccess& access, const AccessSite& site) {
  Remembered& out = remembered_.once();
  out.steps.clear();
  std::size_t request = 0, sectors = 0;
  AccessStages* const stages = path_.stages();
  path_.each_private_word(access, site, [&](const LaneAccesses& lanes, bool begins) {
    if (begins) request = out.steps.size();
    for (const CoalescedLine& sector : path_.lines())
      add_sector(sector.line, 0, request, out.steps.size() == request, out.steps);
    sectors += path_.lines().size();
    if (stages == nullptr) return;
    stages->plan({lanes.mask, lanes.address, 4, 4, lanes.warp_size}, 0, path_.lines(), out.plan);
    stages->add(out.plan, 0, counts_);
  });
  if (stages != nullptr && stages->follows_from_transactions())
    add_from_transactions(path_.rule(), sectors, l1_.cache.transaction_bytes(), counts_);
  out.cycles = cycles_of_sectors(sectors);
}

inline const AccessLines::Remembered& AccessLines::in_memory(const WarpAccess& access, const AccessSite& site,
                                                             std::uint64_t address) {
  const auto [entry, fresh] = remembered_.at(access.pattern_id, path_.residue(address), site.shape);
  if (!fresh) return entry;
  const LaneAccesses lanes = path_.coalesce_at(access, site, address);
  steps_of_lines(static_cast<std::int64_t>(address >> line_shift_), entry);
  plan_stages(lanes, address, entry);
  return entry;
}

/// Of lanes whose transactions the path has just made.
void AccessLines::plan_stages(const LaneAccesses& lanes, std::uint64_t base, Remembered& out) {
  AccessStages* const stages = path_.stages();
  if (stages == nullptr) return;
  stages->plan(lanes, base, path_.lines(), out.plan);
  if (stages->follows_from_transactions())
    add_from_transactions(path_.rule(), path_.lines().size(), l1_.cache.transaction_bytes(), out.plan.fixed);
  out.staged_cycles = cycles_of(out.plan.fixed);
  if (!out.plan.requests.empty()) out.data_cycles = data_cycles_of(out.plan.requests[0].data_wavefronts);
}

/// Those of the data stage are longer where a cycle moves less than all banks.
std::uint32_t AccessLines::data_cycles_of(std::uint64_t wavefronts) const {
  const std::uint32_t data_bytes = l1_.data_bytes_per_cycle;
  if (data_bytes == 0) return 0;
  const std::uint32_t widest = l1_.banks.banks * l1_.banks.bank_bytes;
  return static_cast<std::uint32_t>(wavefronts * ((widest + data_bytes - 1) / data_bytes));
}

std::uint32_t AccessLines::cycles_of(const StageCounts& counts) const {
  const std::uint64_t occupied = l1_.data_bytes_per_cycle == 0 ? counts.tag_wavefronts : counts.wavefronts;
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
inline void AccessLines::count_stages(const Remembered& found, std::uint64_t base, bool is_private,
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
  if (!is_private) {
    counts_ = {};
    path_.stages()->add(plan, base, counts_);
  }
  out.cycles = cycles_of(counts_);
}

void AccessLines::count_operations(const LanePattern& pattern, std::uint64_t base,
                                   PreparedAccess& out) const {
  auto offsets = pattern.offset;
  const auto end = offsets.begin() + pattern.lanes;
  std::sort(offsets.begin(), end);
  for (auto first = offsets.begin(); first != end;) {
    const auto next = std::upper_bound(first, end, *first);
    const LineAddr line((base + static_cast<std::uint64_t>(*first)) >> line_shift_);
    for (LineLookup& one : out.lines)
      if (one.line == line)
        one.operations = std::max(one.operations, static_cast<std::uint8_t>(next - first));
    first = next;
  }
}

void AccessLines::prepare(const WarpAccess& access, PreparedAccess& out) {
  if (access.site.value() >= sites_.size())
    throw InputError(fmt::format("site {} in the capture, expected a number below {}", access.site.value(),
                                 sites_.size()));
  AccessSite& site = sites_[access.site.value()];
  const BufferId buffer = access.base.buffer();
  out.kind = site.kind;
  out.lanes = access.pattern->lanes;
  out.destination = path_.destination_of(site, buffer);
  out.origin = path_.origin_of(site, access.site, buffer, out.destination);
  out.cycles = 1;
  out.lines.clear();
  out.passes = 1;
  out.private_words = 0;
  if (out.destination == Destination::Local) {
    const BankPasses& banks = banks_.passes(access, site, path_.warp_size());
    out.cycles = banks.cycles;
    out.passes = static_cast<std::uint32_t>(banks.degrees.size());
  }
  if (out.destination == Destination::Constant) out.cycles = distinct_addresses(*access.pattern);
  if (makes_transactions(out.destination)) look_up(access, site, out);
}

/// Of an access that reaches the memory: its lines and the time that they take.
inline void AccessLines::look_up(const WarpAccess& access, const AccessSite& site, PreparedAccess& out) {
  const bool scattered = !AccessPath::in_one_buffer(access);
  const bool begins_private = path_.memory().is_private(access.base.buffer());
  const bool is_private = !scattered && begins_private;
  if (begins_private) out.private_words = site.words();
  std::uint64_t base = 0;
  const Remembered* found = &remembered_.once();
  if (is_private) counts_ = {};
  if (scattered) {
    const LaneAccesses lanes = path_.coalesce_scattered(access, site);
    steps_of_lines(0, remembered_.once());
    plan_stages(lanes, 0, remembered_.once());
  } else if (is_private) {
    private_words(access, site);
  } else {
    base = path_.memory().address(access.base);
    found = &in_memory(access, site, base);
  }
  out.cycles = found->cycles;
  out.lines.resize(found->steps.size());
  LineLookup* line = out.lines.data();
  for (const Step& step : found->steps)
    *line++ = {LineAddr((base >> line_shift_) + static_cast<std::uint64_t>(step.line)), step.sectors,
               step.first_of_request};
  if (site.kind == AccessKind::Atomic && !scattered && !is_private)
    count_operations(*access.pattern, base, out);
  if (path_.stages() && out.destination != Destination::Bypass) count_stages(*found, base, is_private, out);
}

}  // namespace warpscope::timed
