#include "wrapper/recording/boxes/known_groups.h"

#include <utility>

namespace warpscope {
namespace {

/// After this many work-groups in a row that followed no known one, only one in kMostMisses is compared and noted. After this
/// many whose predictions are too long, none is noted.
constexpr std::uint64_t kMostMisses = 16;
constexpr std::uint32_t kLongestPause = 64;
constexpr std::uint64_t kFarthest = 0xffff;  ///< largest local id in a box
constexpr std::uint64_t kNoBox = ~std::uint64_t{0};

}  // namespace

const PredictedCall KnownGroups::kNothing;

KnownGroups::KnownGroups(const KernelInfo& kernel, Dim3 groups, Dim3 local)
    : kernel_(kernel),
      local_size_(local),
      groups_{groups.x, groups.y, groups.z},
      local_{local.x, local.y, local.z},
      along_(groups.x > kMostPlaces ? 0
             : groups.y > 1         ? 1
             : groups.z > 1         ? 2
                                    : 0),
      places_(groups.count() < kFewest ? 0
              : along_ == 0            ? 1
                                       : groups.x),
      executions_(kernel.sites.size()) {
  if (places_.empty()) return;
  // Nothing may be thrown from inside a kernel.
  noted_.calls.reserve(kMostCalls);
  noted_.words.reserve(kMostWords);
  noted_.boxes.reserve(kMostCalls);
}

void KnownGroups::begin(const Position& group, bool is_of_grid) {
  if (places_.empty()) return;
  ++begun_;
  ++misses_;
  group_ = group;
  is_of_grid_ = is_of_grid;
  place_ = &places_[along_ == 0 ? 0 : group[0]];
  const bool is_hopeless = misses_ > kMostMisses && misses_ % kMostMisses != 0;
  is_noting_ = !is_hopeless && too_long_ < kMostMisses;
  noted_.calls.clear();
  noted_.words.clear();
  noted_.boxes.clear();
  box_calls_ = box_words_ = 0;
  is_second_guess_ = place_->known == nullptr;
  guess(is_hopeless ? nullptr : is_second_guess_ ? last_ : place_->known);
}

void KnownGroups::guess(KnownGroup* known) {
  followed_ = known;
  stretch_ = 0;
  is_complete_ = false;
  if (known == nullptr) return;
  box_ = 0;
  next_ = known->prediction.calls.data();
  const std::uint64_t distance = group_[along_] - place_->first[along_];
  if (place_->more == 0 || distance > place_->more || is_second_guess_) return;
  Position first = group_;
  first[along_] = place_->first[along_];
  if (first != place_->first) return;
  for (std::size_t part = 0; part < known->rooms.size(); ++part)
    ways_[part] = place_->ways[part] + distance * known->steps[part][along_];
  box_ = known->prediction.boxes.size();
  is_complete_ = true;
}

/// If the work-group differs from the last one at this place, it is often like the previous one.
void KnownGroups::guess_again() {
  const bool is_other = !std::exchange(is_second_guess_, true) && last_ != followed_;
  guess(is_other ? last_ : nullptr);
}

std::uint64_t KnownGroups::next(const ObjectMap& objects) {
  const std::vector<Box>& boxes = followed_->prediction.boxes;
  if (box_ == boxes.size()) {
    if (!is_complete_) try_to_stretch();
    is_complete_ = true;
  }
  if (box_ < boxes.size()) return packed(boxes[box_].origin);
  bool stays = followed_->moves == objects.moves();
  for (std::size_t part = 0; part < followed_->rooms.size(); ++part)
    stays &= followed_->rooms[part].allows(ways_[part]);
  if (!stays) followed_ = nullptr;
  return kNoBox;
}

std::uint64_t KnownGroups::reach() const {
  std::array<std::uint32_t, 3> reach = followed_->prediction.boxes[box_].reach;
  reach[along_] += static_cast<std::uint32_t>(stretch_ * local_[along_]);
  return packed(reach);
}

void KnownGroups::end(std::uint32_t violated) {
  const bool is_single = stretch_ == 0 && followed_->prediction.boxes[box_].is_single();
  const bool is_as_known =
      (violated == 0 || is_single) && next_->what == PredictedCall::what_of(PredictedCall::Kind::EndOfBox);
  if (stretch_ != 0) return end_stretched(is_as_known);
  if (!is_as_known) return guess_again();
  ++next_;
  ++box_;
}

/// Asks for the boxes of the work-group again, together with those of as many following ones as possible.
void KnownGroups::try_to_stretch() {
  if (!is_of_grid_ || !followed_->has_steps[along_]) return;
  set_place(followed_);
  if (place_->pause > 0) {
    --place_->pause;
    return;
  }
  stretch_ = groups_[along_] - 1 - group_[along_];
  for (const Box& box : followed_->prediction.boxes) {
    const std::uint64_t last = box.origin[along_] + box.reach[along_];
    stretch_ = std::min(stretch_, (kFarthest - last) / local_[along_]);
  }
  farthest_ = stretch_;
  if (stretch_ == 0) return;
  box_ = 0;
  next_ = followed_->prediction.calls.data();
}

/// If a box does not hold for all following work-groups: tries all but the last one, which is often at a border, then half.
void KnownGroups::end_stretched(bool holds) {
  const std::vector<Box>& boxes = followed_->prediction.boxes;
  if (!holds) {
    stretch_ = stretch_ == farthest_ ? farthest_ - 1 : stretch_ / 2;
    box_ = stretch_ == 0 ? boxes.size() : 0;
    next_ = followed_->prediction.calls.data();
    if (stretch_ == 0) {
      place_->pause = place_->next_pause;
      place_->next_pause = std::min(2 * place_->next_pause, kLongestPause);
    }
    return;
  }
  ++next_;
  if (++box_ < boxes.size()) return;
  place_->first = group_;
  place_->more = std::exchange(stretch_, 0);
  place_->ways.assign(ways_.begin(), ways_.end());
  place_->next_pause = 1;
}

std::span<const std::uint8_t> KnownGroups::put() {
  first_.clear();
  for (const KnownGroup::Column& column : followed_->columns)
    first_.push_back(column.location + ways_[column.part]);
  misses_ = 0;
  ++followed_->uses;
  followed_->last_used = begun_;
  set_place(followed_);
  return followed_->encoding.put(first_);
}

void KnownGroups::set_place(KnownGroup* known) {
  last_ = known;
  if (place_->known == known) return;
  place_->known = known;
  place_->more = 0;
  place_->pause = 0;
  place_->next_pause = 1;
}

std::optional<RecordedAccess> KnownGroups::find(std::uint64_t address) const {
  return followed_->find(address, ways_, kernel_, local_size_);
}

void KnownGroups::give_up_noting() {
  is_noting_ = false;
  ++too_long_;
}

void KnownGroups::note(const PredictedCall& call) {
  if (noted_.calls.size() == kMostCalls) return give_up_noting();
  noted_.calls.push_back(call);
}

void KnownGroups::note(std::uint64_t base, const BoxStrides& strides, std::span<const std::int64_t> words) {
  const std::size_t first = noted_.words.size();
  if (first + words.size() > kMostWords) return give_up_noting();
  noted_.words.insert(noted_.words.end(), words.begin(), words.end());
  note({PredictedCall::what_of(PredictedCall::Kind::Accesses, words.size()), base, strides,
        static_cast<std::uint32_t>(first), 0, false});
}

void KnownGroups::end_noted(const Box& box, bool holds) {
  if (!is_noting_) return;
  if (holds) {
    note({PredictedCall::what_of(PredictedCall::Kind::EndOfBox), 0, {}, 0, 0, false});
    if (is_noting_) noted_.boxes.push_back(box);
  } else {
    noted_.calls.resize(box_calls_);
    noted_.words.resize(box_words_);
  }
  box_calls_ = noted_.calls.size();
  box_words_ = noted_.words.size();
}

void KnownGroups::learn(const EncodedGroup& group, const ObjectMap& objects) {
  if (!is_noting_ || noted_.boxes.empty()) return;
  is_noting_ = false;
  std::unique_ptr<KnownGroup> known = KnownGroup::make(noted_, group, kernel_, local_size_, objects);
  if (known == nullptr) return;
  const auto alike = std::ranges::find_if(known_, [&](const auto& other) { return other->is_like(*known); });
  known->last_used = begun_;
  set_place(alike != known_.end() ? alike->get() : add(std::move(known)));
}

/// Replaces the least recently used one if there is no room.
KnownGroup* KnownGroups::add(std::unique_ptr<KnownGroup> known) {
  ways_.resize(std::max(ways_.size(), known->rooms.size()));
  if (known_.size() < kMostKnown) return known_.emplace_back(std::move(known)).get();
  std::unique_ptr<KnownGroup>& oldest = *std::ranges::min_element(known_, {}, &KnownGroup::last_used);
  for (Place& place : places_)
    if (place.known == oldest.get()) place = {};
  for (std::size_t site = 0; site < executions_.size(); ++site)
    executions_[site] += oldest->uses * oldest->counts[site];
  oldest = std::move(known);
  return oldest.get();
}

std::vector<std::uint64_t> KnownGroups::executions() const {
  std::vector<std::uint64_t> result = executions_;
  for (const std::unique_ptr<KnownGroup>& known : known_)
    for (std::size_t site = 0; site < result.size(); ++site)
      result[site] += known->uses * known->counts[site];
  return result;
}

std::size_t KnownGroups::memory_bytes() const {
  std::size_t bytes = noted_.memory_bytes();
  for (const std::unique_ptr<KnownGroup>& known : known_) bytes += known->memory_bytes();
  return bytes;
}

}  // namespace warpscope
