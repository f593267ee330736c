#include <array>
#include <bit>

#include "cachesim/l1/cache_config.h"
#include "cachesim/l1/ipoly_index.h"
#include "traces/base/names.h"

namespace warpscope {
namespace {

void linear_index(std::span<const LineAddr> lines, std::uint32_t sets, std::uint32_t* out) {
  if (std::has_single_bit(sets)) {
    const std::uint32_t mask = sets - 1;
    for (std::size_t i = 0; i < lines.size(); ++i)
      out[i] = static_cast<std::uint32_t>(lines[i].value()) & mask;
  } else {
    for (std::size_t i = 0; i < lines.size(); ++i)
      out[i] = static_cast<std::uint32_t>(lines[i].value() % sets);
  }
}

/// In address bits: 7-11 exclusive-or 13, 14, 15, 17, 19; with 64 sets bit 12 on top.
void fermi_xor_index(std::span<const LineAddr> lines, std::uint32_t sets, std::uint32_t* out) {
  const std::uint32_t top = sets == 64 ? 32 : 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto line = static_cast<std::uint32_t>(lines[i].value());
    const std::uint32_t hash = ((line >> 6) & 7) | ((line >> 7) & 8) | ((line >> 8) & 16);
    out[i] = ((line & 31) ^ hash) | (line & top);
  }
}

std::uint32_t xor_fold_of_one(std::uint64_t line, std::uint32_t sets) {
  const int step = std::countr_zero(sets);
  if (step == 0) return 0;
  std::uint64_t folded = line;
  while ((line >>= step) != 0) folded ^= line;
  return static_cast<std::uint32_t>(folded & (sets - 1));
}

/// The loop over the lines is the inner one: the compiler does several lines at once.
void xor_fold_index(std::span<const LineAddr> lines, std::uint32_t sets, std::uint32_t* out) {
  const std::size_t count = lines.size();
  if (count == 1) {
    *out = xor_fold_of_one(lines[0].value(), sets);
    return;
  }
  std::uint64_t bits_used = 0;
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<std::uint32_t>(lines[i].value());
    bits_used |= lines[i].value();
  }
  const int step = std::countr_zero(sets), width = 64 - std::countl_zero(bits_used);
  for (int shift = step; shift < width && step > 0; shift += step) {
    for (std::size_t i = 0; i < count; ++i) out[i] ^= static_cast<std::uint32_t>(lines[i].value() >> shift);
  }
  for (std::size_t i = 0; i < count; ++i) out[i] &= sets - 1;
}

/// Address bits 7 to 15, and what bits 16, 17 and 18 were seen to add; 19 and up folded. Caches of other sets: all folded.
void hopper_xor_index(std::span<const LineAddr> lines, std::uint32_t sets, std::uint32_t* out) {
  if (sets != 512) return xor_fold_index(lines, sets, out);
  constexpr std::array<std::uint32_t, 8> kOfBits16To18 = {0,     0x071, 0x01B, 0x071 ^ 0x01B,
                                                          0x174, 0x105, 0x16F, 0x11E};
  static_assert(kOfBits16To18[5] == (0x174 ^ 0x071) && kOfBits16To18[6] == (0x174 ^ 0x01B) &&
                kOfBits16To18[7] == (0x174 ^ 0x071 ^ 0x01B));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::uint64_t line = lines[i].value();
    std::uint64_t set = line ^ kOfBits16To18[line >> 9 & 7];
    for (std::uint64_t rest = line >> 12; rest != 0; rest >>= 9) set ^= rest;
    out[i] = static_cast<std::uint32_t>(set & 511);
  }
}

#define SET_INDEX(name, function, takes, needs, help, source)                                               \
  SetIndexEntry{                                                                                            \
      name,                                                                                                 \
      function,                                                                                             \
      []([[maybe_unused]] std::uint32_t sets, [[maybe_unused]] std::uint32_t line_bytes) { return takes; }, \
      needs,                                                                                                \
      help,                                                                                                 \
      source},
constexpr std::array kSetIndexes = {
#include "cachesim/l1/set_index.def"
};
#undef SET_INDEX

}  // namespace

std::span<const SetIndexEntry> set_indexes() {
  return kSetIndexes;
}

const SetIndexEntry& set_index(const std::string& name) {
  // Presets of the generation call it by the generation's name.
  if (const auto* entry = find_named(kSetIndexes, name == "fermi" ? "fermi-xor" : name)) return *entry;
  throw unknown_name("set index: '" + name + "' is not known", names_of(kSetIndexes));
}

}  // namespace warpscope
