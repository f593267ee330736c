#pragma once
// What a work-group accesses, as its prologue predicts it box by box (passes/record/Affine.h): the accesses of the work-item
// with the box's lowest local id, and strides from there.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "traces/base/shape_table.h"
#include "traces/base/types.h"
#include "wrapper/recording/boxes/box.h"
#include "wrapper/recording/lookup/object_map.h"
#include "wrapper/recording/recording.h"

namespace warpscope {

/// What a work-item's accesses of a site reach from the first of them: its differences, as shapes have them. Nothing if
/// that does not fit in 64 bits.
template <class Runs>
std::optional<BoxExtent> extent_of(const Runs& runs) {
  BoxExtent extent;
  std::int64_t at = 0;
  for (const DeltaRun& run : runs) {
    BoxExtent way;
    way.add(run.delta, run.repeat);
    if (!way.fits || __builtin_add_overflow(at, way.lowest + way.highest, &at)) return {};
    extent.lowest = std::min(extent.lowest, at);
    extent.highest = std::max(extent.highest, at);
  }
  return extent;
}

/// The location of `first`, if all accesses that reach from there so far are in one memory object.
inline std::optional<std::uint64_t> locate(ObjectMap& objects, const SiteInfo& site, std::uint64_t first,
                                           const BoxExtent& extent) {
  const std::uint64_t begin = first + static_cast<std::uint64_t>(extent.lowest);
  const std::uint64_t end = first + static_cast<std::uint64_t>(extent.highest) + site.width;
  const PlacedObject shared = objects.shared(site.object);
  const PlacedObject object = shared.contains(begin, end) ? shared : objects.find(site.object, begin, end, 0);
  if (object.id.value() == 0) return {};
  return object.key(first);
}

/// Where to cut boxes that do not hold: where earlier ones that failed in the same way should have been cut. Without
/// that a guard that leaves out one row or column of a work-group takes a dozen boxes, whose halves are tried one by
/// one, instead of two. What is proposed is no more than a guess, so it may be wrong.
class BoxCuts {
 public:
  static constexpr std::uint32_t kNoCut = ~std::uint32_t{0};
  static constexpr std::size_t kMostCuts = 32;

  BoxCuts();

  /// A box that does not hold, `violated` as in WarpscopeAbiV2::end_box, and what its first work-item does.
  struct Failure {
    Box box;
    std::uint32_t violated = 0;
    OutcomeState outcomes;
    bool operator==(const Failure&) const = default;
  };

  /// A work-group begins.
  void begin() { is_learning_ = has_learned_ = false; }
  /// Number of a cut for a box that failed; kNoCut: cut it in half, along dimension `d`.
  std::uint32_t find(const Failure& failure, std::size_t d);
  /// How many work-items of the box are before the cut, along `dimension`.
  [[nodiscard]] std::uint32_t position(std::uint32_t cut) const { return cuts_[cut].position; }
  [[nodiscard]] std::size_t dimension(std::uint32_t cut) const { return cuts_[cut].dimension; }
  /// A part that the cut left, which may be kNoCut, holds or not.
  void judge(std::uint32_t cut, bool holds);
  /// A box of the work-group holds; `first`: what its first work-item does.
  void hold(const Box& box, const Recording& first);
  /// All boxes of the work-group are predicted.
  void learn();
  /// Whether the next one like it may be cut elsewhere.
  [[nodiscard]] bool has_learned() const { return has_learned_; }

 private:
  static constexpr std::size_t kMostBoxes = 64;  ///< limit for a work-group that teaches cuts
  static constexpr int kTrust = 8;               ///< initial and largest trust

  struct Cut {
    Failure failure;
    std::size_t dimension = 0;
    std::uint32_t position = 0;  ///< 0: cut in half
    int trust = kTrust;          ///< below 0: cut in half
    bool is_new = true;
  };
  struct Held {
    Box box;
    std::uint64_t shape = 0;  ///< equal for work-items that do the same at other addresses
  };
  [[nodiscard]] std::uint32_t boundary(const Cut& cut) const;

  std::vector<Cut> cuts_;
  std::vector<Held> held_;    ///< boxes of the current work-group, while it teaches cuts
  bool is_learning_ = false;  ///< whether a box of the work-group was cut in half for the first time
  bool has_learned_ = false;
};

class BoxRecording {
 public:
  static constexpr std::uint64_t kNoBox = ~std::uint64_t{0};

  BoxRecording(Dim3 local, std::uint32_t sites);
  void limit_memory(std::uint64_t bytes) { origin_.limit_memory(bytes); }

  /// A work-group begins: all of it is the first box.
  void begin();
  /// Takes the next box: its lowest local id, 16 bits per dimension; kNoBox if none is left.
  std::uint64_t next();
  /// How far the current box reaches, packed in the same way.
  [[nodiscard]] std::uint64_t reach() const { return packed(box_.reach); }

  /// `sites`: pairs of a site and what is added to `base`.
  void access(std::uint64_t base, const BoxStrides& strides, std::span<const std::int64_t> sites);
  void branch(std::uint32_t outcome, std::uint32_t bits) { origin_.branch(outcome, bits, 0); }
  void sync(std::uint32_t site) { origin_.sync(site, 0); }
  /// Whether the prediction holds for all work-items of the box. If not, its halves become boxes.
  /// `violated`: as WarpscopeAbiV2::end_box.
  bool end(std::uint32_t violated);

  [[nodiscard]] const Box& box() const { return box_; }
  /// As BoxCuts.
  [[nodiscard]] bool has_learned() const { return cuts_.has_learned(); }
  [[nodiscard]] bool is_whole_group() const { return are_equal(box_.reach, whole_.reach); }
  /// What the work-item with the lowest local id does, as if it were alone.
  [[nodiscard]] const Recording& origin() const { return origin_; }
  /// By site; of the accesses of sites that were executed.
  [[nodiscard]] std::span<const BoxStrides> strides() const { return strides_; }
  /// By site; of those that were executed.
  [[nodiscard]] std::vector<BoxExtent> extents() const;
  /// Calls `visit(address, site, item)` for all accesses, work-item by work-item and site by site.
  using Visit = std::function<void(std::uint64_t, std::uint32_t, std::uint32_t)>;
  void for_each_access(const Visit& visit) const;
  /// Bytes from the accesses of work-item 0 to those of `item`, if the box is the whole work-group.
  [[nodiscard]] std::uint64_t way_to(std::uint32_t item, std::uint32_t site) const;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  /// As `violated` of end(): of an access with other strides than an earlier one of its site.
  [[nodiscard]] std::uint32_t difference(const BoxStrides& a, const BoxStrides& b) const;
  struct Waiting {
    Box box;
    std::uint32_t cut = BoxCuts::kNoCut;  ///< what it is a part of
  };
  [[nodiscard]] std::size_t dimension_to_split() const;
  void split();
  void visit_item(const Visit& visit, const std::array<std::uint32_t, 3>& distance) const;

  Box whole_, box_;
  std::vector<Waiting> waiting_;
  std::uint32_t cut_ = BoxCuts::kNoCut;  ///< what `box_` is a part of
  BoxCuts cuts_;
  Recording origin_;
  std::vector<BoxStrides> strides_;
  std::uint32_t sites_;
  std::uint32_t violated_ = 0;
};

}  // namespace warpscope
