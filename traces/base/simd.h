#pragma once
// The SIMD instructions that the readers and caches use, as plain functions with two implementations: SSE2
// and later, and portable C++ that gives the same results. WARPSCOPE_SIMD (0 or 1, an option of CMake)
// chooses; callers need not know which.
//
// A Vector is 16 bytes: as 16 lanes of 8 bits, or as 4 words of 32 bits, the first at the lowest address. A
// mask has all bits of a lane set or none.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if WARPSCOPE_SIMD
#include <immintrin.h>
#endif

namespace warpscope::simd {

constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

#if WARPSCOPE_SIMD

using Vector = __m128i;

inline Vector load(const void* at) {
  return _mm_loadu_si128(static_cast<const __m128i*>(at));
}
/// `at` is a multiple of 16.
inline Vector load_aligned(const void* at) {
  return _mm_load_si128(static_cast<const __m128i*>(at));
}
inline void store_aligned(void* at, Vector value) {
  _mm_store_si128(static_cast<__m128i*>(at), value);
}

inline Vector zero() {
  return _mm_setzero_si128();
}
inline Vector bytes_of(std::uint8_t value) {
  return _mm_set1_epi8(static_cast<char>(value));
}
inline Vector words_of(std::uint32_t value) {
  return _mm_set1_epi32(static_cast<int>(value));
}
/// The first word; the others are 0.
inline Vector first_word(std::uint32_t value) {
  return _mm_cvtsi32_si128(static_cast<int>(value));
}
/// Its first word in every word.
inline Vector repeat_first(Vector a) {
  return _mm_shuffle_epi32(a, 0);
}
inline std::uint32_t last_word(Vector a) {
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_shuffle_epi32(a, 0xff)));
}

inline Vector both(Vector a, Vector b) {
  return _mm_and_si128(a, b);
}
inline Vector either(Vector a, Vector b) {
  return _mm_or_si128(a, b);
}
inline Vector add_bytes(Vector a, Vector b) {
  return _mm_add_epi8(a, b);
}
inline Vector subtract_bytes(Vector a, Vector b) {
  return _mm_sub_epi8(a, b);
}
inline Vector equal_bytes(Vector a, Vector b) {
  return _mm_cmpeq_epi8(a, b);
}
inline Vector equal_words(Vector a, Vector b) {
  return _mm_cmpeq_epi32(a, b);
}
/// Bytes that are at most those of `most`, without sign.
inline Vector not_above(Vector bytes, Vector most) {
  return _mm_cmpeq_epi8(_mm_min_epu8(bytes, most), bytes);
}
/// The highest bit of each byte, and of each word; bit 0 is the first one's.
inline unsigned byte_bits(Vector a) {
  return static_cast<unsigned>(_mm_movemask_epi8(a));
}
inline unsigned word_bits(Vector a) {
  return static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(a)));
}

/// The number that 16 hexadecimal digits are, each a byte from 0 to 15, the highest digit first.
inline std::uint64_t join_digits(Vector digits) {
  // Pairs of digits become bytes, and those are reversed. By shifts, because a mask would be loaded for every
  // number.
  const Vector value = either(_mm_srli_epi16(_mm_slli_epi16(digits, 12), 8), _mm_srli_epi16(digits, 8));
  return __builtin_bswap64(static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_packus_epi16(value, value))));
}

/// Which of 16 words equal the word repeated in `wanted`, a bit each. `words` is a multiple of 16 bytes.
inline std::uint32_t equal_among_16(const std::uint32_t* words, Vector wanted) {
  const auto compare = [&](std::size_t at) { return equal_words(load_aligned(words + at), wanted); };
  return byte_bits(
      _mm_packs_epi16(_mm_packs_epi32(compare(0), compare(4)), _mm_packs_epi32(compare(8), compare(12))));
}

/// A byte for each of 16 words with a sign, all of its bits set where the word is above `than`. `words` is a multiple of
/// 16 bytes.
inline Vector words_above(const std::int32_t* words, std::int32_t than) {
  const Vector limit = _mm_set1_epi32(than);
  const auto compare = [&](std::size_t at) { return _mm_cmpgt_epi32(load_aligned(words + at), limit); };
  return _mm_packs_epi16(_mm_packs_epi32(compare(0), compare(4)), _mm_packs_epi32(compare(8), compare(12)));
}
inline std::uint32_t sum_of_bytes(Vector a) {
  const Vector halves = _mm_sad_epu8(a, zero());
  return static_cast<std::uint32_t>(
      _mm_cvtsi128_si32(_mm_add_epi32(halves, _mm_unpackhi_epi64(halves, halves))));
}

