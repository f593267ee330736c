#include "cachesim/simulate/pieces.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

#include "traces/base/error.h"
#include "traces/base/progress.h"
#include "traces/base/varint.h"
#include "traces/base/version.h"
#include "traces/capture/reader.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kPlanTag = section_tag("PLAN"), kPieceTag = section_tag("PIEC");
// Launches that go together are this part of the work: every piece goes through the list of all launches once.
constexpr std::uint32_t kPiecesOfMany = 64;
constexpr std::uint64_t kMostShares = 1u << 20;  // as many as cores

void encode(std::span<const LaunchPieces> plan, std::vector<std::uint8_t>& out) {
  put_varint(out, plan.size());
  for (const LaunchPieces& one : plan) {
    put_varint(out, one.to);
    put_varint(out, one.shares);
    put_varint(out, one.parts);
  }
}

std::vector<LaunchPieces> decode_plan(std::span<const std::uint8_t> bytes, std::uint64_t launches) {
  ByteReader in(bytes);
  std::vector<LaunchPieces> plan(in.count("plan", 3));
  std::uint64_t from = 0;
  for (LaunchPieces& one : plan) {
    one.to = in.varint("launches");
    const std::uint64_t shares = in.varint("shares"), parts = in.varint("parts");
    if (one.to <= from || one.to > launches || shares == 0 || parts == 0 || shares > kMostShares ||
        parts > kMostShares / shares)
      in.fail("plan", "does not cover the launches");
    one.shares = static_cast<std::uint32_t>(shares);
    one.parts = static_cast<std::uint32_t>(parts);
    from = one.to;
  }
  if (from != launches) in.fail("plan", "does not cover the launches");
  return plan;
}

}  // namespace

std::shared_ptr<ResumeFile> open_resume_file(const std::string& path, const std::string& command,
                                             const std::string& input, bool partial,
                                             const nlohmann::json& options) {
  if (input == "-" || is_special_file(input))
    throw InputError("--resume: " + input + " cannot be read again, expected a capture in a file");
  const nlohmann::json identity = {{"version", std::string(version()) + " (" + commit() + ")"},
                                   {"command", command},
                                   {"capture", CaptureReader(input, partial).hash()},
                                   {"options", options}};
  return std::make_shared<ResumeFile>(path, identity);
}

LaunchWork::LaunchWork(const CaptureReader& capture, const StreamHeader& header) {
  for (const LaunchInfo& launch : header.launches) {
    groups.push_back(capture.groups(launch.id).size());
    work_items.push_back(static_cast<double>(groups.back()) * static_cast<double>(launch.local.count()));
  }
}

std::vector<LaunchPieces> plan_pieces(std::span<const double> work, const PieceLimits& limits) {
  const double total = std::accumulate(work.begin(), work.end(), 0.0);
  const auto pieces_of = [&](std::size_t to, double part, bool of_one) {
    LaunchPieces pieces{to, 1, 1};
    const double most = of_one && total > 0 ? part / total * limits.pieces : 1;
    const std::uint32_t wanted = std::max(limits.threads, static_cast<std::uint32_t>(most));
    pieces.shares = std::min(limits.cores, wanted);
    if (of_one) pieces.parts = std::min(limits.parts, (wanted + pieces.shares - 1) / pieces.shares);
    return pieces;
  };
  if (limits.whole) return {pieces_of(work.size(), total, true)};
  const double enough = total / std::min(kPiecesOfMany, limits.pieces);
  std::vector<LaunchPieces> plan;
  for (std::size_t from = 0, to = 0; from < work.size(); from = to) {
    double part = work[to++];
    while (to < work.size() && part + work[to] <= enough) part += work[to++];
    plan.push_back(pieces_of(to, part, to - from == 1));
  }
  return plan;
}

/// What the threads of PieceWork::run() share.
struct PieceWork::Running {
  std::atomic<std::uint64_t> finished;
  std::mutex progress_mutex;
  Progress progress;
  std::mutex mutex;  ///< for everything below
  std::size_t next = 0;
  std::exception_ptr failure;

