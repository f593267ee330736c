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

/// What each of address bits 16 to 46 adds to the set, measured on an H100 and an H200 (validation/notes/h100.md).
constexpr std::array<std::uint16_t, 31> kHopperBits = {0x071, 0x01B, 0x176, 0x149, 0x039, 0x1E1, 0x1DD, 0x0EE,
                                                       0x194, 0x08D, 0x1AC, 0x0F4, 0x12F, 0x082, 0x0F0, 0x115,
                                                       0x1FC, 0x15F, 0x13D, 0x1E9, 0x076, 0x088, 0x0E3, 0x030,
                                                       0x085, 0x160, 0x190, 0x093, 0x0E2, 0x127, 0x0DA};

/// Of eight of these bits at a time, what they add together.
constexpr auto kHopperBytes = [] {
  std::array<std::array<std::uint16_t, 256>, 4> all{};
  for (std::size_t i = 0; i < all.size() * 256; ++i)
    for (std::size_t bit = 0; bit < 8; ++bit)
      if (const std::size_t from = i / 256 * 8 + bit; (i >> bit & 1) != 0 && from < kHopperBits.size())
        all[i / 256][i % 256] ^= kHopperBits[from];
  return all;
}();

/// Address bits 7 to 15, and what 16 to 46 add; GPUs have few addresses beyond. Caches of other sets: all folded.
void hopper_xor_index(std::span<const LineAddr> lines, std::uint32_t sets, std::uint32_t* out) {
  if (sets != 512) return xor_fold_index(lines, sets, out);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::uint64_t line = lines[i].value();
    std::uint64_t set = line & 511;
    std::uint64_t rest = line >> 9;
    for (std::size_t byte = 0; byte < kHopperBytes.size() && rest != 0; ++byte, rest >>= 8)
      set ^= kHopperBytes[byte][rest & 255];
    out[i] = static_cast<std::uint32_t>(set);
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