/// Words behind the one that is set in `equal`, a mask with at most one word set.
inline Vector behind(Vector equal) {
  Vector result = _mm_slli_si128(equal, 4);
  result = either(result, _mm_slli_si128(result, 4));
  return either(result, _mm_slli_si128(result, 8));
}
inline Vector select(Vector mask, Vector yes, Vector no) {
  return either(_mm_and_si128(mask, yes), _mm_andnot_si128(mask, no));
}

/// Without the word that is set in `equal`: those behind it move up by one, the last becomes 0.
inline Vector remove_word(Vector row, Vector equal) {
  return select(either(behind(equal), equal), _mm_srli_si128(row, 4), row);
}

#ifdef __SSSE3__
/// Bytes of a row whose first word is 0 and whose words before word `hit` are one place further; by the bit
/// of that word, 0 = none: the last one goes.
constexpr auto kMoveBack = [] {
  std::array<std::array<std::uint8_t, 16>, 16> table{};
  for (unsigned hit = 0; hit < 16; ++hit) {
    const unsigned word = hit == 0 ? 3 : static_cast<unsigned>(std::countr_zero(hit));
    for (unsigned byte = 0; byte < 16; ++byte) {
      constexpr std::uint8_t kZero = 0x80;
      const auto from = static_cast<std::uint8_t>(byte / 4 <= word ? byte - 4 : byte);
      table[hit][byte] = byte < 4 ? kZero : from;
    }
  }
  return table;
}();
#endif

/// With `first` (the other words 0) in front: the words before the one that is set in `equal` move back by
/// one, and that one goes; without one the last goes. `hit` is word_bits(equal).
inline Vector bring_to_front(Vector row, [[maybe_unused]] Vector equal, [[maybe_unused]] unsigned hit,
                             Vector first) {
#ifdef __SSSE3__
  return either(_mm_shuffle_epi8(row, load(kMoveBack[hit].data())), first);
#else
  return select(behind(equal), row, either(_mm_slli_si128(row, 4), first));
#endif
}

#else

using Vector = std::array<std::uint8_t, 16>;
using Words = std::array<std::uint32_t, 4>;

inline Vector load(const void* at) {
  Vector result;
  std::memcpy(result.data(), at, sizeof(result));
  return result;
}
inline Vector load_aligned(const void* at) {
  return load(at);
}
inline void store_aligned(void* at, Vector value) {
  std::memcpy(at, value.data(), sizeof(value));
}

inline Vector zero() {
  return {};
}
inline Vector bytes_of(std::uint8_t value) {
  Vector result;
  result.fill(value);
  return result;
}
inline Words words(const Vector& a) {
  return std::bit_cast<Words>(a);
}
inline Vector words_of(std::uint32_t value) {
  return std::bit_cast<Vector>(Words{value, value, value, value});
}
inline Vector first_word(std::uint32_t value) {
  return std::bit_cast<Vector>(Words{value, 0, 0, 0});
}
inline Vector repeat_first(const Vector& a) {
  return words_of(words(a)[0]);
}
inline std::uint32_t last_word(const Vector& a) {
  return words(a)[3];
}

/// operation(byte of a, byte of b) for every byte.
template <class Operation>
Vector each_byte(const Vector& a, const Vector& b, Operation operation) {
  Vector result;
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<std::uint8_t>(operation(a[i], b[i]));
  return result;
}

