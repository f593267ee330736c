#include "cachesim/sweep/sweep_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "traces/base/error.h"

namespace warpscope {
namespace {

constexpr std::uint64_t kNumberLimit = ~std::uint32_t{0};
constexpr std::uint32_t kSweepMaxCores = 1u << 16;
// Places of LastUses per line of the largest lists: with fewer, more lines seem to have been used lately.
constexpr std::uint64_t kLastUsesPerLine = 4;
constexpr std::size_t kFirstChunk = 1u << 15;
constexpr std::uint64_t kReferencesToJudge = 1u << 14;
constexpr std::uint64_t kVainLevels = 16;  ///< per search: of fewer the tables of last uses take longer
constexpr int kLeastLastUseBits = 10, kMostLastUseBits = 24;

}  // namespace

void SweepEngine::Waiting::clear() {
  lines.clear();
  numbers.clear();
  kinds.clear();
  transactions.clear();
  last_uses.clear();
  marks.clear();
}

SweepEngine::SweepEngine(const std::vector<CacheConfig>& configurations, SweepEngineOptions options,
                         TaskPool& pool)
    : options_(std::move(options)),
      reseeds_(!options_.keep_l1),
      pool_(pool),
      chunk_(std::min(options_.chunk, kFirstChunk)) {
  cells_.reserve(configurations.size());
  for (const CacheConfig& config : configurations) cells_.push_back({config, {}});
}

/// Tasks of this engine use its tables.
SweepEngine::~SweepEngine() {
  if (!submitted_) return;
  try {
    pool_.finish();
  } catch (...) {  // what brought us here is on its way already
  }
}

void SweepEngine::begin(const TransactionHeader& header) {
  if (header.transaction_bytes != transaction_bytes())
    throw InputError(fmt::format(
        "cache line or sector: {} bytes, but the transactions were coalesced for {}; expected the "
        "same, coalesce the stream again",
        transaction_bytes(), header.transaction_bytes));
  header_ = header;
  const std::optional<FollowingCell> following = following_cell();
  if (!following) merge_own();
  units_ = make_sweep_units(cells_, options_.classes, header_, following, stacks_);
  std::uint64_t bytes_per_core = 0;
  for (const auto& unit : units_) bytes_per_core += unit->bytes_per_core();
  const std::uint64_t cores = std::max<std::uint64_t>(1, header.stream.cores), bytes = bytes_per_core * cores;
  if (bytes > options_.most_bytes)
    throw InputError(
        fmt::format("the tables of {} caches on {} cores need {} MiB, expected at most {}; sweep fewer "
                    "configurations at a "
                    "time, or one core",
                    cells_.size(), cores, bytes >> 20, options_.most_bytes >> 20));
  for (const auto& unit : units_) needs_transactions_ |= unit->needs_transactions();
  plan_last_uses((options_.most_bytes - bytes) / cores);
}

/// A table of each core's last uses of lines, if its lists want one and what is left of the memory suffices.
void SweepEngine::plan_last_uses(std::uint64_t free_bytes) {
  std::uint64_t lines = 0, log_bytes = 0;
  for (const auto& unit : units_) {
    const SweepLists lists = unit->lists();
    lines = std::max(lines, lists.lines);
    if (lists.lines != 0) last_use_shift_ = std::max(last_use_shift_, lists.sector_shift);
    log_bytes += lists.log_bytes;
  }
  if (lines == 0 || log_bytes > free_bytes) return;
  free_bytes -= log_bytes;
  int bits = std::clamp(static_cast<int>(std::bit_width(lines * kLastUsesPerLine - 1)), kLeastLastUseBits,
                        kMostLastUseBits);
  while (bits > kLeastLastUseBits && LastUses::bytes(bits) > free_bytes) --bits;
  if (LastUses::bytes(bits) <= free_bytes) last_use_bits_ = bits;
}

/// Gives the preset's own cell the capacity that the launches leave it; nothing to follow where it is always
/// the same.
std::optional<FollowingCell> SweepEngine::following_cell() {
  const auto& launches = header_.stream.launches;
  if (!options_.own || !options_.own_of || launches.empty()) return std::nullopt;
  FollowingCell following{*options_.own, {}};
  for (const LaunchInfo& launch : launches) {
    following.by_launch.push_back(options_.own_of(launch));
    validate(following.by_launch.back());
    own_kib_.push_back(following.by_launch.back().size_kib);
  }
  const auto [least, most] = std::minmax_element(own_kib_.begin(), own_kib_.end());
  cells_[*options_.own].config = following.by_launch[static_cast<std::size_t>(most - own_kib_.begin())];
  if (*least != *most) return following;
  own_kib_.clear();
  return std::nullopt;
}

/// The own cell goes where what local memory leaves is another of the cells.
void SweepEngine::merge_own() {
  if (!options_.own) return;
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
    if (cell == *options_.own || cells_[cell].config != cells_[*options_.own].config) continue;
    cells_.erase(cells_.begin() + static_cast<std::ptrdiff_t>(*options_.own));
    options_.own = cell > *options_.own ? cell - 1 : cell;
    return;
  }
}

