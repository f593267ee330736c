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

/// Multiplications per cycle of the types in an instruction's name; 0: not known.
double products_per_cycle(std::string_view name, const MachineTimes& times) {
  const auto has = [name](std::string_view text) { return name.find(text) != std::string_view::npos; };
  const double halves = times.tensor_half_products;
  if (name.starts_with("DMMA")) return times.tensor_double_products;
  if (name.starts_with("BMMA")) return halves * 16;
  if (name.starts_with("IMMA")) return halves * (has(".S4") || has(".U4") ? 4 : 2);
  const bool is_slower = has(".F32") && times.tensor_single_sum_products != 0;
  const double floats = is_slower ? times.tensor_single_sum_products : halves;
  if (name.starts_with("QMMA")) return floats * 2;
  return has(".TF32") ? floats / 2 : floats;
}

}  // namespace

std::uint32_t tensor_interval(std::string_view name, const MachineTimes& times) {
  const double rate = products_per_cycle(name, times);
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
