#include <fmt/format.h>

#include "cachesim/infer/observation.h"

namespace warpscope::infer {

const char* kind_name(PatternKind kind) {
  switch (kind) {
    case PatternKind::Chase:
      return "chase";
    case PatternKind::StoreLoad:
      return "store-load";
    case PatternKind::LoadStoreLoad:
      return "load-store-load";
    case PatternKind::StoreStore:
      return "store-store";
  }
  return "?";
}

std::uint64_t Pattern::loads_per_round() const {
  const std::uint64_t chunk = hot / 2;
  return chunk == 0 || places <= hot ? places : places + (places - hot) / chunk * hot;
}

std::vector<std::uint32_t> addresses(const Pattern& pattern) {
  std::vector<std::uint32_t> result;
  result.reserve(pattern.loads_per_round());
  const auto next = [&](std::uint32_t place) {
    return ((place | ~pattern.mask) + pattern.step) & pattern.mask;
  };
  const std::uint64_t chunk = pattern.hot / 2;
  std::uint32_t place = 0;
  for (std::uint64_t number = 0; number < pattern.places; ++number, place = next(place)) {
    result.push_back(place);
    if (chunk == 0 || number < pattern.hot || (number - pattern.hot + 1) % chunk != 0) continue;
    std::uint32_t again = 0;
    for (std::uint64_t i = 0; i < pattern.hot; ++i, again = next(again)) result.push_back(again);
  }
  return result;
}

namespace {

std::string bits_of(std::uint32_t mask) {
  std::string text;
  for (int bit = 0; bit < 32; ++bit) {
    if ((mask >> bit & 1) == 0) continue;
    int last = bit;
    while (last < 31 && (mask >> (last + 1) & 1) != 0) ++last;
    text +=
        (text.empty() ? "" : ", ") + (last == bit ? std::to_string(bit) : fmt::format("{}-{}", bit, last));
    bit = last;
  }
  return text;
}

}  // namespace

std::string Pattern::text() const {
  if (kind != PatternKind::Chase)
    return fmt::format("{} of {} places {} bytes apart", kind_name(kind), places, step);
  if (mask != 0xFFFFFFFFu)
    return fmt::format("{} places that differ in address bits {}", places, bits_of(mask));
  const std::string walk = fmt::format("{} places {} bytes apart", places, step);
  return hot == 0 ? walk
                  : fmt::format("{}, the first {} again after every {} of the others", walk, hot, hot / 2);
}

}  // namespace warpscope::infer
