// Cube textures: directions that the table of the CUDA guide ("Cubemap Textures"), read backwards, gives for places on faces.
#include <gmock/gmock.h>

#include "machine/execute/base/fault.h"
#include "tests/unit/machine/pictures.h"

namespace warpscope::machine {
namespace {

/// The direction whose greatest coordinate is `m`, to (s, t) on a face, both -1 to 1.
Four direction_to(unsigned face, float m, float s, float t) {
  switch (face) {
    case 0:
      return {m, -t * m, -s * m, 0};
    case 1:
      return {-m, -t * m, s * m, 0};
    case 2:
      return {s * m, m, t * m, 0};
    case 3:
      return {s * m, -m, -t * m, 0};
    case 4:
      return {s * m, -t * m, m, 0};
    default:
      return {-s * m, -t * m, -m, 0};
  }
}

CubinProgram cubes(const char* architecture, const std::string& kernel) {
  return CubinProgram(std::string("executed/cubes_sm") + architecture + ".cubin", kernel);
}

TEST(Cubes, AreSixLayers) {
  for (const char* architecture : {"75", "90"})
    for (const bool is_linear : {false, true})
      for (const bool has_layers : {false, true}) {
        std::mt19937 random(3);
        Texture texture = texture_with(2, true);
        texture.size = {8, 8, has_layers ? 18U : 6U};
        texture.channels = 1;
        texture.is_normalized = true;
        texture.is_linear = is_linear;
        const Picture picture = picture_of(texture, random);
        std::vector<std::uint8_t> bytes = bytes_of(picture);
        std::vector<Four> points;
        std::vector<float> out(kItems);
        std::vector<double> expected;
        for (unsigned i = 0; i < kItems; ++i) {
          // Inside the outermost elements' centres: what lies beyond a face's edge is not compared.
          const double u = 0.6 + static_cast<double>(random() % 679) / 100,
                       v = 0.6 + static_cast<double>(random() % 679) / 100;
          const unsigned face = i % 6, cube = has_layers ? static_cast<unsigned>(random() % 3) : 0;
          points.push_back(direction_to(face, static_cast<float>(1 + random() % 5) / 2,
                                        static_cast<float>(u / 4 - 1), static_cast<float>(v / 4 - 1)));
          points.back()[3] = static_cast<float>(cube);
          expected.push_back(picture.at({u, v, 0}, {}, static_cast<int>(cube * 6 + face), 0, [](auto...) {}));
        }
        CubinProgram program = cubes(architecture, has_layers ? "cube_of" : "cube");
        program.number(program.handle(texture, bytes)).buffer(points).buffer(out).run({2, 1, 1}, {32, 1, 1});
        // Weights have 8 bits.
        for (unsigned i = 0; i < kItems; ++i)
          EXPECT_NEAR(out[i], expected[i], is_linear ? 2 : 0) << architecture << " " << i;
      }
}

TEST(Cubes, OtherTexturesAreFaults) {
  Texture texture = texture_with(2, true);
  texture.is_normalized = true;
  texture.channels = 1;
  std::vector<float> elements(16 * 8 * 4), out(kItems);
  std::vector<Four> points(kItems, Four{1, 0, 0, 0});
  CubinProgram program = cubes("90", "cube");
  program.number(program.handle(texture, elements)).buffer(points).buffer(out);
  EXPECT_THAT(
      [&] {
        program.run({2, 1, 1}, {32, 1, 1});
      },
      testing::ThrowsMessage<ExecutionFault>(testing::HasSubstr("6 layers for each cube")));
}

}  // namespace
}  // namespace warpscope::machine
