// Loads, stores and reductions of surfaces: PTX ISA, suld, sust, sured.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>

#include "machine/execute/operations/half.h"
#include "machine/execute/operations/real.h"
#include "machine/execute/operations/textures/observed.h"
#include "machine/execute/operations/textures/texels.h"

namespace warpscope::machine {
namespace {

/// operation.bits. a: the first coordinate; b: the values that are stored.
constexpr std::uint32_t kSizeOfAccess = 7, kIsPacked = 1U << 3, kCountsBytes = 1U << 4;
constexpr unsigned kShapeShift = 5, kClampShift = 8, kChangeShift = 10, kTypeShift = 13;
constexpr std::uint32_t kClamps = 1, kTraps = 2;

/// Which coordinates the registers are: 1D, buffer, 1D array, 2D, 2D array, 3D.
struct SurfaceShape {
  bool has_row, has_plane;
  unsigned plane;  ///< register of the plane, or of the layer
};
constexpr SurfaceShape kShapes[] = {{false, false, 0}, {false, false, 0}, {false, true, 1},
                                    {true, false, 0},  {true, true, 2},   {true, true, 2},
                                    {false, false, 0}, {false, false, 0}};

const LaneValues& word_of(const Warp& warp, const Source& source, unsigned number) {
  return warp.read(false,
                   static_cast<std::uint16_t>(source.low == source.high ? source.low : source.low + number));
}

struct SurfacePlaces {
  const Texture* surface[kLanes]{};
  std::uint64_t address[kLanes]{};
  LaneSet inside = 0;
};

/// `bytes`: of an access; 0: an element.
SurfacePlaces surface_places(const Warp& warp, const Operation& operation, LaneSet lanes, unsigned bytes) {
  SurfacePlaces places;
  LaneTexels texels;
  const SurfaceShape& shape = kShapes[operation.bits >> kShapeShift & 7];
  const std::uint32_t clamp = operation.bits >> kClampShift & 3;
  const LaneValues& handles = warp.read(operation.c.is_constant, operation.c.low);
  for_each_lane(lanes, [&](unsigned i) {
    const Texture& surface = texture_of(warp, i, handles[i], true);
    const unsigned own_bytes = bytes != 0 ? bytes : surface.element_bytes();
    std::int32_t at[3]{};
    at[0] = static_cast<std::int32_t>(word_of(warp, operation.a, 0)[i]);
    if ((operation.bits & kCountsBytes) == 0) at[0] *= static_cast<std::int32_t>(surface.element_bytes());
    if (shape.has_row) at[1] = static_cast<std::int32_t>(word_of(warp, operation.a, 1)[i]);
    if (shape.has_plane) at[2] = static_cast<std::int32_t>(word_of(warp, operation.a, shape.plane)[i]);
    if ((operation.bits & kIsPacked) == 0 && at[0] % static_cast<std::int32_t>(own_bytes) != 0)
      throw ExecutionFault(
          fmt::format("byte {} of a row of the surface, expected a multiple of {}", at[0], own_bytes));
    const auto place = surface_place(surface, at, own_bytes, clamp == kClamps);
    if (!place && clamp == kTraps) {
      ExecutionFault fault(fmt::format(
          "byte {}, row {}, plane {} is outside of the surface of {} x {} x {} elements of {} bytes", at[0],
          at[1], at[2], surface.size[0], surface.size[1], surface.size[2], surface.element_bytes()));
      fault.lane = static_cast<int>(i);
      throw fault;
    }
    places.surface[i] = &surface;
    texels.bytes[i] = own_bytes;
    if (!place) return;
    places.inside |= LaneSet{1} << i;
    places.address[i] = texels.address[0].lane[i] = *place;
  });
  texels.inside[0] = places.inside;
  observe_texels(warp, operation, lanes, texels);
  return places;
}

/// SULD: bytes as they are (.D), or the channels of an element (.P). Outside of the surface 0.
void load_surface(Warp& warp, const Operation& operation, LaneSet lanes) {
  const bool is_packed = (operation.bits & kIsPacked) != 0;
  const unsigned size = operation.bits & kSizeOfAccess;
  const SurfacePlaces places = surface_places(warp, operation, lanes, is_packed ? 0 : bytes_of_size(size));
  for_each_lane(lanes, [&](unsigned i) {
    std::array<std::uint32_t, 4> words{};
    if ((places.inside >> i & 1U) != 0) {
      const unsigned bytes = is_packed ? places.surface[i]->element_bytes() : bytes_of_size(size);
      const std::uint8_t* from = place_of<Space::Global>(warp, i, places.address[i], bytes);
      warp.group().note_read(warp, places.address[i], bytes);
      if (is_packed)
        for (unsigned channel = 0; channel < places.surface[i]->channels; ++channel)
          words[channel] = channel_of(*places.surface[i], from, channel);
      else
        std::memcpy(words.data(), from, bytes);
      if (!is_packed && size == 1)
        words[0] = static_cast<std::uint32_t>(std::int32_t{static_cast<std::int8_t>(*from)});
      if (!is_packed && size == 3) words[0] = static_cast<std::uint32_t>(static_cast<std::int16_t>(words[0]));
    }
    if (operation.drops_result) return;
    for (unsigned number = 0; number < operation.results; ++number)
      warp.row(static_cast<std::uint16_t>(operation.result + number))[i] = words[number];
  });
}

/// SUST. What lies outside of the surface is not stored.
void store_surface(Warp& warp, const Operation& operation, LaneSet lanes) {
  const bool is_packed = (operation.bits & kIsPacked) != 0;
  const unsigned fixed = is_packed ? 0 : bytes_of_size(operation.bits & kSizeOfAccess);
  const SurfacePlaces places = surface_places(warp, operation, lanes, fixed);
  warp.changed_memory();
  for_each_lane(places.inside & lanes, [&](unsigned i) {
    const Texture& surface = *places.surface[i];
    const unsigned bytes = is_packed ? surface.element_bytes() : fixed;
    std::uint8_t* to = place_of<Space::Global>(warp, i, places.address[i], bytes);
    warp.group().note_write(places.address[i], bytes, false);
    for (unsigned number = 0; number < (is_packed ? surface.channels : (bytes + 3) / 4); ++number) {
      const std::uint32_t word = word_of(warp, operation.b, number)[i];
      if (is_packed)
        put_channel(surface, to, number, word);
      else
        std::memcpy(to + std::size_t{number} * 4, &word, std::min(bytes, 4U));
    }
  });
}

/// The field `surftype`: u32, s32, u64, f32, halves, s64, and numbers as the surface has them.
std::uint64_t reduced(std::uint32_t change, std::uint32_t type, std::uint64_t old, std::uint64_t value,
                      bool is_signed) {
  const bool is_wide = type == 2 || type == 5 || type == 7;
  const auto less = [&](std::uint64_t a, std::uint64_t b) {
    if (!is_signed) return a < b;
    return is_wide ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b)
                   : static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
  };
  switch (change) {
    case 0:
      return old + value;
    case 1:
      return less(value, old) ? value : old;
    case 2:
      return less(old, value) ? value : old;
    case 5:
      return old & value;
    case 6:
      return old | value;
    default:
      return old ^ value;
  }
}

/// SURED, lane by lane.
void reduce_surface(Warp& warp, const Operation& operation, LaneSet lanes) {
  const std::uint32_t change = operation.bits >> kChangeShift & 7, type = operation.bits >> kTypeShift & 7;
  const unsigned bytes = type == 2 || type == 5 || type == 7 ? 8 : 4;
  const SurfacePlaces places = surface_places(warp, operation, lanes, bytes);
  warp.changed_memory();
  for_each_lane(places.inside & lanes, [&](unsigned i) {
    std::uint8_t* place = place_of<Space::Global>(warp, i, places.address[i], bytes);
    warp.group().note_write(places.address[i], bytes, true);
    std::uint64_t old = 0, value = word_of(warp, operation.b, 0)[i];
    if (bytes == 8) value |= std::uint64_t{word_of(warp, operation.b, 1)[i]} << 32;
    std::memcpy(&old, place, bytes);
    const bool is_signed =
        type == 1 || type == 5 || (type >= 6 && places.surface[i]->kind == TexelKind::Signed);
    const std::uint64_t result =
        type == 3 ? flushed(canonical(single_of(flushed(static_cast<std::uint32_t>(old))) +
                                      single_of(flushed(static_cast<std::uint32_t>(value)))))
                  : reduced(change, type, old, value, is_signed);
    std::memcpy(place, &result, bytes);
  });
}

Source registers_of(Translation& t, unsigned number) {
  Source source = t.of_register(number);
  if (number != kZeroRegister) source.high = static_cast<std::uint16_t>(source.low + 1);
  return source;
}

/// Operands: of a load the predicate and the result first; coordinates, values that are stored, the handle.
bool is_surface_access(Translation& t, Execute run) {
  Operation& operation = t.operation();
  const bool is_load = t.name() == "SULD", is_packed = t.row().items.front().text == ".P";
  const std::size_t place = is_load ? 2 : 0;
  if (is_load && t.operand(0).value != kTruePredicate) return false;
  operation.bits = t.bits(61, 3) << kShapeShift | t.bits(59, 2) << kClampShift;
  if (t.name() == "SURED") {
    const std::uint32_t change = t.bits(87, 3), type = t.bits(73, 3);
    if (change == 3 || change == 4 || type == 4 || (type == 3 && change != 0)) return false;
    operation.bits |= change << kChangeShift | type << kTypeShift | (t.has(72) ? kCountsBytes : 0);
  } else if (is_packed) {
    if (is_load && t.bits(72, 4) == 0) return false;
    operation.bits |= kIsPacked;
  } else {
    operation.bits |= t.bits(73, 3) | (t.has(72) ? kCountsBytes : 0);
  }
  const unsigned bytes = bytes_of_size(t.bits(73, 3));
  if (is_load) t.result(1, static_cast<std::uint8_t>(is_packed ? 4 : (bytes + 3) / 4));
  operation.a = registers_of(t, t.operand(place).value & 0xffU);
  if (!is_load) operation.b = registers_of(t, t.operand(1).value);
  if (!is_load) operation.results = 0;
  translate_handle(t, is_load ? 3 : 2);
  operation.accesses_texture = true;
  return t.is(run);
}

}  // namespace

bool translate_surface(Translation& t) {
  if (t.name() == "SULD") return is_surface_access(t, load_surface);
  if (t.name() == "SUST") return is_surface_access(t, store_surface);
  return t.name() == "SURED" && is_surface_access(t, reduce_surface);
}

}  // namespace warpscope::machine
