#include "traces/files/packed_forms.h"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <optional>

#include "traces/base/random.h"

namespace warpscope {
namespace {

using ByteSpan = std::span<const std::uint8_t>;

constexpr std::size_t kMostForms = 16;
constexpr std::uint8_t kContinues = 0x80;  ///< bit of a varint's byte: further bytes follow
constexpr std::size_t kLeastPlace = 7, kLongestPlace = 10;
constexpr std::uint32_t kNoSymbol = ~std::uint32_t{0};

/// A varint of a payload that is as long as locations are.
struct Place {
  std::uint32_t at = 0, length = 0;
};

std::vector<Place> places_of(ByteSpan payload) {
  std::vector<Place> places;
  for (std::uint32_t begin = 0, at = 0; at < payload.size(); ++at) {
    if ((payload[at] & kContinues) != 0) continue;
    const std::uint32_t length = at + 1 - begin;
    if (length >= kLeastPlace && length <= kLongestPlace) places.push_back({begin, length});
    begin = at + 1;
  }
  return places;
}

/// What zstd gets for a digit that payloads have in many values: one that hardly ever repeats, and is not 0.
std::uint8_t filler(std::uint32_t symbol) {
  return static_cast<std::uint8_t>(kContinues | (1 + SplitMix64(symbol).next() % (kContinues - 1)));
}

/// The first bytes of a place, as many as each has.
std::uint64_t front_of(ByteSpan payload, const Place& place) {
  std::uint32_t low = 0, high = 0;
  std::memcpy(&low, payload.data() + place.at, sizeof(low));
  std::memcpy(&high, payload.data() + place.at + kLeastPlace - sizeof(high), sizeof(high));
  return low | std::uint64_t{high} << 8 * (kLeastPlace - sizeof(high));
}

/// The highest bit of each byte in which the fronts differ.
std::uint64_t difference(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f;
  const std::uint64_t bits = a ^ b;
  return (((bits & kLow) + kLow) | bits) & ~kLow;
}

/// Which digits of each place are 0, or those of another one before it.
class Equalities {
 public:
  /// How many places before it one is compared with.
  [[nodiscard]] static std::size_t compared(std::size_t place) { return std::min(place, kReach); }
  [[nodiscard]] static bool has(std::uint64_t difference, std::uint32_t digit) {
    return (difference >> (8 * digit + 7) & 1) == 0;
  }

  /// Calls `visit` for each place: how it differs from zeros, then from the places before it, nearest first. Stops, and
  /// is false, where that is false.
  template <class Visit>
  static bool visit(ByteSpan payload, std::span<const Place> places, const Visit& visit) {
    constexpr std::uint64_t kZeros = 0x80808080808080;
    std::array<std::uint64_t, kReach> fronts{};
    for (std::size_t place = 0; place < places.size(); ++place) {
      const std::uint64_t front = front_of(payload, places[place]);
      if (!visit(difference(front, kZeros))) return false;
      for (std::size_t back = 1; back <= compared(place); ++back)
        if (!visit(difference(front, fronts[(place - back) % kReach]))) return false;
      fronts[place % kReach] = front;
    }
    return true;
  }

