#pragma once
// The last work-groups of a launch that are recorded, to find out whether another one repeats one of them.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "traces/base/types.h"
#include "traces/capture/runs/group_form.h"

namespace warpscope {

/// Holds the most recently used ones. A work-group repeats a record if its payload has the record's form.
class KnownRecords {
 public:
  static constexpr std::size_t kMost = 16;
  /// The payload of a record, if it has not been given to add().
  using Load = std::function<std::vector<std::uint8_t>(WorkGroupId)>;

  KnownRecords(std::shared_ptr<const std::vector<bool>> carries_address, Load load)
      : carries_address_(std::move(carries_address)), load_(std::move(load)) {}

  struct Match {
    WorkGroupId record;
    std::span<const std::uint64_t> numbers;  ///< of the work-group that repeats it; valid until the next call
  };
  /// Which record a work-group repeats. `payload` gives its payload of `size` bytes; it is called only if a record has as many.
  template <class Payload>
  std::optional<Match> find(std::size_t size, Payload payload) {
    for (std::size_t at = 0; at < records_.size(); ++at) {
      if (records_[at]->size != size || !has_form(*records_[at])) continue;
      const GroupForm& form = records_[at]->form;
      numbers_.resize(form.places.size());
      if (!form.read(payload(), numbers_)) continue;
      use(at);
      return Match{records_.front()->group, numbers_};
    }
    return {};
  }
  /// The record whose form is `form`.
  std::optional<WorkGroupId> find(const GroupForm& form);
  /// Uses the record `group`; false if it is not known (any more).
  bool use(WorkGroupId group);
  /// The work-group does not repeat a record, but is one. `payload` may be empty, and is loaded then if it is needed.
  void add(WorkGroupId group, std::size_t size, std::span<const std::uint8_t> payload);
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct Record {
    WorkGroupId group;
    std::size_t size = 0;
    enum class State { NotLoaded, NotParsed, HasForm, HasNone } state = State::NotLoaded;
    GroupForm form;
  };
  bool has_form(Record& record);
  void use(std::size_t at);

  std::shared_ptr<const std::vector<bool>> carries_address_;
  Load load_;
  std::vector<std::unique_ptr<Record>> records_;  ///< sorted by last use, the latest first
  std::vector<std::uint64_t> numbers_;
};

}  // namespace warpscope
