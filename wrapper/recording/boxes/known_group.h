#pragma once
// The calls by which a prologue predicts the accesses of a work-group, and the payload of a work-group with the same prediction.
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
struct PredictedCall {
  enum class Kind : std::uint8_t { Nothing, Accesses, Branch, Sync, EndOfBox };
  std::uint64_t what = 0;  ///< kind, count and number, as what_of() packs them
  std::uint64_t base = 0;
  BoxStrides strides{};
  std::uint32_t words = 0;  ///< index of its first word in Prediction::words
  std::uint32_t part = 0;   ///< all accesses of a part move by the same distance
  bool is_first = false;    ///< whether it is the first call of its part

  static constexpr std::uint64_t what_of(Kind kind, std::size_t count = 0, std::uint32_t number = 0) {
    return static_cast<std::uint64_t>(kind) | count << 8 | std::uint64_t{number} << 32;
  }
};

/// What the prologue of a work-group predicts.
struct Prediction {
  std::vector<PredictedCall> calls;  ///< the calls of each box end with an EndOfBox
  std::vector<std::int64_t> words;   ///< pairs for accesses: a site, and what is added to the base
  std::vector<Box> boxes;

  /// Empty unless the call is of accesses.
  [[nodiscard]] std::span<const std::int64_t> words_of(const PredictedCall& call) const;
  [[nodiscard]] std::size_t memory_bytes() const;
};

/// A work-group that was recorded, and the encoding from which the payloads of similar work-groups are made.
struct EncodedGroup {
  std::vector<LocatedColumn> columns;     ///< sorted by site
  std::span<const std::uint64_t> counts;  ///< number of accesses, indexed by site
  const BoxEncoding& encoding;
};

struct KnownGroup {
  /// How far a part can move so that all its accesses stay in their memory objects.
  struct Room {
    std::uint64_t back = ~std::uint64_t{0} >> 2, ahead = ~std::uint64_t{0} >> 2;
    [[nodiscard]] bool allows(std::uint64_t way) const { return way + back <= back + ahead; }
  };
  struct Column {
    std::uint32_t part = 0;
    std::uint64_t location = 0;
  };

  /// Null if the parts cannot be found in one pass, or if not all work-items share a site's memory object.
  static std::unique_ptr<KnownGroup> make(Prediction prediction, const EncodedGroup& group,
                                          const KernelInfo& kernel, Dim3 local, const ObjectMap& objects);
  /// Whether a work-group that is like the other is like this one.
  [[nodiscard]] bool is_like(const KnownGroup& other) const;
  /// As Recorder::Thread::find(), of a work-group whose parts have moved by `ways`.
  [[nodiscard]] std::optional<RecordedAccess> find(std::uint64_t address, std::span<const std::uint64_t> ways,
                                                   const KernelInfo& kernel, Dim3 local) const;
  [[nodiscard]] std::size_t memory_bytes() const;

  Prediction prediction;
  std::vector<Room> rooms;  ///< indexed by part
  /// Bytes to the next work-group with the same prediction, indexed by part.
  std::vector<std::array<std::uint64_t, 3>> steps;
  std::array<bool, 3> has_steps{true, true, true};  ///< false if accesses of a part have different steps
  std::vector<Column> columns;
  std::vector<std::uint64_t> counts;
  BoxEncoding encoding;
  std::uint64_t moves = 0;      ///< ObjectMap::moves() when it was recorded
  std::uint64_t uses = 0;       ///< number of work-groups with the same prediction
  std::uint64_t last_used = 0;  ///< number of the last of these; the least recently used one is replaced

 private:
  bool find_parts(std::vector<std::uint32_t>& part_of, Dim3 local);
  bool find_rooms(const EncodedGroup& group, std::span<const std::uint32_t> part_of, const KernelInfo& kernel,
                  const ObjectMap& objects);
};

}  // namespace warpscope
