// Textures of machine code: what the formulas of the CUDA guide give in double precision, on coordinates where those of the GPU are exact.
#include <gmock/gmock.h>

#include "tests/unit/machine/pictures.h"

namespace warpscope::machine {
namespace {

class Fetches : public testing::TestWithParam<std::uint32_t> {
 protected:
  /// Compares what a kernel fetches with the picture. `dimensions`: those that the kernel's coordinates have.
  void expect_image(const std::string& kernel, const Picture& picture, std::array<int, 3> offset = {}) {
    std::vector<std::uint8_t> bytes = bytes_of(picture);
    std::vector<Four> points, out(kItems);
    for (unsigned i = 0; i < kItems; ++i) points.push_back(point_near(picture.texture, random_));
    CubinProgram program(file_of(GetParam()), kernel);
    program.number(program.handle(picture.texture, bytes))
        .buffer(points)
        .buffer(out)
        .run({2, 1, 1}, {32, 1, 1});
    for (unsigned i = 0; i < kItems; ++i)
      for (unsigned channel = 0; channel < 4; ++channel)
        ASSERT_NEAR(out[i][channel], expected(picture, points[i], offset, channel), 1e-4)
            << kernel << " of " << points[i][0] << ", " << points[i][1] << ", " << points[i][2] << ", "
            << points[i][3] << ", channel " << channel << (picture.texture.is_linear ? ", linear" : "")
            << (picture.texture.is_normalized ? ", normalized" : "") << ", mode "
            << static_cast<int>(picture.texture.modes[0]) << ", bytes " << picture.texture.channel_bytes;
  }
  static double expected(const Picture& picture, const Four& point, const std::array<int, 3>& offset,
                         unsigned channel) {
    std::array<double, 3> place{};
    for (unsigned axis = 0; axis < 3; ++axis)
      place[axis] = double{point[axis]} * (picture.texture.is_normalized ? picture.texture.size[axis] : 1);
    return picture.at(place, offset, static_cast<int>(point[3]), channel, [](auto...) {});
  }
  std::mt19937 random_{7};
};

TEST_P(Fetches, FilterAsTheGuideSays) {
  const struct {
    const char* kernel;
    unsigned dimensions;
    bool has_layers;
    std::array<int, 3> offset;
  } kernels[] = {{"line", 1, false, {}},         {"plane", 2, false, {}},
                 {"solid", 3, false, {}},        {"line_layers", 1, true, {}},
                 {"plane_layers", 2, true, {}},  {"level", 2, false, {}},
                 {"gradient", 2, false, {}},     {"gradient_layers", 2, true, {}},
                 {"shifted", 2, false, {3, -2}}, {"shifted_solid", 3, false, {1, -1, -1}}};
  for (const auto& one : kernels)
    for (unsigned how = 0; how < 16; ++how) {
      Texture texture = texture_with(one.dimensions, one.has_layers);
      texture.is_linear = (how & 1) != 0;
      texture.is_normalized = (how & 2) != 0;
      for (unsigned axis = 0; axis < 3; ++axis)
        texture.modes[axis] = static_cast<AddressMode>((how / 4 + axis) % 4);
      // A mirrored coordinate is mirrored before the offset, an infinite texture behind it.
      if (one.offset[0] != 0) texture.modes.fill(how % 8 < 4 ? AddressMode::Border : AddressMode::Clamp);
      if (one.offset[0] != 0 && texture.is_normalized) texture.modes.fill(AddressMode::Border);
      expect_image(one.kernel, picture_of(texture, random_), one.offset);
    }
}

TEST_P(Fetches, ElementsOfAllFormatsAreNumbers) {
  for (const unsigned channels : {1U, 2U, 4U})
    for (const unsigned bytes : {1U, 2U, 4U})
      for (const TexelKind kind : {TexelKind::Signed, TexelKind::Unsigned, TexelKind::Floating}) {
        if (kind == TexelKind::Floating ? bytes == 1 : bytes == 4) continue;
        Texture texture = texture_with(2);
        texture.channels = channels;
        texture.channel_bytes = bytes;
        texture.kind = kind;
        texture.is_fraction = kind != TexelKind::Floating;
        for (const bool linear : {false, true}) {
          texture.is_linear = linear;
          expect_image("plane", picture_of(texture, random_));
        }
      }
}

TEST_P(Fetches, IntegersAreThoseOfTheElements) {
  for (const TexelKind kind : {TexelKind::Signed, TexelKind::Unsigned})
    for (const unsigned bytes : {1U, 2U, 4U}) {
      Texture texture = texture_with(1);
      texture.size[0] = 64;
      texture.channel_bytes = bytes;
      texture.kind = kind;
      texture.channels = 2;
      const Picture picture = picture_of(texture, random_);
      std::vector<std::uint8_t> elements = bytes_of(picture);
      std::vector<Four> points;
      std::vector<Whole> out(kItems);
      for (unsigned i = 0; i < kItems; ++i)
        points.push_back({static_cast<float>(static_cast<int>(i) - 3), 0, 0, 0});
      CubinProgram program(file_of(GetParam()), "whole_line");
      program.number(program.handle(texture, elements)).buffer(points).buffer(out).run({2, 1, 1}, {32, 1, 1});
      for (int i = 0; i < static_cast<int>(kItems); ++i)
        for (unsigned channel = 0; channel < 4; ++channel)
          ASSERT_EQ(out[static_cast<unsigned>(i)][channel],
                    i < 3 ? 0 : static_cast<int>(picture.number(i - 3, 0, 0, channel)));
    }
}

TEST_P(Fetches, WholeNumbersFindElementsOrNone) {
  const struct {
    const char* kernel;
    unsigned dimensions;
    bool has_layers;
  } kernels[] = {{"whole_plane", 2, false}, {"whole_solid", 3, false}, {"whole_layers", 2, true}};
  for (const auto& one : kernels) {
    const Picture picture = picture_of(texture_with(one.dimensions, one.has_layers), random_);
    std::vector<std::uint8_t> bytes = bytes_of(picture);
    std::vector<Four> points, out(kItems);
    for (unsigned i = 0; i < kItems; ++i)
      points.push_back({static_cast<float>(random_() % 20), static_cast<float>(random_() % 10),
                        static_cast<float>(random_() % 5), static_cast<float>(random_() % 4)});
    CubinProgram program(file_of(GetParam()), one.kernel);
    program.number(program.handle(picture.texture, bytes))
        .buffer(points)
        .buffer(out)
        .run({2, 1, 1}, {32, 1, 1});
    for (unsigned i = 0; i < kItems; ++i) {
      const Four& p = points[i];
      const bool outside = p[0] >= 16 || p[1] >= 8 || (one.dimensions == 3 && p[2] >= 4);
      const int z = static_cast<int>(one.has_layers ? p[3] : one.dimensions == 3 ? p[2] : 0);
      for (unsigned channel = 0; channel < 4; ++channel)
        ASSERT_EQ(out[i][channel],
                  outside ? 0 : picture.number(static_cast<int>(p[0]), static_cast<int>(p[1]), z, channel))
            << one.kernel;
    }
  }
}

/// PTX ISA, tld4: (i0, j1), (i1, j1), (i1, j0), (i0, j0).
TEST_P(Fetches, GathersFourNeighboursOfOneChannel) {
  for (const bool shifted : {false, true}) {
    const Picture picture = picture_of(texture_with(2), random_);
    std::vector<std::uint8_t> bytes = bytes_of(picture);
    std::vector<Four> points, out(kItems);
    for (unsigned i = 0; i < kItems; ++i) points.push_back(point_near(picture.texture, random_));
    CubinProgram program(file_of(GetParam()), shifted ? "green" : "red");
    program.number(program.handle(picture.texture, bytes))
        .buffer(points)
        .buffer(out)
        .run({2, 1, 1}, {32, 1, 1});
    for (unsigned i = 0; i < kItems; ++i) {
      const int x = static_cast<int>(std::floor(points[i][0] - 0.5)) + (shifted ? 3 : 0),
                y = static_cast<int>(std::floor(points[i][1] - 0.5)) - (shifted ? 2 : 0);
      const int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
      for (unsigned part = 0; part < 4; ++part)
        ASSERT_EQ(out[i][part], picture.number(picture.folded(0, x + order[part][0]),
                                               picture.folded(1, y + order[part][1]), 0, shifted ? 1 : 0));
    }
  }
}

TEST_P(Fetches, HandlesInMemoryChannelsAndSizes) {
  Texture wide = texture_with(2), narrow = texture_with(2);
  wide.is_linear = true;
  narrow.channels = 1;
  narrow.size = {4, 2, 1};
  const Picture first = picture_of(wide, random_), second = picture_of(narrow, random_);
  std::vector<std::uint8_t> bytes = bytes_of(first), others = bytes_of(second);
  std::vector<Four> points, out(kItems);
  for (unsigned i = 0; i < kItems; ++i) points.push_back(point_near(wide, random_));
  CubinProgram program(file_of(GetParam()), "chosen");
  std::vector<std::uint64_t> handles{program.handle(wide, bytes), program.handle(narrow, others)};
  program.buffer(handles).buffer(points).buffer(out).run({2, 1, 1}, {32, 1, 1});
  for (unsigned i = 0; i < kItems; ++i)
    for (unsigned channel = 0; channel < 4; ++channel)
      ASSERT_NEAR(out[i][channel],
                  i % 3 == 0 ? -1 : expected(i % 2 == 0 ? first : second, points[i], {}, channel), 1e-4);

  CubinProgram channels(file_of(GetParam()), "some_channels");
  channels.number(channels.handle(wide, bytes)).buffer(points).buffer(out).run({2, 1, 1}, {32, 1, 1});
  for (unsigned i = 0; i < kItems; ++i)
    for (const unsigned channel : {0U, 2U, 3U})
      ASSERT_NEAR(out[i][channel], expected(first, points[i], {}, channel), 1e-4);

  CubinProgram sizes(file_of(GetParam()), "sizes");
  std::vector<int> found(2);
  const Picture solid = picture_of(texture_with(3), random_);
  std::vector<std::uint8_t> planes = bytes_of(solid);
  std::vector<std::uint64_t> both{sizes.handle(solid.texture, planes), sizes.handle(narrow, others)};
  sizes.number(both[1]).buffer(both).buffer(found).run({1, 1, 1}, {2, 1, 1});
  EXPECT_EQ(found, (std::vector<int>{40204, 10204}));
}

/// What observers hear.
struct Heard : Observer {
  struct One {
    unsigned number;
    LaneSet lanes;
    LaneAddresses at;
  };
  std::vector<One> all;
  void fetched(const Warp&, const Operation&, unsigned number, LaneSet lanes,
               const LaneAddresses& at) override {
    all.push_back({number, lanes, at});
  }
};

TEST_P(Fetches, EachElementIsAnAccessOfTheLanesThatLoadIt) {
  for (const AddressMode mode : {AddressMode::Clamp, AddressMode::Border}) {
    Texture texture = texture_with(2);
    texture.is_linear = true;
    texture.modes.fill(mode);
    const Picture picture = picture_of(texture, random_);
    std::vector<std::uint8_t> bytes = bytes_of(picture);
    std::vector<Four> points, out(32);
    for (unsigned i = 0; i < 32; ++i) points.push_back(point_near(texture, random_));
    CubinProgram program(file_of(GetParam()), "plane");
    Heard heard;
    program.number(program.handle(texture, bytes))
        .buffer(points)
        .buffer(out)
        .run({1, 1, 1}, {32, 1, 1}, 0, 100'000, &heard);
    ASSERT_EQ(heard.all.size(), 4U);
    LaneSet lanes[4]{};
    for (unsigned i = 0; i < 32; ++i)
      (void)picture.at({points[i][0], points[i][1], 0}, {}, 0, 0, [&](unsigned corner, const int(&place)[3]) {
        lanes[corner] |= LaneSet{1} << i;
        EXPECT_EQ(heard.all[corner].at.lane[i] - kFirstAddress,
                  static_cast<std::uint64_t>(place[1] * 16 + place[0]) * 16);
      });
    for (unsigned corner = 0; corner < 4; ++corner) {
      EXPECT_EQ(heard.all[corner].number, corner);
      EXPECT_EQ(heard.all[corner].lanes, lanes[corner]);
    }
    EXPECT_EQ(lanes[0] == kAllLanes, mode == AddressMode::Clamp);
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, Fetches, testing::Values(75, 80, 90));

}  // namespace
}  // namespace warpscope::machine
