#pragma once
// What a work-group tells, call by call, and what the payload of another one takes that tells the same elsewhere.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "traces/capture/encode_box.h"
#include "traces/program/kernel_info.h"
#include "wrapper/recording/boxes/box.h"
#include "wrapper/recording/lookup/object_map.h"

namespace warpscope {

/// One call through WarpscopeAbiV2.
struct ToldCall {
  enum class Kind : std::uint8_t { Nothing, Accesses, Branch, Sync, EndOfBox };
  std::uint64_t what = 0;  ///< what_of()
  std::uint64_t base = 0;
  BoxStrides strides{};
  std::uint32_t words = 0;  ///< where those of the sites begin
  std::uint32_t part = 0;   ///< accesses of one part all move by the same
  bool is_first = false;    ///< of its part

  static constexpr std::uint64_t what_of(Kind kind, std::size_t count = 0, std::uint32_t number = 0) {
    return static_cast<std::uint64_t>(kind) | count << 8 | std::uint64_t{number} << 32;
  }
};

struct ToldGroup {
  std::vector<ToldCall> calls;      ///< behind those of each box there is an EndOfBox
  std::vector<std::int64_t> words;  ///< of accesses, pairs: a site, and what is added to the base
  std::vector<Box> boxes;

  /// Empty unless the call is of accesses.
  [[nodiscard]] std::span<const std::int64_t> words_of(const ToldCall& call) const;
  [[nodiscard]] std::size_t memory_bytes() const;
};

/// A work-group that was recorded, and what gives the payloads of those like it.
struct EncodedGroup {
  std::vector<LocatedColumn> columns;     ///< in order of sites
  std::span<const std::uint64_t> counts;  ///< accesses, by site
  const BoxEncoding& encoding;
};

struct KnownGroup {
  /// How far a part can move, and all its accesses stay in their memory objects.
  struct Room {
    std::uint64_t back = ~std::uint64_t{0} >> 2, ahead = ~std::uint64_t{0} >> 2;
    [[nodiscard]] bool allows(std::uint64_t way) const { return way + back <= back + ahead; }
  };
  struct Column {
    std::uint32_t part = 0;
    std::uint64_t location = 0;
  };

  /// Null if it is too involved how the work-group moves, or if some site's object is not one that all work-items share.
  static std::unique_ptr<KnownGroup> make(ToldGroup told, const EncodedGroup& group, const KernelInfo& kernel,
                                          Dim3 local, const ObjectMap& objects);
  /// Whether a work-group that is like the other is like this one.
  [[nodiscard]] bool is_like(const KnownGroup& other) const;
  /// As Recorder::Thread::find(), of a work-group whose parts have moved by `ways`.
  [[nodiscard]] std::optional<RecordedAccess> find(std::uint64_t address, std::span<const std::uint64_t> ways,
                                                   const KernelInfo& kernel, Dim3 local) const;
  [[nodiscard]] std::size_t memory_bytes() const;

  ToldGroup told;
  std::vector<Room> rooms;  ///< by part
  std::vector<std::array<std::uint64_t, 3>>
      steps;  ///< by part, bytes to the next work-group if it tells the same
  std::array<bool, 3> has_steps{true, true, true};  ///< false: accesses of some part have different ones
  std::vector<Column> columns;
  std::vector<std::uint64_t> counts;
  BoxEncoding encoding;
  std::uint64_t moves = 0;      ///< ObjectMap::moves()
  std::uint64_t uses = 0;       ///< work-groups that were like it
  std::uint64_t last_used = 0;  ///< when; the one that was not used for longest makes room

 private:
  bool find_parts(std::vector<std::uint32_t>& part_of, Dim3 local);
  bool find_rooms(const EncodedGroup& group, std::span<const std::uint32_t> part_of, const KernelInfo& kernel,
                  const ObjectMap& objects);
};

}  // namespace warpscope
