#pragma once
// What a work-group accesses, told before it runs and not work-item by work-item but box by box
// (passes/record/Affine.h): what the work-item with the box's lowest local id does, and strides from there.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "traces/base/shape_table.h"
#include "traces/base/types.h"
#include "wrapper/recording/lookup/object_map.h"
#include "wrapper/recording/recording.h"

namespace warpscope {

/// As ==, without a call.
template <class Number>
bool are_equal(const std::array<Number, 3>& a, const std::array<Number, 3>& b) {
  return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2])) == 0;
}

/// Work-items [origin, origin + reach] in every dimension.
struct Box {
  std::array<std::uint32_t, 3> origin{};
  std::array<std::uint32_t, 3> reach{};
  [[nodiscard]] bool is_single() const { return (reach[0] | reach[1] | reach[2]) == 0; }
  bool operator==(const Box& other) const {
    return are_equal(origin, other.origin) && are_equal(reach, other.reach);
  }
};

/// Calls `visit(number of the work-item, distance from the box's origin)` for all work-items of a box. `local`: the work-group's size.
template <class Visit>
void for_items(const Box& box, Dim3 local, const Visit& visit) {
  for (std::uint32_t z = 0; z <= box.reach[2]; ++z)
    for (std::uint32_t y = 0; y <= box.reach[1]; ++y)
      for (std::uint32_t x = 0; x <= box.reach[0]; ++x) {
        const std::uint64_t row = box.origin[1] + y + local.y * (box.origin[2] + z);
        visit(static_cast<std::uint32_t>(box.origin[0] + x + local.x * row),
              std::array<std::int64_t, 3>{x, y, z});
      }
}

/// Bytes from a work-item's address to its neighbour's, per dimension.
using BoxStrides = std::array<std::int64_t, 3>;

/// What all accesses of a site in a box reach, in bytes from the first one of the first work-item.
struct BoxExtent {
  std::int64_t lowest = 0, highest = 0;
  std::uint64_t odd_bits = 0;  ///< bits that some address may have and the first one need not
  bool fits = true;            ///< in 64 bits

  void add(std::int64_t step, std::uint64_t times);
};

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
  void begin() { is_learning_ = false; }
  /// Number of a cut for a box that failed; kNoCut: cut it in half, along dimension `d`.
  std::uint32_t find(const Failure& failure, std::size_t d);
  /// How many work-items of the box are before the cut, along `dimension`.
  [[nodiscard]] std::uint32_t position(std::uint32_t cut) const { return cuts_[cut].position; }
  [[nodiscard]] std::size_t dimension(std::uint32_t cut) const { return cuts_[cut].dimension; }
  /// A part that the cut left, which may be kNoCut, holds or not.
  void judge(std::uint32_t cut, bool holds);
  /// A box of the work-group holds; `first`: what its first work-item does.
  void hold(const Box& box, const Recording& first);
  /// All boxes of the work-group were told.
  void learn();

 private:
  static constexpr std::size_t kMostBoxes = 64;  ///< of a work-group that teaches anything
  static constexpr int kTrust = 8;               ///< at first, and at most

  struct Cut {
    Failure failure;
    std::size_t dimension = 0;
    std::uint32_t position = 0;  ///< 0: cut in half
    int trust = kTrust;          ///< below 0: cut in half
    bool is_new = true;
  };
  struct Held {
    Box box;
    std::uint64_t shape = 0;  ///< equal for work-items that do the same, apart from where
  };
  [[nodiscard]] std::uint32_t boundary(const Cut& cut) const;

  std::vector<Cut> cuts_;
  std::vector<Held> held_;    ///< of the work-group at hand, while it teaches something
  bool is_learning_ = false;  ///< some box of the work-group was cut in half for the first time
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
  [[nodiscard]] std::uint64_t reach() const { return pack(box_.reach); }

  /// `sites`: pairs of a site and what is added to `base`.
  void access(std::uint64_t base, const BoxStrides& strides, std::span<const std::int64_t> sites);
  void branch(std::uint32_t outcome, std::uint32_t bits) { origin_.branch(outcome, bits, 0); }
  void sync(std::uint32_t site) { origin_.sync(site, 0); }
  /// Whether what was told holds for all work-items of the box. If not, its halves are boxes to come.
  /// `violated`: as WarpscopeAbiV2::end_box.
  bool end(std::uint32_t violated);

  [[nodiscard]] const Box& box() const { return box_; }
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
  static std::uint64_t pack(const std::array<std::uint32_t, 3>& position) {
    return position[0] | std::uint64_t{position[1]} << 16 | std::uint64_t{position[2]} << 32;
  }
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
