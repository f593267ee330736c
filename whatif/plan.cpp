#include "whatif/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "traces/base/refused.h"
#include "whatif/facts/facts.h"
#include "whatif/objects.h"

namespace warpscope::whatif {
namespace {

/// A change of one object.
struct Step {
  const Change* change;
  BufferId object;
};

bool needs_facts(const Change& change) {
  return change.kind == ChangeKind::Pad || change.kind == ChangeKind::Pitch ||
         change.kind == ChangeKind::Align ||
         ((change.kind == ChangeKind::Swizzle || change.kind == ChangeKind::Split) &&
          change.numbers.size() == 1);
}

class Planner {
 public:
  Planner(const std::vector<BufferInfo>& buffers, std::vector<ObjectFacts> facts, Plan& plan)
      : buffers_(buffers), facts_(std::move(facts)), plan_(plan) {}

  void add(const Step& step) {
    change_ = step.change;
    id_ = step.object;
    size_ = plan_.moves(id_) ? plan_.maps[id_.value()]->new_size() : buffer().size;
    if (change_->kind == ChangeKind::Bypass) {
      plan_.bypass[id_.value()] = true;
      return say("its accesses do not look the L1 up, as if it were declared volatile");
    }
    if (change_->kind == ChangeKind::ReadOnly) {
      plan_.read_only[id_.value()] = true;
      return say("its loads take the read-only path, where the GPU has one");
    }
    const OffsetMapPtr map = map_of();
    OffsetMapPtr& all = plan_.maps[id_.value()];
    all = all == nullptr ? map : both(all, map);
    constexpr std::uint64_t kObjectLimit = std::uint64_t{1} << BufferAddr::kOffsetBits;
    if (map->new_size() >= kObjectLimit)
      refuse(fmt::format("the object would have {} bytes, expected less than {}", map->new_size(),
                         kObjectLimit));
    if (map->new_size() != size_)
      plan_.said.back() += fmt::format("; {} -> {} bytes", size_, map->new_size());
  }

 private:
  [[nodiscard]] const BufferInfo& buffer() const { return buffers_[id_.value() - 1]; }
  [[nodiscard]] const ObjectFacts& facts() const { return facts_[id_.value()]; }
  [[nodiscard]] std::uint64_t number(std::size_t i) const { return change_->numbers[i]; }

  void say(const std::string& what) { plan_.said.push_back(plan_.names[id_.value()] + ": " + what); }
  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(fmt::format("{}: {}: {}", change_->text, plan_.names[id_.value()], why));
  }

  OffsetMapPtr map_of() {
    switch (change_->kind) {
      case ChangeKind::Pad:
      case ChangeKind::Pitch:
        return pitch();
      case ChangeKind::Align:
        return align();
      case ChangeKind::Offset:
        return offset();
      case ChangeKind::Swizzle:
        return swizzle();
      case ChangeKind::Split:
        return split();
      default:
        return transpose();
    }
  }

  /// Bytes of an element: the narrowest access. All others must be multiples of it.
  std::uint64_t element() {
    if (facts().accesses == 0) refuse("is not accessed, expected an object whose accesses show its elements");
    if (facts().other_type)
      throw Refused(
          fmt::format("{}: {}: '{}' is viewed with two types: the narrowest access, at {}, has {} "
                      "bytes, and an access here does not consist of such elements",
                      *facts().other_type, change_->text, plan_.names[id_.value()], facts().narrowest_at,
                      facts().narrowest));
    return facts().narrowest;
  }

  OffsetMapPtr pitch() {
    const std::uint64_t bytes = element();
    std::uint64_t old_row = number(0) * bytes;
    std::uint64_t new_row = change_->numbers.back() * bytes;
    std::string found;
    if (change_->kind == ChangeKind::Pad) {
      const auto row = find_row(facts());
      if (!row)
        refuse(
            fmt::format("no row was found: no work-items or accesses are more than one element of {} "
                        "bytes apart; give it: --pitch OBJECT=OLD:NEW",
                        bytes));
      old_row = row->bytes;
      new_row = old_row + number(0) * bytes;
      found = fmt::format(" (found: {})", row->rule);
    }
    if (old_row > size_)
      refuse(fmt::format("a row of {} bytes is larger than the object, {} bytes", old_row, size_));
    say(fmt::format("rows of {} elements of {} bytes become rows of {}{}", old_row / bytes, bytes,
                    new_row / bytes, found));
    return pitch_map(size_, old_row, new_row);
  }

  OffsetMapPtr align() {
    if (facts().accesses == 0) refuse("is not accessed, expected an object with a first accessed byte");
    const std::uint64_t up = (number(0) - facts().lowest % number(0)) % number(0);
    say(fmt::format("its first accessed byte moves from offset {} to {}", facts().lowest,
                    facts().lowest + up));
    return shift_map(size_, static_cast<std::int64_t>(up));
  }