 private:
  static constexpr std::size_t kReach = 8;
};

/// Where the literals of a frame of one block are, if they are stored as they are (RFC 8878, 3.1.1).
std::optional<std::pair<std::size_t, std::size_t>> raw_literals(ByteSpan frame) {
  if (frame.size() < 16) return {};
  const std::uint8_t descriptor = frame[4];
  const bool is_single_segment = (descriptor & 0x20) != 0;
  constexpr std::uint8_t kChecksumOrDictionary = 0x07;
  if ((descriptor & kChecksumOrDictionary) != 0 || !is_single_segment || descriptor >> 6 > 1) return {};
  std::size_t at = 5 + (descriptor >> 6 == 0 ? 1 : 2);  // the content's size
  constexpr std::uint8_t kLastCompressed = 1 | 2 << 1;
  if ((frame[at] & 7) != kLastCompressed) return {};
  at += 3;
  const std::uint8_t head = frame[at];
  if ((head & 3) != 0) return {};
  std::size_t count = head >> 3;
  std::size_t head_bytes = 1;
  if ((head & 4) != 0) {
    const bool is_long = (head & 8) != 0;
    head_bytes = is_long ? 3 : 2;
    count = head >> 4 | frame[at + 1] << 4 | (is_long ? frame[at + 2] << 12 : 0);
  }
  at += head_bytes;
  if (count > frame.size() - at) return {};
  return std::pair{at, count};
}

}  // namespace

struct PackedForms::Form {
  /// ByteSpan of the frame that are the payload's.
  struct Patch {
    std::uint32_t to = 0, from = 0, length = 0;
  };

  std::vector<std::uint8_t> sample;      ///< a payload of this form
  std::vector<std::uint8_t> fixed_bits;  ///< indexed by byte: bits that all payloads share with the sample
  std::vector<Place> places;
  std::vector<std::uint64_t> differences;  ///< in the order of Equalities::visit()
  std::vector<std::uint8_t> frame;         ///< empty: cannot be used
  std::vector<Patch> patches;
  bool shrinks = true;

  explicit Form(ByteSpan payload)
      : sample(payload.begin(), payload.end()), fixed_bits(payload.size(), 0xff), places(places_of(payload)) {
    for (const Place& place : places)
      std::fill_n(fixed_bits.begin() + place.at, place.length - 1, kContinues);
    Equalities::visit(payload, places, [&](std::uint64_t one) {
      differences.push_back(one);
      return true;
    });
  }

  [[nodiscard]] bool is_of(ByteSpan payload) const {
    if (payload.size() != sample.size()) return false;
    std::uint8_t other = 0;
    for (std::size_t at = 0; at < sample.size(); ++at)
      other |= static_cast<std::uint8_t>((payload[at] ^ sample[at]) & fixed_bits[at]);
    if (other != 0) return false;
    auto expected = differences.begin();
    return Equalities::visit(payload, places, [&](std::uint64_t one) { return one == *expected++; });
  }

  /// By byte: the first byte of all those that are equal to it by form; none of what is as in the sample.
  [[nodiscard]] std::vector<std::uint32_t> symbols() const {
    std::vector<std::uint32_t> result(sample.size(), kNoSymbol);
    const std::uint64_t* difference = differences.data();
    for (std::size_t place = 0; place < places.size(); ++place) {
      const std::size_t compared = Equalities::compared(place);
      for (std::uint32_t digit = 0; digit + 1 < places[place].length; ++digit) {
        std::uint32_t& symbol = result[places[place].at + digit];
        const bool is_compared = digit < kLeastPlace;
        if (is_compared && Equalities::has(difference[0], digit)) continue;
        symbol = places[place].at + digit;
        for (std::size_t back = compared; is_compared && back > 0; --back)
          if (Equalities::has(difference[back], digit) && digit + 1 < places[place - back].length)
            symbol = result[places[place - back].at + digit];
      }
      difference += 1 + compared;
    }
    return result;
  }

