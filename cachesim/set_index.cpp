#include <array>
#include <bit>

#include "cachesim/cache_config.h"
#include "traces/error.h"

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

void xor_fold_index(std::span<const LineAddr> lines, std::uint32_t sets, std::uint32_t* out) {
  const int bits = std::countr_zero(sets);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::uint64_t folded = 0;
    if (bits > 0)
      for (std::uint64_t rest = lines[i].value(); rest != 0; rest >>= bits) folded ^= rest;
    out[i] = static_cast<std::uint32_t>(folded) & (sets - 1);
  }
}

#define SET_INDEX(name, function, help, source) SetIndexEntry{name, function, help, source},
constexpr std::array kSetIndexes = {
#include "cachesim/set_index.def"
};
#undef SET_INDEX

}  // namespace

std::span<const SetIndexEntry> set_indexes() {
  return kSetIndexes;
}

const SetIndexEntry& set_index(const std::string& name) {
  std::string known;
  for (const SetIndexEntry& entry : kSetIndexes) {
    // Presets of the generation call it by the generation's name.
    if (name == entry.name || (name == "fermi" && std::string(entry.name) == "fermi-xor")) return entry;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw InputError("set index: '" + name + "' is not known, expected one of " + known);
}

}  // namespace warpscope
