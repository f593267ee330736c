#include <algorithm>

#include "wrapper/launch/kernel_signatures.h"

namespace warpscope {
namespace {

struct Scalar {
  const char* name;
  ElementType::Kind kind;
  std::uint32_t size;
};

// OpenCL C 1.2, section 6.1.1, for a device with 64-bit addresses.
constexpr Scalar kScalars[] = {
    {"char", ElementType::Kind::Signed, 1},
    {"uchar", ElementType::Kind::Unsigned, 1},
    {"signed char", ElementType::Kind::Signed, 1},
    {"unsigned char", ElementType::Kind::Unsigned, 1},
    {"bool", ElementType::Kind::Unsigned, 1},
    {"short", ElementType::Kind::Signed, 2},
    {"ushort", ElementType::Kind::Unsigned, 2},
    {"unsigned short", ElementType::Kind::Unsigned, 2},
    {"int", ElementType::Kind::Signed, 4},
    {"uint", ElementType::Kind::Unsigned, 4},
    {"unsigned int", ElementType::Kind::Unsigned, 4},
    {"unsigned", ElementType::Kind::Unsigned, 4},
    {"long", ElementType::Kind::Signed, 8},
    {"ulong", ElementType::Kind::Unsigned, 8},
    {"unsigned long", ElementType::Kind::Unsigned, 8},
    {"size_t", ElementType::Kind::Unsigned, 8},
    {"ptrdiff_t", ElementType::Kind::Signed, 8},
    {"intptr_t", ElementType::Kind::Signed, 8},
    {"uintptr_t", ElementType::Kind::Unsigned, 8},
    {"half", ElementType::Kind::Floating, 2},
    {"float", ElementType::Kind::Floating, 4},
    {"double", ElementType::Kind::Floating, 8},
};

constexpr std::uint32_t kLanes[] = {16, 8, 4, 3, 2};

}  // namespace

std::optional<ElementType> builtin_type(const std::string& name) {
  std::string base = name;
  std::uint32_t lanes = 1;
  for (const std::uint32_t count : kLanes) {
    const std::string suffix = std::to_string(count);
    if (!base.ends_with(suffix)) continue;
    lanes = count;
    base.resize(base.size() - suffix.size());
    break;
  }
  const auto* found = std::find_if(std::begin(kScalars), std::end(kScalars),
                                   [&](const Scalar& scalar) { return base == scalar.name; });
  if (found == std::end(kScalars)) return std::nullopt;
  return ElementType{name, found->kind, found->size * (lanes == 3 ? 4 : lanes), lanes};
}

}  // namespace warpscope
