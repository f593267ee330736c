#pragma once
// What the payloads of work-groups have in common that differ only in where their sites are first accessed.
#include <cstdint>
#include <span>
#include <vector>

namespace warpscope {

/// Payloads of one form have equal bytes, but for the codes of some first locations ("numbers"). A code is a varint whose lowest
/// bit is 0; it has the same length in all of them.
struct GroupForm {
  struct Place {
    std::uint32_t at = 0;  ///< byte of the payload
    std::uint32_t length = 0;
    bool operator==(const Place&) const = default;
  };
  static constexpr std::size_t kLargest = 1u << 16;    ///< bytes of a payload that may have a form
  static constexpr std::size_t kMostPlaces = 1u << 8;  ///< numbers of a payload that may have a form

  std::vector<std::uint8_t> payload;  ///< of one of the work-groups
  std::vector<Place> places;          ///< ascending

  /// Puts the numbers of `other` into `numbers`, one per place; false if it is not of this form.
  bool read(std::span<const std::uint8_t> other, std::span<std::uint64_t> numbers) const;
  /// Makes the payload with these numbers; false if one of them has a code of another length.
  bool write(std::span<const std::uint64_t> numbers, std::vector<std::uint8_t>& out) const;
  /// Whether payloads of one are payloads of the other.
  [[nodiscard]] bool is_as(const GroupForm& other) const;

  /// Throws InputError if the payload is damaged, or has no form: it is too large. `carries_address`: as of decode().
  static GroupForm of(std::vector<std::uint8_t> payload, const std::vector<bool>& carries_address);
};

/// The first location of each site's first work-item, where it is coded by itself. In decode.cpp; throws InputError if the payload
/// is damaged, or has a recorded order.
std::vector<GroupForm::Place> first_locations(std::span<const std::uint8_t> payload,
                                              const std::vector<bool>& carries_address);

}  // namespace warpscope
