#pragma once
// A simulation in pieces: whatever interrupts it, the pieces that are done need not be done again.
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "traces/files/resume_file.h"
#include "traces/program/core_share.h"
#include "traces/program/launch_range.h"
#include "traces/stream/stream.h"

namespace warpscope {

class CaptureReader;

/// Where a run keeps what is done, and which of its stages is meant: 0, or the number of a repetition.
struct KeptWork {
  std::shared_ptr<ResumeFile> file;  ///< null: nothing is kept
  std::uint32_t stage = 0;
};

/// Opens the file for a simulation of the capture `input` by `command`. `options`: an object with what its result depends on. Throws
/// InputError as ResumeFile does, and when the input cannot be read again.
std::shared_ptr<ResumeFile> open_resume_file(const std::string& path, const std::string& command,
                                             const std::string& input, bool partial,
                                             const nlohmann::json& options);

/// Of what is simulated on each core, such as the caches of a sweep: that whose number leaves `number` when divided by `of`.
struct PartShare {
  std::uint32_t number = 0, of = 1;
  [[nodiscard]] bool has(std::size_t one) const { return one % of == number; }
};

/// Launches before position `to`, from the ones before on, whose cores are worked on in `shares` shares, each of them in `parts`.
struct LaunchPieces {
  std::uint64_t to = 0;
  std::uint32_t shares = 1, parts = 1;
  bool operator==(const LaunchPieces&) const = default;
};

/// How much the launches of a stream have to do, those of `capture` that were chosen.
struct LaunchWork {
  LaunchWork(const CaptureReader& capture, const StreamHeader& header);
  std::vector<std::uint64_t> groups;
  std::vector<double> work_items;
};

struct PieceLimits {
  std::uint32_t cores = 1;    ///< as many shares of a launch at most
  std::uint32_t threads = 1;  ///< so many pieces should be there at a time
  bool whole = false;         ///< all launches are one piece of their cores, which keep their caches
  std::uint32_t parts = 1;    ///< of a share at most: every part goes through the accesses anew
  std::uint32_t pieces =
      256;  ///< of all the work, about: with more of them less is lost, but each repeats what is common to all
};

/// `work` of each launch, in any unit. A launch with much of it is cut into some cores each, down to one, and one core's work into
/// parts if there are too few cores; several launches with little go together.
std::vector<LaunchPieces> plan_pieces(std::span<const double> work, const PieceLimits& limits);

struct Piece {
  LaunchRange launches;
  CoreShare share;
  PartShare part = {};
};

/// Cuts a simulation, works on the pieces that are not in the file in several threads and puts them there.
class PieceWork {
 public:
  /// Simulates a piece, and gives it as bytes. Calls `group_finished` for every work-group. Threads call it at the same time.
  using Simulate = std::function<std::vector<std::uint8_t>(const Piece& piece,
                                                           const std::function<void()>& group_finished)>;

  /// `plan`: the cut where the file has none of this stage. `work_groups`: of each launch.
  PieceWork(const KeptWork& kept, const std::vector<LaunchPieces>& plan,
            std::span<const std::uint64_t> work_groups);
  [[nodiscard]] const std::vector<LaunchPieces>& plan() const { return plan_; }
  /// Throws what the simulation of a piece threw, or InputError when a piece cannot be kept: is_refused() then says which. Pieces
  /// that are done by then are kept.
  void run(std::uint32_t threads, const Simulate& simulate);
  [[nodiscard]] bool is_refused() const { return is_refused_; }
  /// After run(): calls `take` with the bytes of all shares of the same launches, launches in their order.
  void collect(const std::function<void(const std::vector<std::vector<std::uint8_t>>& shares)>& take) const;
  /// After run(): calls `take` with every piece and its bytes, one after the other.
  void each(const std::function<void(const Piece& piece, std::span<const std::uint8_t> bytes)>& take) const;

 private:
  void work(const Simulate& simulate);
  [[nodiscard]] bool next(std::size_t& number);
  [[nodiscard]] ResumeFile::Key key_of(std::uint64_t number) const;

  KeptWork kept_;
  std::vector<LaunchPieces> plan_;
  std::vector<Piece> pieces_;
  std::vector<double> work_groups_;  ///< of each piece
  bool is_refused_ = false;
  struct Running;
  Running* running_ = nullptr;
};

}  // namespace warpscope
