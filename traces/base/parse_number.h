#pragma once
// Numbers in text that came from outside. Every reader says itself what it expected.
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpscope {

/// How whole numbers may be written.
enum class Notation : std::uint8_t {
  Decimal,
  DecimalOrHex,  ///< 0x10 and 0X10 are 16
};

/// The whole number that all of `text` is, from `least` to `most`; absent if it is not one. No sign, no spaces.
std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t least = 0,
                                          std::uint64_t most = ~std::uint64_t{0},
                                          Notation notation = Notation::Decimal);
/// Takes a decimal number from the front of `text`; absent, and `text` as it was, if it does not begin with one
/// below 2^64.
std::optional<std::uint64_t> take_number(std::string_view& text);
/// The number that all of `text` is, such as 1.5 or -2e3; absent if it is not one. May be infinite or not a
/// number, if the text says so.
std::optional<double> parse_real(std::string_view text);

}  // namespace warpscope
