#include "cachesim/sweep/run_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "cachesim/counters/launch_records.h"
#include "cachesim/simulate/input.h"
#include "cachesim/simulate/preset_cache.h"
#include "cachesim/sweep/sweep_engine.h"
#include "cachesim/transactions/coalescing_sink.h"
#include "cachesim/transactions/transaction_file.h"
#include "cachesim/transactions/transaction_filter.h"
#include "traces/base/error.h"
#include "traces/capture/reader.h"

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;

/// One schedule, coalesced for every size of transactions.
class AccessFanOut final : public WarpAccessSink {
 public:
  AccessFanOut(const std::vector<std::unique_ptr<SweepEngine>>& engines, const CoalescingRule& rule,
               L1Takes takes) {
    for (const auto& engine : engines)
      coalescers_.push_back(
          std::make_unique<CoalescingSink>(engine->transaction_bytes(), rule, *engine, takes));
  }
  void begin(const StreamHeader& header) override {
    for (const auto& coalescer : coalescers_) coalescer->begin(header);
  }
  void begin_launch(LaunchId launch) override {
    for (const auto& coalescer : coalescers_) coalescer->begin_launch(launch);
  }
  void access(const WarpAccess& access) override {
    for (const auto& coalescer : coalescers_) coalescer->access(access);
  }
  void end() override {
    for (const auto& coalescer : coalescers_) coalescer->end();
  }

 private:
  std::vector<std::unique_ptr<CoalescingSink>> coalescers_;
};

/// Configurations by size of their transactions (lines or sectors).
using Groups = std::vector<std::vector<CacheConfig>>;

Groups::iterator group_of(Groups& groups, std::uint32_t bytes) {
  return std::find_if(groups.begin(), groups.end(),
                      [&](const auto& group) { return group.front().transaction_bytes() == bytes; });
}

struct Place {
  std::size_t group = 0, cell = 0;
};

/// Where `own` is among the groups, or has been added. Nowhere if only a new group would take it, and may
/// not.
std::optional<Place> place_of(const CacheConfig& own, bool always_add, bool may_add_group, Groups& groups) {
  auto group = group_of(groups, own.transaction_bytes());
  if (group == groups.end()) {
    if (!may_add_group) return std::nullopt;
    group = groups.insert(group, std::vector<CacheConfig>{});
  }
  auto cell = always_add ? group->end() : std::find(group->begin(), group->end(), own);
  if (cell == group->end()) cell = group->insert(cell, own);
  return Place{static_cast<std::size_t>(group - groups.begin()),
               static_cast<std::size_t>(cell - group->begin())};
}

/// An engine per group.
struct Engines {
  std::vector<std::unique_ptr<SweepEngine>> all;
  std::optional<Place> own;  ///< the preset's

  /// `some`: with the part of the units, and the progress; the rest follows from the request.
  Engines(const SweepRequest& request, bool takes_any_size, TaskPool& pool, SweepEngineOptions some) {
    Groups groups;
    for (const CacheConfig& config : request.configurations.caches) {
      const auto group = group_of(groups, config.transaction_bytes());
      group == groups.end() ? groups.push_back({config}) : group->push_back(config);
    }
    SweepEngineOptions& options = some;
    if (request.preset_cache) {
      options.own_of = launch_cache(*request.preset, *request.preset_cache, request.schedule.registers);
      own = place_of(*request.preset_cache, options.own_of != nullptr, takes_any_size, groups);
    }
    options.keep_l1 = request.keep_l1;
    options.classes = request.classes;
    options.most_bytes /= groups.size();
    for (const auto& group : groups) {
      if (own && own->group == all.size()) options.own = own->cell;
      all.push_back(std::make_unique<SweepEngine>(group, options, pool));
      options.progress = nullptr;  // the first one's is the run's: all get the same accesses
      options.own.reset();
    }
  }
};

void feed(const SweepRequest& request, const CaptureReader& capture, const ScheduleOptions& schedule,
          const Engines& engines) {
  AccessFanOut fan_out(engines.all, coalescing_rule(request.coalescing), request.takes);
  run_schedule(capture, schedule, fan_out);
}