void SweepEngine::begin_launch(LaunchId launch) {
  end_launch();
  origins_.clear();
  launch_ = header_.stream.launches.position_of(launch);
  launch_id_ = launch;
  for (Core& core : cores_) core.launch.reset();
  if (own_kib_.empty()) return;
  for (std::size_t core = 0; core < cores_.size(); ++core)
    mark_launch(core);  // another capacity empties unused ones
}

void SweepEngine::mark_launch(std::size_t core) {
  filling_[core].marks.push_back({filling_[core].lines.size(), launch_, launch_id_});
  cores_[core].launch = launch_;
}

void SweepEngine::add_origins(std::span<const Origin> added) {
  origins_.insert(origins_.end(), added.begin(), added.end());
}

void SweepEngine::block(const TransactionBlock& block) {
  const std::uint32_t core = block.core.value();
  if (core >= kSweepMaxCores)
    throw InputError(fmt::format("core {} in the stream, expected a number below {}", core, kSweepMaxCores));
  if (core >= cores_.size()) {
    pool_.finish();  // the threads use cores_
    cores_.resize(core + 1);
    filling_.resize(core + 1);
  }
  for (const OriginTally& tally : block.tallies) {
    if (tally.origin.value() >= origins_.size())
      throw InputError(fmt::format("origin {} in the stream, expected a number below {}",
                                   tally.origin.value(), origins_.size()));
    traffic_.add_tally(origins_[tally.origin.value()], tally);
  }
  if (cores_[core].launch != launch_) mark_launch(core);
  cores_[core].used = true;
  for (std::size_t at = 0; at < block.transactions.size();) {
    const std::size_t most = is_judged(core) ? chunk_ : std::min<std::size_t>(chunk_, kReferencesToJudge);
    const auto part = block.transactions.subspan(at, std::min(most, block.transactions.size() - at));
    append(core, part);
    at += part.size();
    filled_ += part.size();
    if (filled_ >= chunk_ || (!is_judged(core) && filling_[core].lines.size() >= kReferencesToJudge))
      submit();
  }
}

void SweepEngine::check(Transaction transaction) const {
  if (transaction.line().value() >= header_.line_limit)
    throw InputError(fmt::format("line {} in the stream, expected numbers up to its limit of {}",
                                 transaction.line().value(), header_.line_limit - 1));
  if (transaction.origin().value() >= origins_.size())
    throw InputError(fmt::format("origin {} in the stream, expected a number below {}",
                                 transaction.origin().value(), origins_.size()));
  if (transaction.kind() > AccessKind::Atomic)
    throw InputError("a transaction of an unknown kind in the stream, expected loads, stores and atomics");
}

