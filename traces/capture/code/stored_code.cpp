#include "traces/capture/code/stored_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/base/error.h"
#include "traces/base/json_fields.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostLoaded = 16;  ///< codes in memory at a time

std::string place_in(const std::string& path, const Extent& extent) {
  return fmt::format("{}: byte {}", path, extent.offset);
}

}  // namespace

void StoredCode::add(const SectionHeader& header, std::uint64_t offset) {
  const Extent extent{offset, static_cast<std::uint32_t>(kSectionHeaderBytes + header.stored_size)};
  (header.tag == kCodeTag ? code_ : totals_)[header.launch] = {extent, owner_of_code(header.number)};
}

const StoredCode::Place& StoredCode::place_of(LaunchId owner, LaunchId launch,
                                              const std::string& where) const {
  const auto found = code_.find(owner);
  if (owner < launch && found != code_.end() && !found->second.owner) return found->second;
  throw InputError(fmt::format(
      "{}: code: is that of launch {}, expected an earlier launch with its own code; capture it again", where,
      owner.value()));
}

/// Copies share what they have.
MachineCode StoredCode::load(LaunchId launch, const Place& place, const Source& source) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(loaded_, launch, [](const auto& entry) { return entry.first; });
  if (found == loaded_.end()) {
    MachineCode code = machine_code_from_json(
        parse_json(source.read(place.extent, kCodeTag), place_in(source.path, place.extent)));
    if (loaded_.size() == kMostLoaded) loaded_.pop_back();
    loaded_.emplace(loaded_.begin(), launch, std::move(code));
  } else {
    std::rotate(loaded_.begin(), found, found + 1);
  }
  return loaded_.front().second;
}

std::optional<MachineCode> StoredCode::code(LaunchId launch, const Source& source) const {
  const auto found = code_.find(launch);
  if (found == code_.end()) return std::nullopt;
  const Place& place = found->second;
  if (!place.owner) return load(launch, place, source);
  const std::string where = place_in(source.path, place.extent);
  MachineCode code = load(*place.owner, place_of(*place.owner, launch, where), source);
  code.order_dependent =
      order_dependent_from_json(parse_json(source.read(place.extent, kCodeTag), where), code);
  return code;
}

std::vector<InstructionTotals> StoredCode::totals(LaunchId launch, const Source& source) const {
  const auto found = totals_.find(launch);
  if (found == totals_.end()) return {};
  const Extent& extent = found->second.extent;
  const std::string payload = source.read(extent, kTotalsTag);
  try {
    return decode_totals(bytes_of(payload));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", place_in(source.path, extent), error.what()));
  }
}

}  // namespace warpscope
