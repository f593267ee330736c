#include "traces/program/unwritten.h"

#include <algorithm>
#include <limits>

#include "traces/base/json_fields.h"

namespace warpscope {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 46;

UnwrittenBytes part_from(const json& numbers, const std::string& where) {
  if (!numbers.is_array() || (numbers.size() != 3 && numbers.size() != 5))
    throw InputError(where + ": expected [buffer, first byte, bytes] or these, a stride and a count");
  const auto at = [&](std::size_t index) { return json_number(numbers[index], where, kMostBytes); };
  UnwrittenBytes part;
  part.buffer = BufferId(
      static_cast<std::uint32_t>(json_number(numbers[0], where, std::numeric_limits<std::uint32_t>::max())));
  part.first = at(1);
  part.size = at(2);
  if (numbers.size() == 5) {
    part.stride = at(3);
    part.count = json_number(numbers[4], where, kMostBytes / std::max<std::uint64_t>(part.stride, 1));
  }
  return part;
}

/// The list of this name in `notes`.
const json* list_of(const json& notes, const char* name) {
  const auto found = notes.is_object() ? notes.find(name) : notes.end();
  return notes.is_object() && found != notes.end() && found->is_array() ? &*found : nullptr;
}

}  // namespace

json unwritten_json(LaunchId launch, const UnwrittenOfLaunch& found, std::optional<LaunchId> as) {
  json entry = {{"launch", launch.value()}};
  if (found.in_part) entry["in_part"] = true;
  if (as) {
    entry["as"] = as->value();
    return entry;
  }
  json& parts = entry["parts"] = json::array();
  for (const UnwrittenBytes& part : found.parts) {
    json numbers = {part.buffer.value(), part.first, part.size};
    if (part.count != 1) numbers.insert(numbers.end(), {part.stride, part.count});
    parts.push_back(std::move(numbers));
  }
  return entry;
}

json to_json(const LeftAllocation& left) {
  return {{"buffer", left.buffer.value()}, {"name", left.name}, {"bytes", left.bytes}};
}

UnwrittenNotes::UnwrittenNotes(const json& notes) {
  const json* list = list_of(notes, kUnwrittenList);
  if (list == nullptr) return;
  for (const json& entry : *list) entries_[JsonFields(entry, kUnwrittenList).number("launch")] = &entry;
}

UnwrittenOfLaunch UnwrittenNotes::of(LaunchId launch) const {
  UnwrittenOfLaunch result;
  auto entry = entries_.find(launch.value());
  if (entry == entries_.end()) return result;
  const JsonFields own(*entry->second, kUnwrittenList);
  result.in_part = own.flag("in_part", false);
  if (own.find("as") != nullptr) entry = entries_.find(own.number("as"));
  if (entry == entries_.end()) return result;
  JsonFields(*entry->second, kUnwrittenList)
      .each("parts", [&](const json& numbers, const std::string& where) {
        result.parts.push_back(part_from(numbers, where));
      });
  return result;
}

std::vector<LeftAllocation> left_allocations(const json& notes) {
  std::vector<LeftAllocation> result;
  const json* list = list_of(notes, kLeftList);
  if (list == nullptr) return result;
  for (const json& one : *list) {
    const JsonFields fields(one, kLeftList);
    result.push_back({BufferId(fields.number32("buffer")), fields.text("name"), fields.number("bytes")});
  }
  return result;
}

}  // namespace warpscope
