#pragma once
// Work-groups that tell what an earlier one told, apart from where their accesses begin. Their calls are compared as they
// come, and nothing of them is recorded: they take the earlier one's payload with other locations. In most launches nearly
// all work-groups are of this kind, so a call is a few instructions.
//
// Where all that is told depends on global ids alone, boxes may reach into the next work-groups: if they hold there, these
// work-groups need not tell anything.
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
  static constexpr std::size_t kMostCalls = 128;   ///< of a work-group; more are not worth a comparison
  static constexpr std::size_t kMostWords = 1024;  ///< of the sites in these
  static constexpr std::size_t kMostKnown = 16;    ///< work-groups
  static constexpr std::uint64_t kFewest = 16;     ///< work-groups of a launch; in fewer nothing is noted

  /// `kernel` must outlive this. `groups`: work-groups of the launch.
  KnownGroups(const KernelInfo& kernel, Dim3 groups, Dim3 local);

  using Position = std::array<std::uint64_t, 3>;
  /// A work-group begins. `is_of_grid`: as of WarpscopeAbiV2::begin_grid_boxes.
  void begin(const Position& group, bool is_of_grid);
  /// Whether the work-group at hand tells what a known one told, as far as it is told. If not, it is to be recorded.
  [[nodiscard]] bool is_following() const { return followed_ != nullptr; }

  // What a box tells. Whether the work-group follows: then there is no more to do.
  bool access(std::uint64_t base, const BoxStrides& strides, std::span<const std::int64_t> words) {
    if (followed_ != nullptr)
      follow(base, strides, words);
    else if (is_noting_)
      note(base, strides, words);
    return followed_ != nullptr;
  }
  bool branch(std::uint32_t outcome, std::uint32_t bits) {
    return tell(ToldCall::what_of(ToldCall::Kind::Branch, bits, outcome));
  }
  bool sync(std::uint32_t site) { return tell(ToldCall::what_of(ToldCall::Kind::Sync, 0, site)); }

  // While it follows:
  /// As BoxRecording::next(). It follows no more if all boxes are told and accesses of a site are not all in one memory
  /// object; then the work-group is to be told again from its beginning.
  std::uint64_t next(const ObjectMap& objects);
  [[nodiscard]] std::uint64_t reach() const;
  /// A box is told, `violated` as in WarpscopeAbiV2::end_box. If it is another one, the work-group is to be told again from
  /// its beginning, and may follow another known one.
  void end(std::uint32_t violated);
  /// The payload of the work-group, all of which is told. Valid until the next call.
  std::span<const std::uint8_t> put();
  /// As Recorder::Thread::find().
  [[nodiscard]] std::optional<RecordedAccess> find(std::uint64_t address) const;

  // While it does not:
  /// A box is told. One that does not hold is told again in parts.
  void end_noted(const Box& box, bool holds);
  /// Whether learn() has a use: all that was told is noted, and the next work-group like this one is cut as this one, or its
  /// boxes are not going to be told. `has_learned`: as BoxRecording.
  [[nodiscard]] bool can_learn(bool has_learned) const { return is_noting_ && (is_of_grid_ || !has_learned); }
  /// Work-groups to come may be like this one, which is told and recorded.
  void learn(const EncodedGroup& group, const ObjectMap& objects);

  /// Accesses of all work-groups of which put() gave the payload, indexed by site.
  [[nodiscard]] std::vector<std::uint64_t> executions() const;
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  /// Places in a row of work-groups.
  struct Place {
    KnownGroup* known = nullptr;      ///< what the last work-group here was like
    Position first{};                 ///< from this one on work-groups need not tell anything
    std::uint64_t more = 0;           ///< how many behind it; 0: all have to
    std::vector<std::uint64_t> ways;  ///< of the first one
    std::uint32_t pause = 0;          ///< so many have to before boxes are stretched
    std::uint32_t next_pause = 1;
  };
  static constexpr std::uint64_t kMostPlaces = 256;
  static const ToldCall kNothing;  ///< what no call is equal to

  bool tell(std::uint64_t what) {
    if (followed_ != nullptr)
      next_ = next_->what == what ? next_ + 1 : &kNothing;
    else if (is_noting_)
      note({what, 0, {}, 0, 0, false});
    return followed_ != nullptr;
  }
  void follow(std::uint64_t base, const BoxStrides& strides, std::span<const std::int64_t> words) {
    const ToldCall& call = *next_;
    const std::uint64_t way = base - call.base;
    const bool is_free = call.is_first && stretch_ == 0;
    next_ = &kNothing;
    if (call.what != ToldCall::what_of(ToldCall::Kind::Accesses, words.size()) ||
        !are_equal(call.strides, strides) ||
        !std::equal(words.begin(), words.end(), followed_->told.words.data() + call.words) ||
        (!is_free && ways_[call.part] != way))
      return;
    ways_[call.part] = way;
    next_ = &call + 1;
  }
  void note(const ToldCall& call);
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
  std::uint64_t begun_ = 0;   ///< work-groups
  std::uint64_t misses_ = 0;  ///< in a row, which were not what was expected
  std::vector<std::unique_ptr<KnownGroup>> known_;
  std::vector<Place> places_;  ///< one if boxes are stretched along a row; none if the launch is small
  KnownGroup* last_ = nullptr;

  Position group_{};  ///< at hand
  bool is_of_grid_ = false;
  Place* place_ = nullptr;
  KnownGroup* followed_ = nullptr;
  const ToldCall* next_ = nullptr;  ///< that is expected
  std::size_t box_ = 0;
  bool is_told_ = false;        ///< all of the work-group; what comes are its boxes, stretched
  std::uint64_t stretch_ = 0;   ///< by so many work-groups
  std::uint64_t farthest_ = 0;  ///< there are so many
  bool is_second_guess_ = false;
  std::vector<std::uint64_t> ways_;   ///< by part, bytes from the followed one to the work-group at hand
  std::vector<std::uint64_t> first_;  ///< locations of the work-group at hand, by column

  bool is_noting_ = false;
  std::uint64_t too_long_ = 0;  ///< work-groups with more than is noted
  ToldGroup noted_;
  std::size_t box_calls_ = 0, box_words_ = 0;  ///< where those of the box at hand begin

  std::vector<std::uint64_t> executions_;  ///< of known ones that made room for others
};

}  // namespace warpscope