  /// Says which literals are whose bytes; false if one is a copy of bytes that may differ.
  bool set_patches(std::span<const std::uint32_t> sources, std::size_t literals, std::size_t count) {
    const std::vector<std::uint32_t> symbol = symbols();
    std::vector<std::uint32_t> user(count, kNoSymbol);
    for (std::uint32_t at = 0; at < sources.size(); ++at) {
      std::uint32_t& first = user[sources[at]];
      if (first == kNoSymbol) first = at;
      if (symbol[first] != symbol[at]) return false;
    }
    for (std::uint32_t literal = 0; literal < count; ++literal) {
      const std::uint32_t from = user[literal];
      if (from == kNoSymbol || symbol[from] == kNoSymbol) continue;
      const auto to = static_cast<std::uint32_t>(literals) + literal;
      if (!patches.empty() && patches.back().to + patches.back().length == to &&
          patches.back().from + patches.back().length == from)
        ++patches.back().length;
      else
        patches.push_back({to, from, 1});
    }
    return true;
  }
};

PackedForms::PackedForms() = default;
PackedForms::~PackedForms() {
  ZSTD_freeDCtx(unpacker_);
}

/// Which literal each byte of a payload is a copy of: the frame is unpacked with the literals' numbers in their places.
bool PackedForms::find_sources(const Form& form, std::size_t literals, std::size_t count,
                               std::size_t payload_bytes) {
  if (unpacker_ == nullptr) unpacker_ = ZSTD_createDCtx();
  if (unpacker_ == nullptr) throw std::bad_alloc();
  sources_.assign(payload_bytes, 0);
  marked_ = form.frame;
  unpacked_.resize(payload_bytes);
  for (unsigned shift = 0; shift == 0 || (count - 1) >> shift != 0; shift += 8) {
    for (std::size_t literal = 0; literal < count; ++literal)
      marked_[literals + literal] = static_cast<std::uint8_t>(literal >> shift);
    const std::size_t size =
        ZSTD_decompressDCtx(unpacker_, unpacked_.data(), unpacked_.size(), marked_.data(), marked_.size());
    if (ZSTD_isError(size) != 0 || size != payload_bytes) return false;
    for (std::size_t at = 0; at < payload_bytes; ++at) sources_[at] |= std::uint32_t{unpacked_[at]} << shift;
  }
  return std::ranges::all_of(sources_, [&](std::uint32_t source) { return source < count; });
}

void PackedForms::make_frame(ZSTD_CCtx_s* zstd, ByteSpan payload, Form& form) {
  std::vector<std::uint8_t> general(payload.begin(), payload.end());
  const std::vector<std::uint32_t> symbols = form.symbols();
  for (std::size_t at = 0; at < general.size(); ++at)
    if (symbols[at] != kNoSymbol) general[at] = filler(symbols[at]);
  form.frame.resize(ZSTD_compressBound(general.size()));
  const std::size_t size =
      ZSTD_compress2(zstd, form.frame.data(), form.frame.size(), general.data(), general.size());
  form.shrinks = ZSTD_isError(size) == 0 && size < payload.size();
  form.frame.resize(form.shrinks ? size : 0);
  const auto literals = raw_literals(form.frame);
  if (!literals || literals->second == 0 ||
      !find_sources(form, literals->first, literals->second, payload.size()) ||
      !form.set_patches(sources_, literals->first, literals->second))
    form.frame.clear();
}

const PackedForms::Form& PackedForms::form_of(ZSTD_CCtx_s* zstd, ByteSpan payload) {
  const auto known = std::ranges::find_if(forms_, [&](const auto& form) { return form->is_of(payload); });
  if (known != forms_.end()) {
    std::rotate(forms_.begin(), known, known + 1);
    return *forms_.front();
  }
  auto form = std::make_unique<Form>(payload);
  if (!form->places.empty()) make_frame(zstd, payload, *form);
  if (forms_.size() == kMostForms) forms_.pop_back();
  forms_.insert(forms_.begin(), std::move(form));
  return *forms_.front();
}

std::size_t PackedForms::pack(ZSTD_CCtx_s* zstd, ByteSpan payload, std::span<std::uint8_t> packed) {
  if (payload.size() > kLongestPayload) return 0;
  const Form& form = form_of(zstd, payload);
  if (!form.shrinks) return payload.size();
  std::copy(form.frame.begin(), form.frame.end(), packed.begin());
  for (const Form::Patch& patch : form.patches)
    std::copy_n(payload.begin() + patch.from, patch.length, packed.begin() + patch.to);
  return form.frame.size();
}

}  // namespace warpscope
