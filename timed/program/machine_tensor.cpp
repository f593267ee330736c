#include "timed/program/machine_tensor.h"

#include <algorithm>
#include <cmath>

namespace warpscope::timed {
namespace {

struct Shape {
  std::string_view name;
  std::uint32_t products;  ///< multiplications of a warp: m · n · k
};
constexpr Shape kShapes[] = {{".884", 8 * 8 * 4},       {".1684", 16 * 8 * 4},    {".1688", 16 * 8 * 8},
                             {".16816", 16 * 8 * 16},   {".8816", 8 * 8 * 16},    {".8832", 8 * 8 * 32},
                             {".16832", 16 * 8 * 32},   {".16864", 16 * 8 * 64},  {".88128", 8 * 8 * 128},
                             {".168128", 16 * 8 * 128}, {".168256", 16 * 8 * 256}};

/// Multiplications per cycle, over those of halves: of the types in an instruction's name.
double rate_over_halves(std::string_view name) {
  const auto has = [name](std::string_view text) { return name.find(text) != std::string_view::npos; };
  if (name.starts_with("QMMA")) return 2;
  if (name.starts_with("BMMA")) return 16;
  if (name.starts_with("IMMA")) return has(".S4") || has(".U4") ? 4 : 2;
  return has(".TF32") ? 0.5 : 1;
}

}  // namespace

std::uint32_t tensor_interval(std::string_view name, const MachineTimes& times) {
  const double of_doubles = times.tensor_double_products, of_halves = times.tensor_half_products;
  const double rate = name.starts_with("DMMA") ? of_doubles : of_halves * rate_over_halves(name);
  if (rate == 0) return 1;
  std::uint32_t products = 0;
  for (const Shape& shape : kShapes) {
    const std::size_t at = name.find(shape.name);
    if (at == std::string_view::npos) continue;
    const std::size_t end = at + shape.name.size();
    if (end == name.size() || name[end] == '.') products = shape.products;
  }
  const bool is_sparse = name.find(".SP") != std::string_view::npos;
  const double cycles = products / rate / (is_sparse ? 2 : 1);
  return std::max(1u, static_cast<std::uint32_t>(std::lround(cycles)));
}

}  // namespace warpscope::timed
