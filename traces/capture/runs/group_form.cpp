#include "traces/capture/runs/group_form.h"

#include <algorithm>
#include <cstring>

#include "traces/base/error.h"
#include "traces/base/varint.h"

namespace warpscope {
namespace {

/// Reads the varint that takes exactly `length` bytes; false if it has another length or its lowest bit is set.
bool read_code(const std::uint8_t* bytes, std::uint32_t length, std::uint64_t& value) {
  value = 0;
  for (std::uint32_t byte = 0; byte < length; ++byte) {
    const bool goes_on = byte + 1 < length;
    if ((bytes[byte] >= 0x80) != goes_on) return false;
    value |= std::uint64_t{bytes[byte] & 0x7fu} << 7 * byte;
  }
  const bool is_shortest = length == 1 || bytes[length - 1] != 0;
  return is_shortest && (value & 1) == 0;
}

bool write_code(std::uint8_t* bytes, std::uint32_t length, std::uint64_t value) {
  if ((value & 1) != 0) return false;
  for (std::uint32_t byte = 0; byte + 1 < length; ++byte, value >>= 7)
    bytes[byte] = static_cast<std::uint8_t>(value | 0x80);
  bytes[length - 1] = static_cast<std::uint8_t>(value);
  return value < 0x80 && (length == 1 || value != 0);
}

constexpr std::uint32_t kLongestCode = 9;  // of 63 bits: a code of 64 is not needed

}  // namespace

bool GroupForm::read(std::span<const std::uint8_t> other, std::span<std::uint64_t> numbers) const {
  if (other.size() != payload.size()) return false;
  std::size_t begin = 0;
  for (std::size_t index = 0; index < places.size(); ++index) {
    const Place& place = places[index];
    if (std::memcmp(other.data() + begin, payload.data() + begin, place.at - begin) != 0) return false;
    if (!read_code(other.data() + place.at, place.length, numbers[index])) return false;
    begin = place.at + place.length;
  }
  return std::memcmp(other.data() + begin, payload.data() + begin, payload.size() - begin) == 0;
}

bool GroupForm::write(std::span<const std::uint64_t> numbers, std::vector<std::uint8_t>& out) const {
  out = payload;
  for (std::size_t index = 0; index < places.size(); ++index)
    if (!write_code(out.data() + places[index].at, places[index].length, numbers[index])) return false;
  return true;
}

bool GroupForm::is_as(const GroupForm& other) const {
  std::vector<std::uint64_t> numbers(places.size());
  return places == other.places && read(other.payload, numbers);
}

GroupForm GroupForm::of(std::vector<std::uint8_t> payload, const std::vector<bool>& carries_address) {
  if (payload.size() > kLargest) throw InputError("is too large to be repeated; capture it again");
  GroupForm form;
  form.places = first_locations(payload, carries_address);
  std::erase_if(form.places, [](const Place& place) { return place.length > kLongestCode; });
  if (form.places.size() > kMostPlaces)
    throw InputError("has too many sites to be repeated; capture it again");
  form.payload = std::move(payload);
  return form;
}

}  // namespace warpscope
