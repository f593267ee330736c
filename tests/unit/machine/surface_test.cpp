// Surfaces of machine code: what the same loads, stores and reductions give on plain arrays.
#include <gmock/gmock.h>

#include "machine/execute/base/fault.h"
#include "tests/unit/machine/pictures.h"

namespace warpscope::machine {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class Surfaces : public testing::TestWithParam<std::uint32_t> {};

/// Reads and writes, thread by thread, on plain arrays. `clamps`: outside is the nearest place; else nothing.
template <class T>
void expect_surface(std::uint32_t architecture, const std::string& kernel, const Texture& surface,
                    bool clamps, bool has_row, bool has_plane, int slack) {
  std::mt19937 random(3);
  std::vector<T> memory(std::size_t{surface.size[0]} * surface.size[1] * surface.size[2] *
                        surface.element_bytes() / sizeof(T));
  for (T& one : memory)
    std::generate_n(reinterpret_cast<std::uint8_t*>(&one), sizeof(T),
                    [&] { return static_cast<std::uint8_t>(random()); });
  std::vector<T> found = memory, out(32), read(32);
  std::vector<Whole> at;
  const int columns = static_cast<int>(surface.size[0] * surface.element_bytes() / sizeof(T));
  const auto draw = [&](int size) {
    return static_cast<int>(random() % static_cast<unsigned>(size + 2 * slack)) - slack;
  };
  for (int i = 0; i < 32; ++i)  // threads write what no other one reads: columns of their own, odd ones
    at.push_back({draw(columns / 2) * 2 * static_cast<int>(sizeof(T)),
                  draw(static_cast<int>(surface.size[1])), draw(static_cast<int>(surface.size[2])),
                  (draw(columns / 2) * 2 + 1) * static_cast<int>(sizeof(T))});
  const auto place = [&](int x, const Whole& where) -> T* {
    int inside[3] = {x / static_cast<int>(sizeof(T)), has_row ? where[1] : 0, has_plane ? where[2] : 0};
    const int sizes[3] = {columns, static_cast<int>(surface.size[1]), static_cast<int>(surface.size[2])};
    for (unsigned axis = 0; axis < 3; ++axis) {
      const int kept = std::min(std::max(inside[axis], 0), sizes[axis] - 1);
      if (kept != inside[axis] && !clamps) return nullptr;
      inside[axis] = kept;
    }
    return &memory[static_cast<std::size_t>((inside[2] * sizes[1] + inside[1]) * columns + inside[0])];
  };
  for (unsigned i = 0; i < 32; ++i)
    if (const T* from = place(at[i][0], at[i])) read[i] = *from;
  if (clamps) {  // as the warp: all read before all write, lane by lane
    for (unsigned i = 0; i < 32; ++i) *place(at[i][3], at[i]) = read[i];
  } else {
    for (unsigned i = 0; i < 32; ++i)
      if (T* to = place(at[i][3], at[i])) *to = read[i];
  }
  CubinProgram program(file_of(architecture), kernel);
  program.number(program.handle(surface, found)).buffer(at).buffer(out).run({1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(0, std::memcmp(out.data(), read.data(), 32 * sizeof(T))) << kernel;
  EXPECT_EQ(0, std::memcmp(found.data(), memory.data(), memory.size() * sizeof(T))) << kernel;
}

TEST_P(Surfaces, LoadAndStoreBytes) {
  using Pair = std::array<std::uint32_t, 2>;
  using Quad = std::array<std::uint32_t, 4>;
  const struct {
    const char* name;
    unsigned dimensions;
    bool has_layers, has_row, has_plane;
  } shapes[] = {{"_line", 1, false, false, false},
                {"_plane", 2, false, true, false},
                {"_solid", 3, false, true, true},
                {"_layers", 2, true, true, true}};
  for (const auto& shape : shapes) {
    Texture surface = texture_with(shape.dimensions, shape.has_layers);
    surface.is_surface = true;
    const std::string name = shape.name;
    expect_surface<std::uint8_t>(GetParam(), "bytes" + name, surface, false, shape.has_row, shape.has_plane,
                                 2);
    expect_surface<Pair>(GetParam(), "pairs" + name, surface, true, shape.has_row, shape.has_plane, 2);
    expect_surface<Quad>(GetParam(), "fours" + name, surface, false, shape.has_row, shape.has_plane, 0);
    EXPECT_THAT(
        [&] {
          expect_surface<Quad>(GetParam(), "fours" + name, surface, false, shape.has_row, shape.has_plane, 2);
        },
        ThrowsMessage<ExecutionFault>(HasSubstr("is outside of the surface of 16 x")));
  }
}

TEST_P(Surfaces, StoreElementsAndReduce) {
  Texture surface = texture_with(2);
  surface.is_surface = true;
  surface.channel_bytes = 2;
  surface.channels = 2;
  std::vector<std::uint32_t> elements(128);
  std::vector<Whole> at;
  std::vector<Four> in;
  for (int i = 0; i < 32; ++i)
    at.push_back({i % 18, i / 4, 0, 1 + i}),
        in.push_back({static_cast<float>(i), static_cast<float>(2 * i), 9, 9});
  CubinProgram formatted(file_of(GetParam()), "formatted");
  formatted.number(formatted.handle(surface, elements)).buffer(at).buffer(in).run({1, 1, 1}, {32, 1, 1});
  std::vector<std::uint32_t> wanted(128);
  for (unsigned i = 0; i < 32; ++i)
    if (at[i][0] < 16) {
      Picture pair{surface, {static_cast<double>(i), static_cast<double>(2 * i)}};
      const std::vector<std::uint8_t> bytes = bytes_of(pair);
      std::memcpy(&wanted[static_cast<unsigned>(at[i][1] * 16 + at[i][0])], bytes.data(), 4);
    }
  EXPECT_EQ(elements, wanted);

  surface.channels = 1;
  surface.channel_bytes = 4;
  surface.kind = TexelKind::Signed;
  std::vector<std::int32_t> sums(128, -990), model = sums;
  std::vector<Whole> places;
  for (int i = 0; i < 32; ++i) places.push_back({i % 3 * 16, i % 2 * 2, 0, i});
  CubinProgram reduced(file_of(GetParam()), "reduced");
  reduced.number(reduced.handle(surface, sums)).buffer(places).run({1, 1, 1}, {32, 1, 1});
  for (const Whole& one : places) model[static_cast<unsigned>(one[1] * 16 + one[0] / 4)] += one[3];
  for (const Whole& one : places) {
    std::int32_t& most = model[static_cast<unsigned>(one[1] * 16 + one[0] / 4 + 1)];
    most = std::max(most, one[3] - 1000);
  }
  for (const Whole& one : places) {
    std::int32_t& least = model[static_cast<unsigned>(one[1] * 16 + one[0] / 4 + 2)];
    least = std::min(least, one[3] - 1000);
  }
  for (const Whole& one : places) {
    std::int32_t* low = &model[static_cast<unsigned>((one[1] + 1) * 16 + one[0] / 4)];
    const std::uint64_t sum =
        (static_cast<std::uint32_t>(low[0]) | std::uint64_t{static_cast<std::uint32_t>(low[1])} << 32) +
        (static_cast<std::uint64_t>(one[3]) << 30);
    low[0] = static_cast<std::int32_t>(sum);
    low[1] = static_cast<std::int32_t>(sum >> 32);
  }
  EXPECT_EQ(sums, model);
}

TEST_P(Surfaces, HandlesThatAreNoneEndTheLaunch) {
  std::vector<Four> points(32), out(32);
  std::vector<float> elements(512);
  Texture texture = texture_with(2);
  CubinProgram program(file_of(GetParam()), "plane");
  program.handle(texture, elements);
  program.number(std::uint64_t{2}).buffer(points).buffer(out);
  EXPECT_THAT(
      [&] {
        program.run({1, 1, 1}, {32, 1, 1});
      },
      ThrowsMessage<ExecutionFault>(HasSubstr("no texture or surface of the launch has the handle 0x2")));
  texture.is_surface = true;
  program.handle(texture, elements);
  EXPECT_THAT(
      [&] {
        program.run({1, 1, 1}, {32, 1, 1});
      },
      ThrowsMessage<ExecutionFault>(HasSubstr("the handle 0x2 is that of a surface")));
}

INSTANTIATE_TEST_SUITE_P(Architectures, Surfaces, testing::Values(75, 80, 90));

}  // namespace
}  // namespace warpscope::machine
