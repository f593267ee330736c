#include "machine/execute/group.h"

#include <fmt/format.h>

#include <algorithm>

#include "machine/execute/base/fault.h"

namespace warpscope::machine {
namespace {

/// Instructions of a warp until the next one has its turn.
constexpr std::uint64_t kTurn = 1U << 14;

Dim3 position_of(std::uint64_t number, const Dim3& size) {
  return {number % size.x, number / size.x % size.y, number / (size.x * size.y)};
}

std::string name_of_wait(const LanePath& path) {
  switch (path.wait) {
    case LanePath::Wait::GroupBarrier:
      if (path.barrier >= Group::kNamedBarriers) return "the end of products of its four warps";
      return fmt::format("barrier {}", path.barrier);
    case LanePath::Wait::ClusterBarrier:
      return "the barrier of the cluster";
    case LanePath::Wait::ConvergenceBarrier:
      return fmt::format("BSYNC B{}", path.barrier);
    default:
      return "WARPSYNC";
  }
}

[[noreturn]] void misaligned(std::uint64_t address, unsigned bytes) {
  throw ExecutionFault(
      fmt::format("accesses {} bytes at 0x{:x}, which is no multiple of {}", bytes, address, bytes),
      FaultKind::Misaligned);
}

}  // namespace

Group::Group(Launch& launch, std::uint64_t number, std::shared_ptr<Cluster> cluster, std::uint32_t rank)
    : launch_(launch),
      number_(number),
      position_(position_of(number, launch.settings().groups)),
      cluster_(std::move(cluster)),
      rank_(rank),
      shared_(launch.shared_bytes()) {
  const Dim3& local = launch.settings().local;
  const std::uint64_t items = local.x * local.y * local.z;
  for (std::uint64_t first = 0; first < items; first += kLanes) {
    const std::uint64_t count = std::min<std::uint64_t>(kLanes, items - first);
    const LaneSet lanes = count == kLanes ? kAllLanes : (LaneSet{1} << count) - 1;
    warps_.push_back(
        std::make_unique<Warp>(*this, launch.code(), static_cast<std::uint32_t>(first / kLanes), lanes));
  }
  cluster_->join(rank, *this);
}

Group::State Group::run(std::uint64_t budget) {
  bool worked = false;
  while (true) {
    std::size_t done = 0;
    bool progress = false, only_waits = true;
    for (const auto& warp : warps_) {
      std::uint64_t turn = std::min(kTurn, budget);
      const std::uint64_t before = turn;
      try {
        const Warp::State state = warp->run(turn);
        done += state == Warp::State::Done ? 1 : 0;
        only_waits = only_waits && (state == Warp::State::Waiting || turn == before);
      } catch (const ExecutionFault& fault) {
        launch_.explain(fault, *this, *warp);
      }
      progress = progress || turn != before;
      budget -= before - turn;
    }
    if (done == warps_.size()) return State::Done;
    if (budget == 0) return State::Running;
    worked = worked || !only_waits;
    if ((progress && only_waits) || (!progress && waits_for_cluster()))
      return worked ? State::Running : State::Waiting;
    if (!progress) throw ExecutionFault(fmt::format("work-group {} does not go on: {}", number_, waiting()));
  }
}

bool Group::waits_for_cluster() const {
  return std::any_of(warps_.begin(), warps_.end(), [](const auto& warp) {
    return std::any_of(warp->waiting().begin(), warp->waiting().end(),
                       [](const LanePath& path) { return path.wait == LanePath::Wait::ClusterBarrier; });
  });
}

Dim3 Group::work_item(const Warp& warp, unsigned lane) const {
  return position_of(std::uint64_t{warp.number()} * kLanes + lane, launch_.settings().local);
}

void Group::check_barriers() {
  for (std::uint8_t number = 0; number < kBarriers; ++number)
    if (barriers_[number].is_used) check_barrier(number);
}

void Group::check_barrier(std::uint8_t number) {
  Barrier& barrier = barriers_[number];
  std::uint32_t arrived = barrier.arrived_warps, alive = 0, waiting = 0;
  for (const auto& warp : warps_) {
    const LaneSet here = warp->existing() & ~warp->exited();
    const LaneSet there = warp->at_group_barrier(number);
    if (here != 0) ++alive;
    if (there != 0) ++waiting;
    if (here != 0 && there == here) ++arrived;
  }
  if (waiting == 0 || arrived < (barrier.needed_warps != 0 ? barrier.needed_warps : alive)) return;
  const std::uint32_t count = barrier.population;
  barrier.result = barrier.reduction == 0   ? count
                   : barrier.reduction == 1 ? static_cast<std::uint32_t>(count == barrier.work_items)
                                            : static_cast<std::uint32_t>(count != 0);
  const std::uint32_t result = barrier.result;
  barrier = {};
  barrier.result = result;
  for (const auto& warp : warps_) warp->release_group_barrier(number);
}

std::string Group::waiting() const {
  std::string text;
  for (const auto& warp : warps_) {
    if (const auto place = warp->waits_in_loop())
      text += fmt::format("{}warp {}, lanes 0x{:08x} read an unchanged value in a loop at {}",
                          text.empty() ? "" : "; ", warp->number(), warp->active(), launch_.name_of(*place));
    for (const LanePath& path : warp->waiting()) {
      if (text.size() > 300) return text + ", …";
      text += fmt::format("{}warp {}, lanes 0x{:08x} at {} before 0x{:x}", text.empty() ? "" : "; ",
                          warp->number(), path.lanes, name_of_wait(path), path.next * kInstructionBytes);
    }
  }
  return text;
}

std::span<std::uint8_t> Group::local_memory(std::uint64_t item) {
  if (local_.empty()) local_.resize(launch_.local_bytes() * kLanes * warps_.size());
  return std::span(local_).subspan(item * launch_.local_bytes(), launch_.local_bytes());
}

Group::Piece Group::local_piece(const Warp& warp) {
  const std::uint64_t bytes = launch_.local_bytes();
  return {local_memory(std::uint64_t{warp.number()} * kLanes).data(), 0, bytes, bytes};
}

Group::Piece Group::global_piece(std::uint64_t address) {
  const Allocation* found = launch_.last_allocation;
  if (found == nullptr || address - found->address >= found->bytes) found = launch_.memory().find(address);
  if (found == nullptr) return {};
  if (found != launch_.last_allocation) remember(*found);
  return {found->data, found->address, found->bytes, 0, true, launch_.last_writers, launch_.last_claimed};
}

void Group::remember(const Allocation& allocation) {
  launch_.last_allocation = &allocation;
  launch_.last_writers = launch_.writers().of(allocation.address);
  launch_.last_claimed = launch_.claims() != nullptr ? &launch_.claims()->of(allocation) : nullptr;
}

Group::Piece Group::generic_piece(const Warp& warp, std::uint64_t address) {
  Piece piece;
  if (address - kSharedWindow < kSharedWindowBytes) {
    Group* const group = cluster_->member((address - kSharedWindow) >> kRankShift);
    if (group == nullptr) return {};
    piece = group->shared_piece();
    piece.origin += kSharedWindow;
  } else if (address - kLocalWindow < kWindowBytes) {
    piece = local_piece(warp);
    piece.origin = kLocalWindow;
  } else {
    piece = global_piece(address);
  }
  return piece;
}

std::uint8_t* Group::shared_at(std::uint64_t address, unsigned bytes) {
  const std::uint64_t rank = address >> kRankShift;
  if (rank != rank_ && rank < cluster_->size())
    throw ExecutionFault(
        fmt::format("accesses shared memory of work-group {} of its cluster as its own, which is that of {}",
                    rank, rank_),
        FaultKind::Address);
  return shared_of_cluster_at(address, bytes);
}

std::uint8_t* Group::shared_of_cluster_at(std::uint64_t address, unsigned bytes) {
  const std::uint64_t rank = address >> kRankShift, offset = address & (kWindowBytes - 1);
  if (offset % bytes != 0) misaligned(address, bytes);
  if (rank >= cluster_->size() || offset + bytes > shared_.size())
    throw ExecutionFault(
        fmt::format("accesses {} bytes at {} of shared memory, which has {} bytes{}", bytes,
                    rank < cluster_->size() ? offset : address, shared_.size(),
                    cluster_->size() == 1 ? "" : fmt::format(" in each of {} work-groups", cluster_->size())),
        FaultKind::Address);
  Group* const group = cluster_->member(rank);
  if (group == nullptr)
    throw ExecutionFault(
        fmt::format("accesses shared memory of work-group {} of its cluster, which has ended", rank),
        FaultKind::Address);
  return group->shared_.data() + offset;
}

std::uint8_t* Group::local_at(Warp& warp, unsigned lane, std::uint64_t offset, unsigned bytes) {
  const std::span<std::uint8_t> memory = warp.local_memory(lane);
  if (offset % bytes != 0) misaligned(offset, bytes);
  if (offset + bytes > memory.size())
    throw ExecutionFault(
        fmt::format("accesses {} bytes at {} of local memory, which has {} bytes: the stack overflows", bytes,
                    static_cast<std::int32_t>(offset), memory.size()),
        FaultKind::Stack);
  return memory.data() + offset;
}

std::uint8_t* Group::global_at(std::uint64_t address, unsigned bytes) {
  const Allocation* found = launch_.last_allocation;
  if (found == nullptr || address - found->address >= found->bytes) found = launch_.memory().find(address);
  if (found == nullptr || bytes > found->bytes - (address - found->address))
    throw ExecutionFault(fmt::format("accesses {} bytes at {}", bytes, launch_.memory().describe(address)),
                         FaultKind::Address);
  if (address % bytes != 0) misaligned(address, bytes);
  if (found != launch_.last_allocation) remember(*found);
  return found->data + (address - found->address);
}

namespace {

/// Of generic addresses: shared or local memory.
bool is_in_window(std::uint64_t address) {
  return address - kSharedWindow < 2 * (kLocalWindow - kSharedWindow);
}

}  // namespace

void Group::note_read(const Warp& warp, std::uint64_t address, unsigned bytes) {
  if ((!launch_.follows_writers() && launch_.claims() == nullptr) || is_in_window(address)) return;
  const Piece piece = global_piece(address);
  const std::uint64_t offset = address - piece.origin;
  if (piece.claimed != nullptr && piece.claimed->begin_reading())
    for (std::uint64_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word)
      piece.claimed->read(word, as_writer());
  if (piece.writers == nullptr) return;
  for (std::uint64_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word)
    if (piece.writers[word] != 0 && piece.writers[word] != as_writer())
      launch_.order().add(warp.place(), OrderCause::Others);
}

void Group::note_write(std::uint64_t address, unsigned bytes, bool is_atomic) {
  if ((!launch_.follows_writers() && launch_.claims() == nullptr) || is_in_window(address)) return;
  const Piece piece = global_piece(address);
  if (piece.data == nullptr) return;
  const std::uint64_t offset = address - piece.origin;
  if (piece.claimed != nullptr) {
    if (is_atomic) launch_.needs_turns("work-groups change the same memory");
    piece.claimed->begin_writing();
    for (std::uint64_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word)
      piece.claimed->write(word, as_writer());
    return;
  }
  std::uint32_t* const writers = followed_writers(piece);
  if (writers == nullptr) return;
  for (std::uint64_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word) {
    const bool joins = is_atomic && writers[word] != 0 && writers[word] != as_writer();
    writers[word] = bytes < 4 ? 0 : joins ? Writers::kSeveral : as_writer();
  }
}

void Group::note_reduction(std::uint64_t address, unsigned bytes, std::uint32_t kind,
                           const std::optional<Change>& change) {
  const Piece piece = global_piece(address);
  const std::uint64_t offset = address - piece.origin;
  piece.claimed->begin_writing();
  for (std::uint64_t word = offset / 4; word <= (offset + bytes - 1) / 4; ++word)
    piece.claimed->reduce(word, kind);
  if (!change) return;
  if (launch_.changes().size() == OrderedChanges::kMostOfGroup)
    throw InTurns{"work-groups reduce too much that depends on the order"};
  launch_.changes().push_back(*change);
}

std::uint32_t* Group::followed_writers(const Piece& piece) {
  if (piece.writers == nullptr) launch_.last_writers = launch_.writers().begin(piece.origin, piece.bytes);
  return launch_.last_writers;
}

std::uint8_t* Group::generic_at(Warp& warp, unsigned lane, std::uint64_t address, unsigned bytes) {
  if (address - kSharedWindow < kSharedWindowBytes)
    return shared_of_cluster_at(address - kSharedWindow, bytes);
  if (address - kLocalWindow < kWindowBytes) return local_at(warp, lane, address - kLocalWindow, bytes);
  return global_at(address, bytes);
}

}  // namespace warpscope::machine