inline Vector both(const Vector& a, const Vector& b) {
  return each_byte(a, b, [](unsigned x, unsigned y) { return x & y; });
}
inline Vector either(const Vector& a, const Vector& b) {
  return each_byte(a, b, [](unsigned x, unsigned y) { return x | y; });
}
inline Vector add_bytes(const Vector& a, const Vector& b) {
  return each_byte(a, b, [](unsigned x, unsigned y) { return x + y; });
}
inline Vector subtract_bytes(const Vector& a, const Vector& b) {
  return each_byte(a, b, [](unsigned x, unsigned y) { return x - y; });
}
inline Vector equal_bytes(const Vector& a, const Vector& b) {
  return each_byte(a, b, [](unsigned x, unsigned y) { return x == y ? 0xffu : 0u; });
}
inline Vector not_above(const Vector& bytes, const Vector& most) {
  return each_byte(bytes, most, [](unsigned x, unsigned y) { return x <= y ? 0xffu : 0u; });
}
inline Vector equal_words(const Vector& a, const Vector& b) {
  Words result = words(a);
  const Words other = words(b);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = result[i] == other[i] ? ~std::uint32_t{0} : 0;
  return std::bit_cast<Vector>(result);
}
inline unsigned byte_bits(const Vector& a) {
  unsigned bits = 0;
  for (std::size_t i = 0; i < a.size(); ++i) bits |= static_cast<unsigned>(a[i] >> 7) << i;
  return bits;
}
inline unsigned word_bits(const Vector& a) {
  unsigned bits = 0;
  const Words values = words(a);
  for (std::size_t i = 0; i < values.size(); ++i) bits |= (values[i] >> 31) << i;
  return bits;
}

inline std::uint64_t join_digits(const Vector& digits) {
  std::uint64_t value = 0;
  for (const std::uint8_t digit : digits) value = value << 4 | digit;
  return value;
}

inline std::uint32_t equal_among_16(const std::uint32_t* words_at, const Vector& wanted) {
  std::uint32_t equal = 0;
  const std::uint32_t word = words(wanted)[0];
  for (std::size_t i = 0; i < 16; ++i) equal |= std::uint32_t{words_at[i] == word} << i;
  return equal;
}

inline Vector words_above(const std::int32_t* words_at, std::int32_t than) {
  Vector result;
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = words_at[i] > than ? 0xff : 0;
  return result;
}
inline std::uint32_t sum_of_bytes(const Vector& a) {
  std::uint32_t sum = 0;
  for (const std::uint8_t byte : a) sum += byte;
  return sum;
}

/// `equal` has at most one word set; 4 where none is.
inline std::size_t place_of(const Vector& equal) {
  return static_cast<std::size_t>(std::countr_zero(word_bits(equal) | 1u << 4));
}
inline Vector remove_word(const Vector& row, const Vector& equal) {
  Words result = words(row);
  for (std::size_t i = place_of(equal); i < result.size(); ++i)
    result[i] = i + 1 < result.size() ? result[i + 1] : 0;
  return std::bit_cast<Vector>(result);
}
inline Vector bring_to_front(const Vector& row, const Vector& equal, unsigned /*hit*/, const Vector& first) {
  Words result = words(row);
  for (std::size_t i = std::min<std::size_t>(place_of(equal), result.size() - 1); i > 0; --i)
    result[i] = result[i - 1];
  result[0] = words(first)[0];
  return std::bit_cast<Vector>(result);
}

#endif

/// Rows of words of any length, eight at a time: the instructions that every x86-64 has, or portable ones.
struct Plain {
  /// Which of the eight words at `chunk` equal `word`, a bit each.
  static unsigned equal(const std::uint32_t* chunk, std::uint32_t word) {
    const Vector wanted = words_of(word);
    return word_bits(equal_words(load(chunk), wanted)) | word_bits(equal_words(load(chunk + 4), wanted)) << 4;
  }
  /// Place of `word`, not 0, among the first `end`, or kNowhere. Behind `end`, up to a multiple of eight,
  /// there are zeros.
  static std::uint32_t find(const std::uint32_t* words, std::uint32_t end, std::uint32_t word) {
    for (std::uint32_t at = 0; at < end; at += 8)
      if (const unsigned found = equal(words + at, word); found != 0)
        return at + static_cast<std::uint32_t>(std::countr_zero(found));
    return kNowhere;
  }
  /// Whether find() finds it, for words that are hardly ever there.
  static bool has(const std::uint32_t* words, std::uint32_t end, std::uint32_t word) {
    return find(words, end, word) != kNowhere;
  }
  /// As find() (end > 0), and the word comes to the front: what was before its place, or everything, moves
  /// back by one.
  static std::uint32_t use(std::uint32_t* words, std::uint32_t end, std::uint32_t word) {
    const std::uint32_t place = find(words, end, word);
    std::memmove(words + 1, words, (place == kNowhere ? end - 1 : place) * sizeof(*words));
    words[0] = word;
    return place;
  }
  /// The same among the first eight only: nothing happens where the word is not there.
  static std::uint32_t use_among_8(std::uint32_t* words, std::uint32_t word) {
    const unsigned found = equal(words, word);
    if (found == 0) return kNowhere;
    const auto place = static_cast<std::uint32_t>(std::countr_zero(found));
    std::memmove(words + 1, words, place * sizeof(*words));
    words[0] = word;
    return place;
  }
};

