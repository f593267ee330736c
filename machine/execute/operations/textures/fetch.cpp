// Fetches from textures: TEX, TLD, TLD4, TXD, and TXQ, which asks for their sizes.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "machine/execute/operations/real.h"
#include "machine/execute/operations/textures/observed.h"
#include "machine/execute/operations/textures/texels.h"
#include "machine/isa/texture_words.h"

namespace warpscope::machine {
namespace {

/// operation.bits of a fetch. a and b: the first registers of its two operands; `extra`: the third and fourth result.
struct Fetch {
  enum class Kind : std::uint8_t { Sample, Load, Gather };
  Kind kind;
  unsigned mask, first, coordinates, layer, offset, dimensions, component;
  bool is_cube;
  unsigned level, gradients;

  Fetch(std::uint32_t bits, std::uint32_t details)
      : kind(static_cast<Kind>(bits & 3)),
        mask(bits >> 2 & 15),
        first(bits >> 6 & 15),
        coordinates(bits >> 10 & 15),
        layer(bits >> 14 & 15),
        offset(bits >> 18 & 15),
        dimensions(bits >> 22 & 3),
        component(bits >> 24 & 3),
        is_cube((bits & kCube) != 0),
        level(details & 15),
        gradients(details >> 4 & 15) {}
  static constexpr std::uint32_t kCube = 1U << 26;
  static std::uint32_t bits_of(Kind kind, std::uint32_t mask, std::uint32_t component,
                               const TextureWords& words) {
    return static_cast<std::uint32_t>(kind) | mask << 2 | words.first << 6 | words.coordinates << 10 |
           words.layer << 14 | words.offset << 18 | words.dimensions << 22 | component << 24;
  }
};

/// Word `number` of the two operands; RZ is 0 in all of its words.
const LaneValues& word_of(const Warp& warp, const Operation& operation, const Fetch& fetch, unsigned number) {
  const Source& source = number < fetch.first ? operation.a : operation.b;
  const unsigned place = number < fetch.first ? number : number - fetch.first;
  return warp.read(false,
                   static_cast<std::uint16_t>(source.low == source.high ? source.low : source.low + place));
}

/// A part of an .AOFFI word: 4 bits each, of TLD4 6 bits of a byte each.
std::int32_t offset_of(std::uint32_t word, unsigned dimension, bool is_gather) {
  const unsigned width = is_gather ? 6 : 4, place = dimension * (is_gather ? 8 : 4);
  return static_cast<std::int32_t>(word << (32 - width - place)) >> (32 - width);
}

/// A direction becomes a face, which is a layer of the texture, and a place on it: CUDA C++ Programming Guide, "Cubemap Textures".
void look_up_cube(const Texture& texture, const float (&direction)[3], TexelCoordinates& where) {
  constexpr std::int32_t kFaces = 6;
  if (texture.dimensions != 2 || !texture.has_layers || texture.size[2] % kFaces != 0 ||
      !texture.is_normalized)
    throw ExecutionFault(
        "fetches from a cube texture, expected normalized coordinates and 6 layers for each cube");
  const auto [x, y, z] = direction;
  const float sizes[] = {std::fabs(x), std::fabs(y), std::fabs(z)};
  const unsigned axis = sizes[0] >= sizes[1] && sizes[0] >= sizes[2] ? 0 : sizes[1] >= sizes[2] ? 1 : 2;
  const bool is_minus = direction[axis] < 0;
  const float s = axis == 0                ? (is_minus ? z : -z)
                  : axis == 1 || !is_minus ? x
                                           : -x,
              t = axis == 1 ? (is_minus ? -z : z) : -y;
  where.at[0] = (s / sizes[axis] + 1) / 2;
  where.at[1] = (t / sizes[axis] + 1) / 2;
  where.layer = where.layer * kFaces + static_cast<std::int32_t>(2 * axis + (is_minus ? 1 : 0));
}

/// What the instruction says of the level; without it the first one.
float detail_of_lane(const Warp& warp, const Operation& operation, const Fetch& fetch, const Texture& texture,
                     unsigned lane) {
  constexpr float kFirst = -32;
  if (fetch.level != TextureWords::kNone)
    return single_of(word_of(warp, operation, fetch, fetch.level)[lane]);
  if (fetch.gradients == TextureWords::kNone) return kFirst;
  float along[2][3]{};
  for (unsigned i = 0; i < std::min(fetch.dimensions, texture.dimensions); ++i)
    for (unsigned axis = 0; axis < 2; ++axis)
      along[axis][i] = single_of(word_of(warp, operation, fetch, fetch.gradients + 2 * i + axis)[lane]);
  return detail_of(texture, along[0], along[1]);
}

TexelPlace texels_of_lane(const Warp& warp, const Operation& operation, const Fetch& fetch,
                          const Texture& texture, unsigned lane) {
  TexelCoordinates where;
  std::int32_t numbers[3]{};
  const unsigned dimensions = fetch.is_cube ? 3 : std::min(fetch.dimensions, texture.dimensions);
  const std::uint32_t offsets =
      fetch.offset == TextureWords::kNone ? 0 : word_of(warp, operation, fetch, fetch.offset)[lane];
  for (unsigned i = 0; i < dimensions; ++i) {
    const std::uint32_t word = word_of(warp, operation, fetch, fetch.coordinates + i)[lane];
    where.at[i] = single_of(word);
    where.offset[i] = offset_of(offsets, i, fetch.kind == Fetch::Kind::Gather);
    numbers[i] = static_cast<std::int32_t>(word + static_cast<std::uint32_t>(where.offset[i]));
  }
  if (fetch.layer != TextureWords::kNone)
    where.layer = static_cast<std::int32_t>(word_of(warp, operation, fetch, fetch.layer)[lane] & 0xffffU);
  if (fetch.is_cube) {
    const float direction[] = {where.at[0], where.at[1], where.at[2]};
    look_up_cube(texture, direction, where);
  }
  if (fetch.kind == Fetch::Kind::Load) {
    if (texture.levels > 1) throw ExecutionFault("loads elements of a mipmapped texture by whole numbers");
    return texel_at(texture, numbers, where.layer);
  }
  if (fetch.kind == Fetch::Kind::Gather) return texels_of(texture, where, true);
  return texels_of_levels(texture, where, detail_of_lane(warp, operation, fetch, texture, lane));
}

using Element = std::array<std::uint8_t, 16>;

Element element_at(Warp& warp, unsigned lane, const Texture& texture, std::uint64_t address) {
  Element element{};
  const unsigned bytes = texture.element_bytes();
  const std::uint8_t* const from = place_of<Space::Global>(warp, lane, address, bytes);
  warp.group().note_read(warp, address, bytes);
  std::memcpy(element.data(), from, bytes);
  return element;
}

/// Channels that an element does not have are 0, the fourth is 1.
std::uint32_t missing_channel(const Texture& texture, unsigned channel) {
  if (channel != 3) return 0;
  return gives_reals(texture) ? std::bit_cast<std::uint32_t>(1.0F) : 1;
}

/// The numbers of a fetch for one lane. Outside of the texture all channels are 0.
std::array<std::uint32_t, 4> fetched(Warp& warp, const Fetch& fetch, const Texture& texture,
                                     const TexelPlace& place, unsigned lane) {
  std::array<std::uint32_t, 4> result{};
  if (fetch.kind == Fetch::Kind::Gather) {
    static constexpr unsigned kOrder[] = {2, 3, 1,
                                          0};  // PTX ISA, tld4: counter-clockwise from the lower left
    for (unsigned number = 0; number < 4; ++number)
      if (const unsigned corner = kOrder[number]; corner < place.count && place.is_inside[corner])
        result[number] =
            fetch.component < texture.channels
                ? channel_of(texture, element_at(warp, lane, texture, place.address[corner]).data(),
                             fetch.component)
                : missing_channel(texture, fetch.component);
    return result;
  }
  float sum[4]{};
  for (unsigned corner = 0; corner < place.count; ++corner) {
    if (!place.is_inside[corner]) continue;
    const Element element = element_at(warp, lane, texture, place.address[corner]);
    for (unsigned channel = 0; channel < 4; ++channel) {
      const std::uint32_t value = channel < texture.channels ? channel_of(texture, element.data(), channel)
                                                             : missing_channel(texture, channel);
      if (place.count == 1) result[channel] = value;
      sum[channel] += place.weight[corner] * single_of(value);
    }
  }
  if (place.count > 1)
    for (unsigned channel = 0; channel < 4; ++channel) result[channel] = canonical(sum[channel]);
  return result;
}

void write_channels(Warp& warp, const Operation& operation, const Fetch& fetch, unsigned lane,
                    const std::array<std::uint32_t, 4>& values) {
  unsigned number = 0;
  for (unsigned channel = 0; channel < 4; ++channel) {
    if ((fetch.mask >> channel & 1U) == 0) continue;
    const bool is_further = number >= 2;
    const bool is_dropped = is_further ? operation.extra.low == operation.extra.high : operation.drops_result;
    const unsigned row = is_further ? operation.extra.low + number - 2 : operation.result + number;
    if (!is_dropped) warp.row(static_cast<std::uint16_t>(row))[lane] = values[channel];
    ++number;
  }
}

void fetch_texels(Warp& warp, const Operation& operation, LaneSet lanes) {
  const Fetch fetch(operation.bits, operation.target);
  LaneTexels texels;
  TexelPlace places[kLanes];
  const Texture* textures[kLanes]{};
  const LaneValues& handles = warp.read(operation.c.is_constant, operation.c.low);
  for_each_lane(lanes, [&](unsigned i) {
    textures[i] = &texture_of(warp, i, handles[i], false);
    places[i] = texels_of_lane(warp, operation, fetch, *textures[i], i);
    texels.bytes[i] = textures[i]->element_bytes();
    for (unsigned corner = 0; corner < places[i].count; ++corner) {
      texels.inside[corner] |= static_cast<LaneSet>(places[i].is_inside[corner]) << i;
      texels.address[corner].lane[i] = places[i].address[corner];
    }
  });
  observe_texels(warp, operation, lanes, texels);
  std::array<std::uint32_t, 4> values[kLanes];
  for_each_lane(lanes, [&](unsigned i) { values[i] = fetched(warp, fetch, *textures[i], places[i], i); });
  for_each_lane(lanes, [&](unsigned i) { write_channels(warp, operation, fetch, i, values[i]); });
}

/// Sizes of the first level, and how many there are.
void query(Warp& warp, const Operation& operation, LaneSet lanes) {
  const Fetch fetch(operation.bits, operation.target);
  const LaneValues handles = warp.read(operation.c.is_constant, operation.c.low);
  for_each_lane(lanes, [&](unsigned i) {
    const Texture& texture = warp.group().launch().texture(handles[i], i);
    write_channels(warp, operation, fetch, i,
                   {texture.size[0], texture.size[1], texture.size[2], texture.levels});
  });
}

Source results_of(Translation& t, std::size_t slot) {
  const unsigned number = t.operand(slot).value;
  Source source = t.of_register(number);
  if (number != kZeroRegister) source.high = static_cast<std::uint16_t>(source.low + 1);
  return source;
}

/// The slots are: the predicate (not of TXQ), two results, two operands (one of TXQ), the handle.
bool is_fetch(Translation& t, Fetch::Kind kind) {
  Operation& operation = t.operation();
  const std::string_view name = t.name();
  const TextureWords words = texture_words(t.row(), t.instruction());
  const bool is_query = name == "TXQ";
  const std::size_t first = is_query ? 0 : 1;
  if (!is_query && t.operand(0).value != kTruePredicate) return false;  // whether memory is resident
  operation.extra = results_of(t, first);
  t.result(first + 1);
  operation.a = results_of(t, first + 2);
  if (is_query && t.bits(62, 2) != 0) return false;  // types and samplers
  const bool compares = (name == "TEX" || name == "TLD4") && t.has(78);
  const bool is_cube = !is_query && (t.bits(61, 3) & 3) == 3;
  if ((is_cube && kind != Fetch::Kind::Sample) || compares || (name == "TLD" && t.has(78)) ||
      (name == "TLD4" && t.has(77)))
    return false;
  if (!is_query) operation.b = results_of(t, first + 3);
  operation.bits = Fetch::bits_of(kind, t.bits(72, 4), name == "TLD4" ? t.bits(87, 2) : 0, words);
  if (is_cube) operation.bits |= Fetch::kCube;
  operation.target = words.level | words.gradients << 4;
  if (words.handle == TextureWords::kNone) {
    translate_handle(t, first + 4);
  } else {
    const Source& source = words.handle < words.first ? operation.a : operation.b;
    const unsigned place = words.handle < words.first ? words.handle : words.handle - words.first;
    operation.c.low = operation.c.high =
        static_cast<std::uint16_t>(source.low == source.high ? source.low : source.low + place);
  }
  operation.accesses_texture = !is_query;
  return t.is(is_query ? query : fetch_texels);
}

}  // namespace

const Texture& texture_of(const Warp& warp, unsigned lane, std::uint32_t handle, bool is_surface) {
  const Texture& texture = warp.group().launch().texture(handle, lane);
  if (texture.is_surface == is_surface) return texture;
  ExecutionFault fault(
      fmt::format("the handle 0x{:x} is that of a {}", handle, is_surface ? "texture" : "surface"));
  fault.lane = static_cast<int>(lane);
  throw fault;
}

void observe_texels(const Warp& warp, const Operation& operation, LaneSet lanes, const LaneTexels& texels) {
  Observer* const observer = warp.group().launch().observer();
  if (observer == nullptr) return;
  const std::vector<TextureAccess>& accesses = warp.group().launch().texture_accesses().at(warp.place());
  for (std::size_t number = 0; number < accesses.size(); ++number) {
    LaneSet own = texels.inside[accesses[number].corner] & lanes;
    for_each_lane(own, [&](unsigned i) {
      if (texels.bytes[i] != accesses[number].bytes) own &= ~(LaneSet{1} << i);
    });
    observer->fetched(warp, operation, static_cast<unsigned>(number), own,
                      texels.address[accesses[number].corner]);
  }
}

void translate_handle(Translation& t, std::size_t slot) {
  Operation& operation = t.operation();
  const Operand& operand = t.operand(slot);
  if (operand.kind == OperandKind::UniformRegister) {
    operation.c.low = operation.c.high = t.code().uniform_row(operand.value);
  } else if (operand.kind == OperandKind::Register) {
    operation.c = t.of_register(operand.value);
  } else {  // a bank, and a place in words
    operation.c.is_constant = true;
    operation.c.low = operation.c.high = t.code().constant_row({false, 0, t.bits(54, 5), t.bits(40, 14) * 4});
  }
}

bool translate_texture(Translation& t) {
  if (t.name() == "TEX" || t.name() == "TXD") return is_fetch(t, Fetch::Kind::Sample);
  if (t.name() == "TLD" || t.name() == "TXQ") return is_fetch(t, Fetch::Kind::Load);
  return t.name() == "TLD4" && is_fetch(t, Fetch::Kind::Gather);
}

}  // namespace warpscope::machine
