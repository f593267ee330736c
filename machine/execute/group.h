#pragma once
// A work-group that is being executed: its warps, its shared memory, and the barriers between them.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/execute/cluster.h"
#include "machine/execute/launch.h"
#include "machine/execute/warp.h"

namespace warpscope::machine {

class Group {
 public:
  /// Those of BAR, and behind them one for each four warps of a work-group: Flow::WarpGroupWait.
  static constexpr std::size_t kNamedBarriers = 16, kBarriers = kNamedBarriers + 8;

  /// `rank`: its number in the cluster, which it joins.
  Group(Launch& launch, std::uint64_t number, std::shared_ptr<Cluster> cluster, std::uint32_t rank);
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() { cluster_->end(rank_); }

  /// Waiting: it did nothing but wait for other work-groups.
  enum class State : std::uint8_t { Running, Waiting, Done };
  /// Executes its warps in turns, until all are done, `budget` instructions are over, or others have to change what warps read in loops, or
  /// to come to the barrier of the cluster.
  /// Throws ExecutionFault, also if all warps wait for each other.
  State run(std::uint64_t budget);

  [[nodiscard]] Launch& launch() const { return launch_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] Dim3 position() const { return position_; }
  [[nodiscard]] Cluster& cluster() const { return *cluster_; }
  [[nodiscard]] std::uint32_t rank() const { return rank_; }
  [[nodiscard]] std::vector<std::unique_ptr<Warp>>& warps() { return warps_; }
  [[nodiscard]] std::vector<std::uint8_t>& shared() { return shared_; }
  /// Position of a work-item in the group.
  [[nodiscard]] Dim3 work_item(const Warp& warp, unsigned lane) const;

  struct Barrier {
    bool is_used = false;             ///< warps have come since all went on
    std::uint32_t needed_warps = 0;   ///< 0: all that are not done
    std::uint32_t arrived_warps = 0;  ///< by BAR.ARV, which does not wait
    std::uint32_t population = 0;     ///< of BAR.RED: work-items whose predicate holds
    std::uint32_t work_items = 0;     ///< that brought one
    std::uint32_t result = 0;         ///< of the last phase, for B2R.RESULT
    std::uint32_t reduction = 0;      ///< 0 count, 1 and, 2 or
  };
  [[nodiscard]] Barrier& barrier(std::size_t number) { return barriers_[number]; }
  /// Lets warps go on if all have come to the barrier.
  void check_barrier(std::uint8_t number);
  /// After lanes of a warp ended: those that wait for it may go on.
  void check_barriers();

  /// Local memory of a work-item.
  [[nodiscard]] std::span<std::uint8_t> local_memory(std::uint64_t item);

  /// Memory of the host: of addresses from `origin` on; each lane has its own, `per_lane` bytes behind that of the one before, or all the same.
  struct Piece {
    std::uint8_t* data = nullptr;
    std::uint64_t origin = 0;
    std::uint64_t bytes = 0;
    std::uint64_t per_lane = 0;
    bool is_global = false;
    std::uint32_t* writers = nullptr;  ///< of global memory: Writers::of()
    ClaimedMemory* claimed = nullptr;  ///< of global memory, where work-groups run at the same time
  };
  /// The piece in which an address is; without bytes: there is none.
  [[nodiscard]] Piece shared_piece() {
    return {shared_.data(), std::uint64_t{rank_} << kRankShift, shared_.size(), 0};
  }
  [[nodiscard]] Piece local_piece(const Warp& warp);
  [[nodiscard]] Piece global_piece(std::uint64_t address);
  [[nodiscard]] Piece generic_piece(const Warp& warp, std::uint64_t address);

  /// Where a lane's access goes in the host's memory. Addresses as Observer has them. Throws ExecutionFault.
  std::uint8_t* shared_at(std::uint64_t address, unsigned bytes);
  std::uint8_t* shared_of_cluster_at(std::uint64_t address, unsigned bytes);
  std::uint8_t* local_at(Warp& warp, unsigned lane, std::uint64_t offset, unsigned bytes);
  std::uint8_t* global_at(std::uint64_t address, unsigned bytes);
  std::uint8_t* generic_at(Warp& warp, unsigned lane, std::uint64_t address, unsigned bytes);

  /// How a work-item's access to global memory meets those of other work-groups (OrderCause::Others). `address`: as of generic_at().
  void note_read(const Warp& warp, std::uint64_t address, unsigned bytes);
  /// Before the access is made.
  void note_write(std::uint64_t address, unsigned bytes, bool is_atomic);
  /// A reduction, in place of note_write(); where work-groups run at the same time. `kind`: what has to be the same for all that change the word, below
  /// 2^29. Without `change` the caller makes it at once.
  void note_reduction(std::uint64_t address, unsigned bytes, std::uint32_t kind,
                      const std::optional<Change>& change);
  /// Of a piece of global memory in which it writes, which the last global_piece() gave; nullptr: it is not followed.
  [[nodiscard]] std::uint32_t* followed_writers(const Piece& piece);
  /// The same number for all of its accesses: Writers::of().
  [[nodiscard]] std::uint32_t as_writer() const { return static_cast<std::uint32_t>(number_ + 1); }

  /// "warp 0, lanes 0x00000001 at barrier 1 before 0x120; …" for a message about a deadlock.
  [[nodiscard]] std::string waiting() const;

 private:
  [[nodiscard]] bool waits_for_cluster() const;
  /// Of the launch: the allocation that is accessed now.
  void remember(const Allocation& allocation);

  Launch& launch_;
  std::uint64_t number_;
  Dim3 position_;
  std::shared_ptr<Cluster> cluster_;
  std::uint32_t rank_;
  std::vector<std::uint8_t> shared_;
  std::vector<std::uint8_t> local_;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::array<Barrier, kBarriers> barriers_{};
};

}  // namespace warpscope::machine