/// Whether the input was cut short.
bool feed_engines(const SweepRequest& request, FileKind kind, const Engines& engines) {
  const LaunchSelection& launches = request.schedule.launches;
  if (kind == FileKind::TransactionStream) {
    if (engines.all.size() > 1)
      throw InputError(
          fmt::format("{}: transactions of one size, but the caches need several (--line, --sector); "
                      "expected one, or a capture or "
                      "stream of warpsched",
                      request.input));
    TransactionFilter filter(launches, *engines.all.front());
    return read_transactions(request.input, filter, request.partial);
  }
  if (kind == FileKind::Capture) {
    const CaptureReader capture(request.input, request.partial);
    feed(request, capture, request.schedule, engines);
    return capture.is_partial();
  }
  AccessFanOut fan_out(engines.all, coalescing_rule(request.coalescing), request.takes);
  LaunchFilter filter(launches, fan_out);
  read_stream(request.input, filter, request.partial);
  return false;
}

/// Without best caches and curves.
SweepResult result_of(const SweepRequest& request, FileKind kind, const Engines& engines, bool cut) {
  SweepResult result;
  result.input_name = request.input == "-" ? "-" : std::filesystem::path(request.input).filename().string();
  result.input_kind = input_kind_name(kind);
  result.preset = request.preset;
  result.seed = request.configurations.caches.front().seed;
  result.keep_l1 = request.keep_l1;
  result.classes = request.classes;
  result.refused = request.configurations.refused;
  result.why_refused = request.configurations.why;
  for (std::size_t group = 0; group < engines.all.size(); ++group) {
    const auto& engine = engines.all[group];
    if (engines.own && engines.own->group == group) {
      result.preset_cell = result.cells.size() + engine->own().value();
      result.preset_kib = engine->own_kib();
    }
    result.header = engine->header().stream;
    result.coalescing = engine->header().coalescing;
    result.traffic.push_back({engine->transaction_bytes(), engine->traffic()});
    result.cells.insert(result.cells.end(), engine->cells().begin(), engine->cells().end());
    result.stacks += engine->stacks();
    result.single += engine->units() - engine->stacks();
  }
  const nlohmann::json& context = result.header.context;
  result.partial =
      cut || (context.is_object() && context.contains("partial") && context.at("partial") == true);
  return result;
}

SweepResult sweep_at_once(const SweepRequest& request, FileKind kind,
                          const std::function<void(std::uint64_t)>& progress) {
  TaskPool pool(request.threads);
  const Engines engines(request, kind != FileKind::TransactionStream, pool, {.progress = progress});
  const bool cut = feed_engines(request, kind, engines);
  return result_of(request, kind, engines, cut);
}

/// What a piece counted: the traffic, which is the same in all parts, and the cells that have anything.
void encode(const Engines& engines, const Piece& piece, std::vector<std::uint8_t>& out) {
  for (const auto& engine : engines.all) {
    encode(piece.part.number == 0 ? engine->traffic() : Counts{}, out);
    const std::vector<SweepCell>& cells = engine->cells();
    const auto has_any = [](const SweepCell& cell) { return cell.counts != Counts{}; };
    put_varint(out, static_cast<std::uint64_t>(std::count_if(cells.begin(), cells.end(), has_any)));
    std::size_t from = 0;
    for (std::size_t at = 0; at < cells.size(); ++at) {
      if (!has_any(cells[at])) continue;
      put_varint(out, at - from);
      encode(cells[at].counts, out);
      from = at + 1;
    }
  }
}

/// Adds what encode() wrote.
void add(ByteReader& in, const Engines& engines, SweepResult& sum) {
  std::size_t first = 0;
  for (std::size_t group = 0; group < engines.all.size(); ++group) {
    sum.traffic[group].counts += decode_counts(in);
    const std::size_t cells = engines.all[group]->cells().size();
    std::size_t at = 0;
    for (std::uint64_t left = in.count("cells", 3); left != 0; --left, ++at) {
      const std::uint64_t others = in.varint("cell");
      if (others >= cells - at) in.fail("cell", "is not there");
      at += others;
      sum.cells[first + at].counts += decode_counts(in);
    }
    first += cells;
  }
}

/// How many engines with pieces of the plan have room at a time.
std::uint32_t threads_for(const SweepRequest& request, std::uint64_t bytes_per_core, std::uint64_t cores,
                          const std::vector<LaunchPieces>& plan) {
  std::uint64_t most = 1;
  for (const LaunchPieces& one : plan)
    most = std::max(most, bytes_per_core * ((cores + one.shares - 1) / one.shares) / one.parts);
  const std::uint64_t room = SweepEngineOptions{}.most_bytes / most;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(room, 1, request.threads));
}