/// Throws where one of them is not possible.
void SweepEngine::count(std::span<const Transaction> transactions) {
  constexpr std::uint64_t kKinds = 16;                      // first of its request, bypasses, kind of access
  std::array<std::array<std::uint64_t, kKinds>, 2> seen{};  // in turns: a count waits for the one before
  std::uint64_t most = 0, most_origin = 0;
  for (std::size_t i = 0; i < transactions.size(); ++i) {
    const Transaction transaction = transactions[i];
    ++seen[i % 2][transaction.bits() % kKinds];
    most = std::max(most, transaction.bits());
    most_origin = std::max<std::uint64_t>(most_origin, transaction.origin().value());
  }
  std::uint64_t unknown = 0;
  for (std::uint64_t bits = 0; bits < kKinds; ++bits) {
    const std::uint64_t number = seen[0][bits] + seen[1][bits];
    const Transaction kind(bits);
    if (kind.kind() > AccessKind::Atomic) {
      unknown += number;
      continue;
    }
    KindCounts& traffic = traffic_.of(kind.kind());
    traffic.transactions += number;
    if (kind.is_first()) traffic.requests += number;
    if (kind.bypasses()) traffic.bypasses += number;
  }
  if (Transaction(most).line().value() >= header_.line_limit || most_origin >= origins_.size() ||
      unknown != 0)
    for (const Transaction transaction : transactions) check(transaction);
}

/// Those that do not bypass the L1. `places`: their numbers, or null where these are the lines' own.
void SweepEngine::Waiting::add(std::span<const Transaction> added, const std::uint32_t* places) {
  std::size_t at = lines.size();
  lines.resize(at + added.size());
  numbers.resize(at + added.size());
  kinds.resize(at + added.size());
  LineAddr* const all_lines = lines.data();
  std::uint32_t* const all_numbers = numbers.data();
  std::uint8_t* const all_kinds = kinds.data();
  for (std::size_t i = 0; i < added.size(); ++i) {
    const Transaction transaction = added[i];
    all_lines[at] = transaction.line();
    all_numbers[at] = places == nullptr ? static_cast<std::uint32_t>(transaction.line().value()) : places[i];
    all_kinds[at] = static_cast<std::uint8_t>(transaction.kind());
    at += std::size_t{!transaction.bypasses()};
  }
  lines.resize(at);
  numbers.resize(at);
  kinds.resize(at);
}

/// Those that do not bypass the L1. A request whose first one does begins with the next.
void SweepEngine::append_transactions(Core& core, Waiting& waiting, std::span<const Transaction> added) {
  for (const Transaction transaction : added) {
    core.request_begins |= transaction.is_first();
    if (transaction.bypasses()) continue;
    waiting.transactions.emplace_back(transaction.line(),
                                      OriginId(static_cast<std::uint16_t>(transaction.kind())),
                                      transaction.kind(), false, std::exchange(core.request_begins, false));
  }
}

void SweepEngine::append(std::size_t core, std::span<const Transaction> added) {
  count(added);
  Waiting& waiting = filling_[core];
  const std::size_t from = waiting.numbers.size();
  const bool own_numbers = header_.line_limit < kNumberLimit;
  if (!own_numbers) {
    places_.resize(std::max(places_.size(), added.size()));
    numbers_.find(added, places_.data());
  }
  waiting.add(added, own_numbers ? nullptr : places_.data());
  if (needs_transactions_) append_transactions(cores_[core], waiting, added);
  if (cores_[core].last_uses) note_uses(core, from);
}

/// Writes when the lines of a core's references were last used: of those that wait, from the `from`th on.
void SweepEngine::note_uses(std::size_t core, std::size_t from) {
  Waiting& waiting = filling_[core];
  LastUses& uses = *cores_[core].last_uses;
  if (from == 0) waiting.first = uses.references();
  waiting.last_uses.resize(waiting.numbers.size());
  uses.use(std::span(waiting.numbers).subspan(from), waiting.last_uses.data() + from);
}

/// Whether a core has made enough references to say whether its last uses are to be noted. Until then chunks end early.
bool SweepEngine::is_judged(std::size_t core) const {
  return last_use_bits_ == 0 || cores_[core].references >= kReferencesToJudge;
}

