#include "traces/capture/runs/known_records.h"

#include <algorithm>

#include "traces/base/error.h"

namespace warpscope {

/// Most records are never repeated, so their places are looked for only when a payload of the same size comes.
bool KnownRecords::has_form(Record& record) {
  using State = Record::State;
  if (record.state == State::NotLoaded) {
    record.form.payload = load_(record.group);
    record.state = State::NotParsed;
  }
  if (record.state == State::NotParsed) {
    record.state = State::HasNone;
    try {
      record.form = GroupForm::of(std::move(record.form.payload), *carries_address_);
      record.state = State::HasForm;
    } catch (const InputError&) {  // a recorded order, or too many sites: it is repeated by none
      record.form = {};
    }
  }
  return record.state == State::HasForm;
}

void KnownRecords::use(std::size_t at) {
  if (at != 0)
    std::rotate(records_.begin(), records_.begin() + static_cast<std::ptrdiff_t>(at),
                records_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
}

bool KnownRecords::use(WorkGroupId group) {
  const auto found =
      std::ranges::find_if(records_, [&](const auto& record) { return record->group == group; });
  if (found == records_.end()) return false;
  use(static_cast<std::size_t>(found - records_.begin()));
  return true;
}

std::optional<WorkGroupId> KnownRecords::find(const GroupForm& form) {
  for (std::size_t at = 0; at < records_.size(); ++at) {
    if (records_[at]->size != form.payload.size() || !has_form(*records_[at])) continue;
    if (!records_[at]->form.is_as(form)) continue;
    use(at);
    return records_.front()->group;
  }
  return {};
}

void KnownRecords::add(WorkGroupId group, std::size_t size, std::span<const std::uint8_t> payload) {
  if (records_.size() < kMost) records_.push_back(std::make_unique<Record>());
  use(records_.size() - 1);
  Record& record = *records_.front();
  record.group = group;
  record.size = size;
  record.form.places.clear();
  record.form.payload.clear();
  if (size > GroupForm::kLargest) {
    record.state = Record::State::HasNone;
  } else {
    record.form.payload.assign(payload.begin(), payload.end());
    record.state = payload.empty() ? Record::State::NotLoaded : Record::State::NotParsed;
  }
}

std::size_t KnownRecords::memory_bytes() const {
  std::size_t bytes = 0;
  for (const auto& record : records_) bytes += sizeof(Record) + record->form.payload.capacity();
  return bytes;
}

}  // namespace warpscope