  OffsetMapPtr offset() {
    const auto bytes = static_cast<std::int64_t>(number(0));
    say(fmt::format("every byte moves by {}{}", change_->negative ? "-" : "", number(0)));
    return shift_map(size_, change_->negative ? -bytes : bytes);
  }

  OffsetMapPtr swizzle() {
    const std::uint64_t row = number(0);
    std::uint64_t unit = change_->numbers.size() > 1 ? number(1) : 0;
    std::string found;
    if (unit == 0) {
      unit = std::bit_ceil(std::max(element(), std::uint64_t{facts().widest}));
      found = " (found: the widest access)";
      if (unit > row) refuse(fmt::format("an access has {} bytes, more than the row of {}", unit, row));
    }
    say(fmt::format("in rows of {} bytes, piece c of row r goes to c XOR r; a piece has {} bytes{}", row,
                    unit, found));
    return swizzle_map(size_, row, unit);
  }

  OffsetMapPtr split() {
    const std::uint64_t structure = number(0);
    std::vector<std::uint64_t> fields(change_->numbers.begin() + 1, change_->numbers.end());
    std::string found;
    if (fields.empty()) {
      const std::uint64_t bytes = element();
      if (structure % bytes != 0 || structure == bytes)
        refuse(
            fmt::format("a structure of {} bytes has no fields of {} bytes, the narrowest access; give them: "
                        "OBJECT=STRUCTBYTES:FIELD,...",
                        structure, bytes));
      fields.assign(structure / bytes, bytes);
      found = " (found: the narrowest access)";
    }
    std::string sizes;
    for (const std::uint64_t bytes : fields) sizes += (sizes.empty() ? "" : ", ") + std::to_string(bytes);
    if (fields.size() > 8) sizes = fmt::format("{} x {}", fields.size(), fields.front());
    say(fmt::format("structures of {} bytes become {} arrays, with elements of {} bytes{}", structure,
                    fields.size(), sizes, found));
    return split_map(size_, structure, fields);
  }

  OffsetMapPtr transpose() {
    if (number(0) * number(1) > size_ / number(2))
      refuse(fmt::format("{} x {} elements of {} bytes are more than the object, {} bytes", number(0),
                         number(1), number(2), size_));
    say(fmt::format("{} rows of {} elements of {} bytes are stored by columns", number(0), number(1),
                    number(2)));
    return transpose_map(size_, number(0), number(1), number(2));
  }

  const std::vector<BufferInfo>& buffers_;
  std::vector<ObjectFacts> facts_;  ///< indexed by id; empty if no change needs them
  Plan& plan_;
  const Change* change_ = nullptr;
  BufferId id_;
  std::uint64_t size_ = 0;  ///< size of the object before this change
};

void note_what_is_not_simulated(const std::vector<BufferInfo>& buffers, Plan& plan) {
  std::string names;
  for (const BufferInfo& buffer : buffers)
    if (plan.moves(buffer.id) &&
        (buffer.space == AddressSpace::Global || buffer.space == AddressSpace::Constant))
      names += (names.empty() ? "" : ", ") + plan.names[buffer.id.value()];
  if (names.empty()) return;
  plan.not_simulated.push_back("copies by the host that assume the old layout: " + names);
}

}  // namespace

Plan make_plan(const CaptureReader& capture, const std::vector<Change>& changes) {
  const std::vector<BufferInfo>& buffers = capture.buffers();
  const ObjectNames names(buffers, capture.launches());
  Plan plan;
  plan.maps.resize(buffers.size() + 1);
  plan.bypass.resize(buffers.size() + 1);
  plan.read_only.resize(buffers.size() + 1);
  plan.names.resize(buffers.size() + 1);
  for (const BufferInfo& buffer : buffers) plan.names[buffer.id.value()] = names.name(buffer.id);
  std::vector<Step> steps;
  std::vector<bool> wanted(buffers.size() + 1);
  bool any_wanted = false;
  for (const Change& change : changes) {
    if (change.kind == ChangeKind::Groups) {
      if (plan.groups) throw InputError(change.text + ": expected --groups once");
      plan.groups = change;
      continue;
    }
    if (change.kind == ChangeKind::Widen) {
      plan.widened.push_back(change);
      continue;
    }
    for (const BufferId id : names.find(change.object, change.text)) {
      if (change.kind == ChangeKind::SortIndex) {
        plan.sorted.push_back({id, change.text});
        plan.not_simulated.push_back(
            fmt::format("sorting {}, and the order of what goes with its elements", plan.names[id.value()]));
        continue;
      }
      steps.push_back({&change, id});
      wanted[id.value()] = wanted[id.value()] || needs_facts(change);
      any_wanted = any_wanted || needs_facts(change);
    }
  }
  Planner planner(buffers, any_wanted ? facts_of(capture, wanted) : std::vector<ObjectFacts>(), plan);
  for (const Step& step : steps) planner.add(step);
  note_what_is_not_simulated(buffers, plan);
  return plan;
}

}  // namespace warpscope::whatif
