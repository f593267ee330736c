#pragma once
// Work-groups with the same prediction as an earlier one, apart from where their accesses begin. The calls of their prologues
// are compared as they come, and nothing is recorded: they take the earlier one's payload with other locations. In most
// launches nearly all work-groups are of this kind, so a call is a few instructions.
//
// If a prediction depends only on global ids, boxes may extend into the next work-groups. If they hold there, the prologues of
// these work-groups need not run.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "wrapper/recording/boxes/known_group.h"

namespace warpscope {

class KnownGroups {
 public:
  static constexpr std::size_t kMostCalls = 128;   ///< longer predictions are not worth a comparison
  static constexpr std::size_t kMostWords = 1024;  ///< limit of Prediction::words
  static constexpr std::size_t kMostKnown = 16;    ///< number of known work-groups
  static constexpr std::uint64_t kFewest = 16;     ///< launches of fewer work-groups note nothing

  /// `kernel` must outlive this. `groups`: work-groups of the launch.
  KnownGroups(const KernelInfo& kernel, Dim3 groups, Dim3 local);

  using Position = std::array<std::uint64_t, 3>;
  /// A work-group begins. `is_of_grid`: as of WarpscopeAbiV2::begin_grid_boxes.
  void begin(const Position& group, bool is_of_grid);
  /// Whether the prediction of the current work-group is so far that of a known one. If not, it has to be recorded.
  [[nodiscard]] bool is_following() const { return followed_ != nullptr; }

  // The calls of a box. True if the work-group still follows a known one: then there is nothing to record.
  bool access(std::uint64_t base, const BoxStrides& strides, std::span<const std::int64_t> words) {
    if (followed_ != nullptr)
      follow(base, strides, words);
    else if (is_noting_)
      note(base, strides, words);
    return followed_ != nullptr;
  }
  bool branch(std::uint32_t outcome, std::uint32_t bits) {
    return predict(PredictedCall::what_of(PredictedCall::Kind::Branch, bits, outcome));
  }
  bool sync(std::uint32_t site) {
    return predict(PredictedCall::what_of(PredictedCall::Kind::Sync, 0, site));
  }

  // While the work-group follows a known one:
  /// As BoxRecording::next(). It stops following if all boxes are predicted and accesses of a site are not all in one memory
  /// object; then the prologue has to predict the work-group again from its beginning.
  std::uint64_t next(const ObjectMap& objects);
  [[nodiscard]] std::uint64_t reach() const;
  /// The end of a box, `violated` as in WarpscopeAbiV2::end_box. If the box differs from the known one, the prologue has to
  /// predict the work-group again from its beginning, which may follow another known one.
  void end(std::uint32_t violated);
  /// The payload of the work-group, whose prediction is complete. Valid until the next call.
  std::span<const std::uint8_t> put();
  /// As Recorder::Thread::find().
  [[nodiscard]] std::optional<RecordedAccess> find(std::uint64_t address) const;

  // While it follows none:
  /// The end of a box. A box that does not hold is predicted again in parts.
  void end_noted(const Box& box, bool holds);
  /// Whether learn() is of use: the whole prediction is noted, and the next similar work-group is cut in the same way, or its
  /// boxes need no prediction. `has_learned`: as BoxRecording.
  [[nodiscard]] bool can_learn(bool has_learned) const { return is_noting_ && (is_of_grid_ || !has_learned); }
  /// Keeps this work-group, which is predicted and recorded, for the following ones.
  void learn(const EncodedGroup& group, const ObjectMap& objects);

  /// Number of accesses of all work-groups whose payload put() gave, indexed by site.
  [[nodiscard]] std::vector<std::uint64_t> executions() const;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  /// Places in a row of work-groups.
  struct Place {
    KnownGroup* known = nullptr;      ///< the known work-group that the last one here followed
    Position first{};                 ///< the first work-group whose prologue need not run
    std::uint64_t more = 0;           ///< how many after it need not, either; 0: all prologues have to run
    std::vector<std::uint64_t> ways;  ///< the `ways_` of `first`
    std::uint32_t pause = 0;          ///< number of prologues that run before boxes are stretched again
    std::uint32_t next_pause = 1;
  };
  static constexpr std::uint64_t kMostPlaces = 256;
  static const PredictedCall kNothing;  ///< differs from every call

  bool predict(std::uint64_t what) {
    if (followed_ != nullptr)
      next_ = next_->what == what ? next_ + 1 : &kNothing;
    else if (is_noting_)
      note({what, 0, {}, 0, 0, false});
    return followed_ != nullptr;
  }
  void follow(std::uint64_t base, const BoxStrides& strides, std::span<const std::int64_t> words) {
    const PredictedCall& call = *next_;
    const std::uint64_t way = base - call.base;
    const bool is_free = call.is_first && stretch_ == 0;
    next_ = &kNothing;
    if (call.what != PredictedCall::what_of(PredictedCall::Kind::Accesses, words.size()) ||
        !are_equal(call.strides, strides) ||
        !std::equal(words.begin(), words.end(), followed_->prediction.words.data() + call.words) ||
        (!is_free && ways_[call.part] != way))
      return;
    ways_[call.part] = way;
    next_ = &call + 1;
  }
  void note(const PredictedCall& call);
  void note(std::uint64_t base, const BoxStrides& strides, std::span<const std::int64_t> words);
  void give_up_noting();
  void guess(KnownGroup* known);
  void guess_again();
  void try_to_stretch();
  void end_stretched(bool holds);
  void set_place(KnownGroup* known);
  KnownGroup* add(std::unique_ptr<KnownGroup> known);

  const KernelInfo& kernel_;
  Dim3 local_size_;
  Position groups_, local_;
  std::size_t along_;         ///< the dimension in which boxes are stretched
  std::uint64_t begun_ = 0;   ///< number of work-groups that have begun
  std::uint64_t misses_ = 0;  ///< number of work-groups since the last one that followed a known one
  std::vector<std::unique_ptr<KnownGroup>> known_;
  std::vector<Place> places_;  ///< one if boxes are stretched along a row; empty if the launch is small
  KnownGroup* last_ = nullptr;

  Position group_{};  ///< the current work-group
  bool is_of_grid_ = false;
  Place* place_ = nullptr;
  KnownGroup* followed_ = nullptr;
  const PredictedCall* next_ = nullptr;  ///< the expected call
  std::size_t box_ = 0;
  bool is_complete_ = false;    ///< the work-group is predicted; its boxes follow once more, stretched
  std::uint64_t stretch_ = 0;   ///< by how many work-groups boxes are stretched
  std::uint64_t farthest_ = 0;  ///< the largest possible stretch
  bool is_second_guess_ = false;
  std::vector<std::uint64_t> ways_;   ///< bytes from the followed to the current work-group, by part
  std::vector<std::uint64_t> first_;  ///< locations of the current work-group, indexed by column

  bool is_noting_ = false;
  std::uint64_t too_long_ = 0;  ///< number of work-groups whose prediction is too long to be noted
  Prediction noted_;
  std::size_t box_calls_ = 0, box_words_ = 0;  ///< where those of the current box begin in `noted_`

  std::vector<std::uint64_t> executions_;  ///< accesses of known work-groups that were replaced, by site
};

}  // namespace warpscope