#if WARPSCOPE_SIMD

/// Every function that calls Avx2's carries this, or they would not be inlined.
#define WARPSCOPE_AVX2 __attribute__((target("avx2")))

/// By place of a word in a chunk of eight: from where each word comes when that one comes to the front.
alignas(32) inline constexpr auto kToFront = [] {
  std::array<std::array<std::uint32_t, 8>, 8> table{};
  for (std::uint32_t place = 0; place < 8; ++place)
    for (std::uint32_t to = 0; to < 8; ++to) table[place][to] = to == 0 ? place : to <= place ? to - 1 : to;
  return table;
}();

/// Whether this processor runs Avx2's functions.
inline bool has_avx2() {
  return __builtin_cpu_supports("avx2") != 0;
}

/// As Plain.
struct Avx2 {
  WARPSCOPE_AVX2 static unsigned equal(const std::uint32_t* chunk, std::uint32_t word) {
    const __m256i found = _mm256_cmpeq_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(chunk)),
                                             _mm256_set1_epi32(static_cast<int>(word)));
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(found)));
  }
  WARPSCOPE_AVX2 static std::uint32_t find(const std::uint32_t* words, std::uint32_t end,
                                           std::uint32_t word) {
    for (std::uint32_t at = 0; at < end; at += 8)
      if (const unsigned found = equal(words + at, word); found != 0)
        return at + static_cast<std::uint32_t>(std::countr_zero(found));
    return kNowhere;
  }
  WARPSCOPE_AVX2 static bool has(const std::uint32_t* words, std::uint32_t end, std::uint32_t word) {
    const __m256i wanted = _mm256_set1_epi32(static_cast<int>(word));
    __m256i found = _mm256_setzero_si256();
    for (std::uint32_t at = 0; at < end; at += 8)
      found = _mm256_or_si256(
          found,
          _mm256_cmpeq_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(words + at)), wanted));
    return _mm256_testz_si256(found, found) == 0;
  }
  WARPSCOPE_AVX2 static std::uint32_t use(std::uint32_t* words, std::uint32_t end, std::uint32_t word) {
    const __m256i wanted = _mm256_set1_epi32(static_cast<int>(word));
    const __m256i turn = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i carried = wanted;  // only its lane 0 counts
    for (std::uint32_t at = 0; at < end; at += 8) {
      auto* memory = reinterpret_cast<__m256i*>(words + at);
      const __m256i chunk = _mm256_loadu_si256(memory);
      const __m256i found = _mm256_cmpeq_epi32(chunk, wanted);
      const auto mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(found)));
      const __m256i turned = _mm256_permutevar8x32_epi32(chunk, turn);
      const __m256i moved = _mm256_blend_epi32(turned, carried, 1);
      if (mask != 0) {
        const int place = std::countr_zero(mask);
        const __m256i behind = _mm256_cmpgt_epi32(lanes, _mm256_set1_epi32(place));
        _mm256_storeu_si256(memory, _mm256_blendv_epi8(moved, chunk, behind));
        return at + static_cast<std::uint32_t>(place);
      }
      _mm256_storeu_si256(memory, moved);
      carried = turned;
    }
    return kNowhere;
  }
  /// Without a branch on the place.
  WARPSCOPE_AVX2 static std::uint32_t use_among_8(std::uint32_t* words, std::uint32_t word) {
    const unsigned found = equal(words, word);
    if (found == 0) return kNowhere;
    const auto place = static_cast<std::uint32_t>(std::countr_zero(found));
    const __m256i from = _mm256_load_si256(reinterpret_cast<const __m256i*>(kToFront[place].data()));
    const __m256i row = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(words), _mm256_permutevar8x32_epi32(row, from));
    return place;
  }
};

#else

#define WARPSCOPE_AVX2
inline bool has_avx2() {
  return false;
}
using Avx2 = Plain;

#endif

}  // namespace warpscope::simd
