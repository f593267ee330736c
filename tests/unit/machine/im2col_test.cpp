// Copies by tensor maps for im2col, against the definition of the PTX ISA ("Tensors", im2col mode): pixels are numbered along W, H, D and the images, in boxes
// from the lower to the upper corner; offsets move all of them.
#include <gmock/gmock.h>

#include <functional>

#include "machine/execute/base/fault.h"
#include "machine/execute/base/tensor_map.h"
#include "tests/unit/machine/cubin_program.h"

namespace warpscope::machine {
namespace {

constexpr std::uint64_t kSharedOfPixels = 100 * 1024;

/// Images of integers without gaps, and the pixels that are copied from the first one of image `image` on.
struct PixelCase {
  const char* name;
  unsigned dimensions;
  std::array<std::uint64_t, 5> size;
  std::array<std::int32_t, 3> lower, upper;
  std::array<std::uint32_t, 5> step;
  std::uint32_t channels, pixels;
  int channel, skipped, image;  ///< skipped: pixels of the first image
  std::array<int, 3> offsets;
};

TensorMap pixel_map_of(const PixelCase& c) {
  TensorMap map;
  map.type = TensorMap::Type::S32;
  map.dimensions = c.dimensions;
  map.is_im2col = true;
  map.lower = c.lower;
  map.upper = c.upper;
  map.pixels = c.pixels;
  map.box[0] = c.channels;
  std::uint64_t next = 4;
  for (unsigned d = 0; d < c.dimensions; ++d) {
    map.size[d] = c.size[d];
    map.step[d] = c.step[d];
    if (d > 0) map.stride[d - 1] = next;
    next *= c.size[d];
  }
  return map;
}

/// Where pixel `number` of the boxes of all images is: W, H, D as far as there are, then the image.
std::array<std::int64_t, 4> place_of_pixel(const PixelCase& c, std::int64_t number) {
  std::array<std::int64_t, 4> place{};
  const unsigned axes = c.dimensions - 2;
  for (unsigned axis = 0; axis < axes; ++axis) {
    std::vector<std::int64_t> line;  // the places of the box along the axis
    for (std::int64_t at = c.lower[axis]; at < static_cast<std::int64_t>(c.size[axis + 1]) + c.upper[axis];
         at += c.step[axis + 1])
      line.push_back(at);
    place[axis] = line[static_cast<std::size_t>(number) % line.size()];
    number /= static_cast<std::int64_t>(line.size());
  }
  place[axes] = number;
  return place;
}

std::int64_t pixels_of_image(const PixelCase& c) {
  std::int64_t count = 0;
  while (place_of_pixel(c, count)[c.dimensions - 2] == 0) ++count;
  return count;
}

std::vector<int> coordinates_of(const PixelCase& c) {
  std::vector<int> at(8);
  const auto first = place_of_pixel(c, pixels_of_image(c) * c.image + c.skipped);
  at[0] = c.channel;
  for (std::size_t d = 1; d < c.dimensions; ++d) at[d] = static_cast<int>(first[d - 1]);
  for (std::size_t axis = 0; axis < 3; ++axis) at[5 + axis] = c.offsets[axis];
  return at;
}

/// Calls f(number of the element in the copy, that in the tensor or -1).
template <class F>
void for_each_of_copy(const PixelCase& c, bool is_moved, F f) {
  const std::int64_t first = pixels_of_image(c) * c.image + c.skipped;
  for (std::uint32_t pixel = 0; pixel < c.pixels; ++pixel) {
    auto place = place_of_pixel(c, first + pixel);
    for (unsigned axis = 0; is_moved && axis < c.dimensions - 2; ++axis) place[axis] += c.offsets[axis];
    for (std::uint32_t channel = 0; channel < c.channels; ++channel) {
      std::int64_t element = c.channel + static_cast<std::int64_t>(channel), weight = 1;
      bool is_inside = element < static_cast<std::int64_t>(c.size[0]);
      for (unsigned d = 1; d < c.dimensions; ++d) {
        weight *= static_cast<std::int64_t>(c.size[d - 1]);
        is_inside = is_inside && place[d - 1] >= 0 && place[d - 1] < static_cast<std::int64_t>(c.size[d]);
        element += place[d - 1] * weight;
      }
      f(static_cast<std::size_t>(pixel) * c.channels + channel, is_inside ? element : -1);
    }
  }
}

std::vector<int> tensor_of(const PixelCase& c) {
  std::uint64_t elements = 1;
  for (unsigned d = 0; d < c.dimensions; ++d) elements *= c.size[d];
  std::vector<int> values(elements);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i) + 1;
  return values;
}

class Pixels : public testing::TestWithParam<PixelCase> {};

TEST_P(Pixels, AreLoadedWithOffsets) {
  const PixelCase& c = GetParam();
  std::vector<int> memory = tensor_of(c), out(std::size_t{c.channels} * c.pixels, -1), expected(out.size());
  int outside = 0;
  for_each_of_copy(c, true, [&](std::size_t to, std::int64_t from) {
    if (from >= 0) expected[to] = memory[static_cast<std::size_t>(from)];
    outside += from < 0 ? 1 : 0;
  });
  EXPECT_THAT(outside, testing::AllOf(testing::Gt(0), testing::Lt(static_cast<int>(out.size()))));
  CubinProgram run("executed/tensors_sm90a.cubin", "load_pixels_" + std::to_string(c.dimensions));
  TensorMap map = pixel_map_of(c);
  ASSERT_EQ(map.wrong(), "");
  map.address = run.place(memory);
  std::vector<int> at = coordinates_of(c);
  run.number(map.encode()).buffer(at).buffer(out).number(static_cast<std::uint32_t>(out.size() * 4));
  run.run({1, 1, 1}, {64, 1, 1}, kSharedOfPixels);
  EXPECT_EQ(out, expected);
}

TEST_P(Pixels, AreStoredWithoutOffsets) {
  const PixelCase& c = GetParam();
  std::vector<int> memory = tensor_of(c), in(std::size_t{c.channels} * c.pixels), expected = memory;
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = -static_cast<int>(i) - 1;
  for_each_of_copy(c, false, [&](std::size_t from, std::int64_t to) {
    if (to >= 0) expected[static_cast<std::size_t>(to)] = in[from];
  });
  CubinProgram run("executed/tensors_sm90a.cubin", "store_pixels_" + std::to_string(c.dimensions));
  TensorMap map = pixel_map_of(c);
  map.address = run.place(memory);
  std::vector<int> at = coordinates_of(c);
  run.number(map.encode()).buffer(at).buffer(in).number(static_cast<std::uint32_t>(in.size() * 4));
  run.run({1, 1, 1}, {64, 1, 1}, kSharedOfPixels);
  EXPECT_EQ(memory, expected);
}

using PixelSizes = std::array<std::uint64_t, 5>;
using PixelSteps = std::array<std::uint32_t, 5>;
using Corners = std::array<std::int32_t, 3>;
using Offsets = std::array<int, 3>;

INSTANTIATE_TEST_SUITE_P(
    All, Pixels,
    testing::Values(PixelCase{"Rows", 3, PixelSizes{8, 9, 3}, Corners{-1}, Corners{-1},
                              PixelSteps{1, 1, 1, 1, 1}, 4, 25, 6, 5, 0, Offsets{2}},
                    PixelCase{"RowsFarOff", 3, PixelSizes{4, 900, 2}, Corners{-300}, Corners{-301},
                              PixelSteps{1, 1, 1, 1, 1}, 4, 1000, 0, 100, 1, Offsets{700}},
                    PixelCase{"Planes", 4, PixelSizes{16, 7, 5, 3}, Corners{-2, 1}, Corners{1, -1},
                              PixelSteps{1, 1, 1, 1, 1}, 8, 70, 4, 17, 1, Offsets{2, 1}},
                    PixelCase{"PlanesWithSteps", 4, PixelSizes{8, 9, 14, 2}, Corners{-1, -1}, Corners{-1, -1},
                              PixelSteps{1, 2, 3, 1, 1}, 8, 40, 0, 3, 0, Offsets{1, 5}},
                    PixelCase{"Volumes", 5, PixelSizes{4, 5, 4, 3, 2}, Corners{-1, -2, 0}, Corners{-1, 1, -1},
                              PixelSteps{1, 1, 1, 1, 1}, 4, 150, 0, 31, 0, Offsets{1, 2, 1}},
                    PixelCase{"VolumesWithSteps", 5, PixelSizes{8, 7, 6, 9, 3}, Corners{-3, 0, -16},
                              Corners{0, 2, 15}, PixelSteps{1, 3, 2, 5, 1}, 4, 300, 4, 11, 0,
                              Offsets{4, 0, 9}}),
    [](const auto& one) { return one.param.name; });

TEST(PixelMaps, SurviveTheirBytes) {
  for (const unsigned dimensions : {3U, 4U, 5U}) {
    TensorMap map;
    map.dimensions = dimensions;
    map.is_im2col = true;
    map.size = {64, 9, 8, 7, 6};
    const int most = dimensions == 3 ? 32767 : dimensions == 4 ? 127 : 15;
    for (std::size_t axis = 0; axis + 2 < dimensions; ++axis) {
      map.lower[axis] = axis == 1 ? most : -most - 1;
      map.upper[axis] = axis == 1 ? -most - 1 : most;
    }
    map.box[0] = 256;
    map.pixels = 1024;
    const TensorMap back = TensorMap::decode(map.encode().data());
    EXPECT_TRUE(back.is_im2col);
    EXPECT_EQ(back.lower, map.lower);
    EXPECT_EQ(back.upper, map.upper);
    EXPECT_EQ(back.pixels, 1024U);
    EXPECT_EQ(back.box, map.box);
    EXPECT_EQ(back.box_bytes(), 1024U * 1024U);
  }
}

TEST(PixelMaps, ThatNoCopyCanUseAreRefused) {
  const auto said = [](const std::function<void(TensorMap&)>& change) {
    TensorMap map;
    map.is_im2col = true;
    map.dimensions = 4;
    map.size = {64, 8, 8, 2, 1};
    map.stride = {256, 2048, 16384, 0};
    map.box[0] = 32;
    map.pixels = 64;
    change(map);
    return map.wrong();
  };
  EXPECT_EQ(said([](TensorMap&) {}), "");
  EXPECT_THAT(said([](TensorMap& map) { map.dimensions = 2; }),
              testing::HasSubstr("2 dimensions, expected 3 to 5"));
  EXPECT_THAT(said([](TensorMap& map) { map.pixels = 1025; }), testing::HasSubstr("1025 pixels"));
  EXPECT_THAT(said([](TensorMap& map) { map.box[0] = 257; }), testing::HasSubstr("box 257"));
  EXPECT_THAT(said([](TensorMap& map) { map.lower[1] = -129; }),
              testing::HasSubstr("corner -129 of dimension 2"));
  EXPECT_THAT(said([](TensorMap& map) { map.upper[0] = 128; }), testing::HasSubstr("expected -128 to 127"));
  EXPECT_THAT(said([](TensorMap& map) { map.lower[0] = 3, map.upper[0] = -5; }),
              testing::HasSubstr("without a pixel along dimension 1"));
  EXPECT_EQ(said([](TensorMap& map) { map.lower[0] = 3, map.upper[0] = -4; }), "");
  EXPECT_THAT(said([](TensorMap& map) { map.swizzle = 2; }),
              testing::HasSubstr("expected 64 as of its swizzle"));
  EXPECT_THAT(said([](TensorMap& map) { map.box[0] = 3; }), testing::HasSubstr("others are not executed"));
  EXPECT_THAT(said([](TensorMap& map) { map.step[3] = 2; }), testing::HasSubstr("from image to image"));
}

TEST(PixelMaps, AndTilesAreNotExchanged) {
  const PixelCase c{"", 3, {8, 9, 3}, {}, {}, {1, 1, 1, 1, 1}, 4, 16, 0, 0, 0, {}};
  std::vector<int> memory = tensor_of(c), out(64), at(8);
  const auto launch = [&](const char* kernel, bool is_im2col) {
    CubinProgram run("executed/tensors_sm90a.cubin", kernel);
    TensorMap map = pixel_map_of(c);
    map.is_im2col = is_im2col;
    map.address = run.place(memory);
    run.number(map.encode()).buffer(at).buffer(out).number(256U).run({1, 1, 1}, {32, 1, 1}, kSharedOfPixels);
  };
  EXPECT_THAT([&] { launch("load_pixels_3", false); },
              testing::ThrowsMessage<ExecutionFault>(testing::HasSubstr("im2col by a tensor map for tiles")));
  EXPECT_THAT([&] { launch("load_3", true); }, testing::ThrowsMessage<ExecutionFault>(
                                                   testing::HasSubstr("a tile by a tensor map for im2col")));
}

}  // namespace
}  // namespace warpscope::machine