/// A sweep of a capture that keeps what is done.
class KeptSweep {
 public:
  explicit KeptSweep(const SweepRequest& request)
      : request_(request),
        lean_(request),
        capture_(request.input, request.partial),
        pool_(1),
        all_(request, true, pool_, {}) {
    ScheduleOptions none = request.schedule;
    none.range = {0, 0};
    feed(request, capture_, none, all_);
    // What only the result says about itself: every piece would copy it.
    if (lean_.preset) lean_.preset->raw = nullptr;
    lean_.schedule.preset_context = nullptr;
    if (lean_.schedule.limits) lean_.schedule.limits->raw = nullptr;
  }

  SweepResult run() {
    const StreamHeader& header = all_.all.front()->header().stream;
    const LaunchWork work(capture_, header);
    PieceWork pieces(request_.kept, plan_pieces(work.work_items, piece_limits(header)), work.groups);
    at_a_time_ = threads_for(request_, bytes_per_core_, header.cores, pieces.plan());
    try {
      pieces.run(at_a_time_, [this](const Piece& piece, const std::function<void()>& group_finished) {
        return simulate(piece, group_finished);
      });
    } catch (const InputError&) {
      if (pieces.is_refused()) throw;
      // Which of several threads finds what first would change the message.
      return sweep_at_once(request_, FileKind::Capture, nullptr);
    }
    return add_up(pieces);
  }

 private:
  [[nodiscard]] PieceLimits piece_limits(const StreamHeader& header) {
    std::uint64_t units = 0, cells = 0;
    for (const auto& engine : all_.all) {
      units += engine->units();
      cells += engine->cells().size();
      bytes_per_core_ += engine->bytes_per_core();
    }
    PieceLimits limits{.cores = request_.schedule.only_core ? 1 : header.cores,
                       .threads = request_.threads,
                       .whole = request_.keep_l1};
    const std::uint64_t parts = std::max<std::uint64_t>(request_.threads, units / kUnitsOfPart);
    limits.parts = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(parts, 1, units));
    limits.pieces =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(kMostKeptCells / cells, 1, limits.pieces));
    return limits;
  }

  [[nodiscard]] std::vector<std::uint8_t> simulate(const Piece& piece,
                                                   const std::function<void()>& group_finished) const {
    TaskPool alone(1);
    const SweepEngineOptions defaults;
    const Engines engines(lean_, true, alone,
                          {.chunk = std::max(kLeastChunk, defaults.chunk / at_a_time_),
                           .part = piece.part,
                           .at_a_time = at_a_time_});
    ScheduleOptions schedule = lean_.schedule;
    schedule.range = piece.launches;
    schedule.share = piece.share;
    schedule.group_finished = group_finished;
    feed(lean_, capture_, schedule, engines);
    std::vector<std::uint8_t> bytes;
    encode(engines, piece, bytes);
    return bytes;
  }

  [[nodiscard]] SweepResult add_up(const PieceWork& pieces) const {
    SweepResult sum = result_of(request_, FileKind::Capture, all_, capture_.is_partial());
    try {
      pieces.each([&](const Piece&, std::span<const std::uint8_t> bytes) {
        ByteReader in(bytes);
        add(in, all_, sum);
      });
    } catch (const InputError& error) {
      throw InputError(
          fmt::format("{}: {}; remove it to begin anew", request_.kept.file->path(), error.what()));
    }
    return sum;
  }

  /// A part goes through all accesses, which takes as long as one to five units take for them.
  static constexpr std::uint64_t kUnitsOfPart = 16;
  static constexpr std::uint64_t kMostKeptCells = 1u << 22;  ///< in the file: of 10 to 40 bytes
  static constexpr std::size_t kLeastChunk = 1u << 15;

  const SweepRequest& request_;
  SweepRequest lean_;  ///< of the pieces
  const CaptureReader capture_;
  TaskPool pool_;
  const Engines all_;  ///< of all units, without accesses
  std::uint64_t bytes_per_core_ = 0;
  std::uint32_t at_a_time_ = 1;
};

}  // namespace

SweepResult run_sweep(const SweepRequest& request, FileKind kind,
                      const std::function<void(std::uint64_t)>& progress) {
  const auto began = Clock::now();
  SweepResult result = request.kept.file ? KeptSweep(request).run() : sweep_at_once(request, kind, progress);
  derive(result);
  result.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return result;
}

}  // namespace warpscope