/// A core's last uses are noted from now on if its lists were searched for long. So are those of the chunk before,
/// which may be all there were.
void SweepEngine::start_last_uses(std::size_t at) {
  Core& core = cores_[at];
  if (last_use_bits_ == 0 || core.last_uses || core.references < kReferencesToJudge) return;
  std::uint64_t levels = 0, searches = 0;
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    if (!core.states[unit] || units_[unit]->lists().lines == 0) continue;
    levels += core.states[unit]->vain_levels();
    searches += core.references;
  }
  if (levels <= searches * kVainLevels) return;
  const std::vector<std::uint32_t>& before = working_[at].numbers;
  core.last_uses.emplace(last_use_bits_, last_use_shift_,
                         before.size() == core.references ? LastUses::kNever : LastUses::kBefore);
  std::vector<std::uint32_t> times(before.size());
  core.last_uses->use(before, times.data());
  if (!filling_[at].numbers.empty()) note_uses(at, 0);
  ++cores_with_last_uses_;
}

void SweepEngine::end_launch() {
  if (options_.keep_l1) return;
  for (std::size_t core = 0; core < cores_.size(); ++core) {
    if (!cores_[core].used) continue;
    filling_[core].marks.push_back({filling_[core].lines.size(), {}, {}});
    cores_[core].used = false;
  }
  if (header_.line_limit >= kNumberLimit) numbers_.clear();
}

/// Hands what has been collected to the threads, once they have done what they had.
void SweepEngine::submit() {
  pool_.finish();
  submitted_ = false;
  done_ += filled_;
  filled_ = 0;
  if (options_.progress) options_.progress(done_);
  chunk_ = std::min(options_.chunk, chunk_ * 2);
  for (std::size_t core = 0; core < working_.size(); ++core) {
    cores_[core].references += working_[core].lines.size();
    start_last_uses(core);
  }
  filling_.swap(working_);
  filling_.resize(cores_.size());
  for (Waiting& waiting : filling_) waiting.clear();
  tasks_.clear();
  for (std::uint32_t core = 0; core < working_.size(); ++core) {
    if (working_[core].lines.empty() && working_[core].marks.empty()) continue;
    cores_[core].states.resize(units_.size());
    for (std::uint32_t unit = 0; unit < units_.size(); ++unit) tasks_.emplace_back(core, unit);
  }
  submitted_ = true;
  pool_.start(tasks_.size(), [this](std::size_t task) { work(tasks_[task].first, tasks_[task].second); });
}

void SweepEngine::work(std::size_t core, std::size_t unit) {
  std::unique_ptr<SweepState>& state = cores_[core].states[unit];
  if (!state) state = units_[unit]->make_state(CoreId(static_cast<std::uint32_t>(core)), header_);
  const Waiting& waiting = working_[core];
  const auto process = [&](std::size_t from, std::size_t to) {
    if (from == to) return;
    const std::span<const Transaction> transactions = waiting.transactions;
    const std::span<const std::uint32_t> last_uses = waiting.last_uses;
    state->process({std::span(waiting.lines).subspan(from, to - from),
                    std::span(waiting.numbers).subspan(from, to - from),
                    std::span(waiting.kinds).subspan(from, to - from),
                    needs_transactions_ ? transactions.subspan(from, to - from) : transactions,
                    last_uses.empty() ? last_uses : last_uses.subspan(from, to - from),
                    waiting.first + from});
  };
  std::size_t at = 0;
  for (const Waiting::Mark& mark : waiting.marks) {
    process(at, mark.at);
    mark.begins ? state->begin_launch(*mark.begins) : state->invalidate();
    if (mark.begins && reseeds_) state->reseed(mark.id);
    at = mark.at;
  }
  process(at, waiting.lines.size());
}

void SweepEngine::end() {
  options_.keep_l1 = false;  // what is left is counted as at the end of a launch
  end_launch();
  submit();
  pool_.finish();
  submitted_ = false;
  std::vector<std::unique_ptr<SweepState>> states(cores_.size());
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    for (std::size_t core = 0; core < cores_.size(); ++core)
      states[core] = cores_[core].states.empty() ? nullptr : std::move(cores_[core].states[unit]);
    units_[unit]->collect(states, cells_);
  }
  cores_.clear();
}

}  // namespace warpscope