  void finish_group() {
    const std::uint64_t done = ++finished;
    if (const std::unique_lock lock(progress_mutex, std::try_to_lock); lock.owns_lock())
      progress.update(done);
  }
};

PieceWork::PieceWork(const KeptWork& kept, const std::vector<LaunchPieces>& plan,
                     std::span<const std::uint64_t> work_groups)
    : kept_(kept), plan_(plan) {
  const ResumeFile::Key key{kPlanTag, kept.stage, 0};
  if (kept.file->has(key)) {
    plan_ = decode_plan(kept.file->read(key), work_groups.size());
  } else {
    std::vector<std::uint8_t> bytes;
    encode(plan, bytes);
    kept.file->add(key, bytes);
  }
  std::uint64_t from = 0;
  for (const LaunchPieces& one : plan_) {
    const double groups = std::accumulate(work_groups.begin() + static_cast<std::ptrdiff_t>(from),
                                          work_groups.begin() + static_cast<std::ptrdiff_t>(one.to), 0.0) /
                          one.shares;
    for (std::uint32_t share = 0; share < one.shares; ++share)
      for (std::uint32_t part = 0; part < one.parts; ++part) {
        pieces_.push_back({{from, one.to}, {share, one.shares}, {part, one.parts}});
        work_groups_.push_back(groups);
      }
    from = one.to;
  }
}

ResumeFile::Key PieceWork::key_of(std::uint64_t number) const {
  return {kPieceTag, kept_.stage, number};
}

bool PieceWork::next(std::size_t& number) {
  const std::lock_guard lock(running_->mutex);
  if (running_->failure || running_->next == pieces_.size()) return false;
  number = running_->next++;
  return true;
}

void PieceWork::work(const Simulate& simulate) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t number = 0; next(number);) {
    bool is_kept = false;
    try {
      if (kept_.file->has(key_of(number))) continue;
      bytes = simulate(pieces_[number], [this] { running_->finish_group(); });
      is_kept = true;
      kept_.file->add(key_of(number), bytes);
    } catch (...) {
      const std::lock_guard lock(running_->mutex);
      if (running_->failure) return;
      running_->failure = std::current_exception();
      is_refused_ = is_kept;
      return;
    }
  }
}

void PieceWork::run(std::uint32_t threads, const Simulate& simulate) {
  std::size_t done = 0;
  double all = 0, groups_done = 0;
  for (std::size_t number = 0; number < pieces_.size(); ++number) {
    all += work_groups_[number];
    if (!kept_.file->has(key_of(number))) continue;
    ++done;
    groups_done += work_groups_[number];
  }
  const auto total = static_cast<std::uint64_t>(all), before = static_cast<std::uint64_t>(groups_done);
  Running running{before, {}, Progress("simulating", total, "work-groups", before), {}, 0, {}};
  running_ = &running;
  std::vector<std::thread> others;
  const std::size_t most = std::min<std::size_t>(threads, pieces_.size() - done);
  for (std::size_t i = 1; i < most; ++i) others.emplace_back([&] { work(simulate); });
  work(simulate);
  for (std::thread& other : others) other.join();
  running_ = nullptr;
  if (running.failure) std::rethrow_exception(running.failure);
}

void PieceWork::collect(
    const std::function<void(const std::vector<std::vector<std::uint8_t>>& shares)>& take) const {
  std::uint64_t number = 0;
  for (const LaunchPieces& one : plan_) {
    std::vector<std::vector<std::uint8_t>> shares;
    for (std::uint64_t left = std::uint64_t{one.shares} * one.parts; left != 0; --left)
      shares.push_back(kept_.file->read(key_of(number++)));
    take(shares);
  }
}

void PieceWork::each(
    const std::function<void(const Piece& piece, std::span<const std::uint8_t> bytes)>& take) const {
  for (std::size_t number = 0; number < pieces_.size(); ++number)
    take(pieces_[number], kept_.file->read(key_of(number)));
}

}  // namespace warpscope
