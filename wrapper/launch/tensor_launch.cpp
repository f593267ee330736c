#include "wrapper/launch/tensor_launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "traces/base/error.h"
#include "wrapper/launch/launch_description.h"
#include "wrapper/launch/missing_arguments.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kMapBytes = 128;

using ElementKind = ElementType::Kind;

/// What tensormap.replace calls an element type. Throws InputError.
std::uint32_t type_of(const TensorDescription& tensor, const ElementType& element, const std::string& where) {
  struct Named {
    const char* name;
    std::uint32_t number, bytes;
  };
  static constexpr Named kNamed[] = {{"f32_ftz", 8, 4}, {"bf16", 10, 2}, {"tf32", 11, 4}};
  struct Known {
    ElementKind kind;
    std::uint32_t bytes, number;
  };
  static constexpr Known kKnown[] = {
      {ElementKind::Unsigned, 1, 0}, {ElementKind::Unsigned, 2, 1}, {ElementKind::Unsigned, 4, 2},
      {ElementKind::Signed, 4, 3},   {ElementKind::Unsigned, 8, 4}, {ElementKind::Signed, 8, 5},
      {ElementKind::Floating, 2, 6}, {ElementKind::Floating, 4, 7}, {ElementKind::Floating, 8, 9},
      {ElementKind::Signed, 1, 0},   {ElementKind::Signed, 2, 1}};
  if (!tensor.elements.empty()) {
    for (const Named& one : kNamed)
      if (tensor.elements == one.name && one.bytes == element.size) return one.number;
    throw InputError(
        fmt::format("{}: elements {} of type {}, expected bf16 of a type of 2 bytes, f32_ftz or tf32 of 4",
                    where, tensor.elements, element.name));
  }
  for (const Known& one : kKnown)
    if (element.lanes == 1 && element.kind == one.kind && element.size == one.bytes) return one.number;
  throw InputError(
      fmt::format("{}: elements of type {}, expected one integer or real number, such as type=half", where,
                  element.name));
}

/// The place of a word in a list of numbers of bytes; none is 0. Throws InputError.
std::uint32_t place_of(const std::string& word, std::initializer_list<const char*> list, const char* what,
                       const std::string& where) {
  if (word.empty()) return 0;
  const auto found = std::find(list.begin(), list.end(), word);
  if (found == list.end())
    throw InputError(fmt::format("{}: {} '{}', expected {}", where, what, word, fmt::join(list, ", ")));
  return static_cast<std::uint32_t>(found - list.begin());
}

void check_count(const std::vector<std::string>& list, std::size_t expected, const char* what,
                 const std::string& where) {
  if (list.size() != expected)
    throw InputError(fmt::format("{}: {} of {} dimensions, expected {}", where, what, list.size(), expected));
}

std::int64_t whole_number(const std::string& text, const NameLookup& names, const std::string& where) {
  const Number value = evaluate(text, names, where);
  if (!std::holds_alternative<std::int64_t>(value))
    throw InputError(fmt::format("{}: '{}' is no whole number", where, text));
  return std::get<std::int64_t>(value);
}

/// The corners, and what the box says of pixels; nothing of tiles.
void resolve_image(ResolvedTensor& resolved, const TensorDescription& tensor, const NameLookup& names,
                   const std::string& where) {
  resolved.is_im2col = true;
  const std::size_t given = tensor.sizes.size();
  if (given < 3)
    throw InputError(
        fmt::format("{}: corners of a tensor of {} sizes, expected three to five", where, given));
  check_count(tensor.lower, given - 2, "lower", where);
  check_count(tensor.upper, given - 2, "upper", where);
  if (tensor.box.size() != 2)
    throw InputError(
        fmt::format("{}: box of {} numbers, expected channels and pixels", where, tensor.box.size()));
  resolved.box[0] = evaluate_size(tensor.box[0], names, where, 1);
  resolved.pixels = evaluate_size(tensor.box[1], names, where, 1);
  for (std::size_t axis = 0; axis + 2 < given; ++axis) {
    resolved.lower[axis] = whole_number(tensor.lower[axis], names, where);
    resolved.upper[axis] = whole_number(tensor.upper[axis], names, where);
  }
}

}  // namespace

bool parse_tensor_word(std::optional<TensorDescription>& tensor, const std::string& key,
                       const std::string& value) {
  const bool is_tensor = key.empty() && value.starts_with("tensor(") && value.ends_with(')');
  using Words = std::vector<std::string> TensorDescription::*;
  using Word = std::string TensorDescription::*;
  static constexpr std::pair<const char*, Words> kLists[] = {{"box", &TensorDescription::box},
                                                             {"strides", &TensorDescription::strides},
                                                             {"steps", &TensorDescription::steps},
                                                             {"lower", &TensorDescription::lower},
                                                             {"upper", &TensorDescription::upper}};
  static constexpr std::pair<const char*, Word> kWords[] = {
      {"swizzle", &TensorDescription::swizzle}, {"interleave", &TensorDescription::interleave},
      {"outside", &TensorDescription::outside}, {"elements", &TensorDescription::elements},
      {"of", &TensorDescription::of},           {"offset", &TensorDescription::offset}};
  const auto with = [&]() -> TensorDescription& { return tensor ? *tensor : tensor.emplace(); };
  if (is_tensor) with().sizes = parts_of(value.substr(std::string("tensor").size()));
  if (is_tensor) return true;
  for (const auto& [name, member] : kLists)
    if (key == name) {
      with().*member = parts_of(value);
      return true;
    }
  for (const auto& [name, member] : kWords)
    if (key == name) {
      with().*member = value;
      return true;
    }
  return false;
}

ResolvedTensor resolve_tensor(const TensorDescription& tensor, const ElementType& element,
                              const NameLookup& names, const std::string& where) {
  ResolvedTensor resolved;
  const auto size_of = [&](const std::string& size, std::uint64_t least) {
    return evaluate_size(size, names, where, least);
  };
  const std::size_t given = tensor.sizes.size();
  if (given < 1 || given > ResolvedTensor::kMost)
    throw InputError(fmt::format("{}: {} sizes, expected one to five such as tensor(256,256)", where, given));
  const bool is_tiled = tensor.lower.empty() && tensor.upper.empty();
  if (is_tiled)
    check_count(tensor.box, given, "box", where);
  else
    resolve_image(resolved, tensor, names, where);
  if (!tensor.steps.empty()) check_count(tensor.steps, given, "steps", where);
  if (!tensor.strides.empty()) check_count(tensor.strides, given - 1, "strides", where);
  resolved.dimensions = static_cast<std::uint32_t>(given);
  resolved.type = type_of(tensor, element, where);
  resolved.swizzle = place_of(tensor.swizzle, {"0", "32", "64", "128"}, "swizzle", where);
  resolved.interleave = place_of(tensor.interleave, {"0", "16", "32"}, "interleave", where);
  resolved.is_filled_by_nan = place_of(tensor.outside, {"zero", "nan"}, "outside", where) == 1;
  resolved.of = tensor.of;
  if (!tensor.offset.empty()) resolved.offset = size_of(tensor.offset, 0);
  std::uint64_t next = element.size, last = 0;
  for (std::size_t d = 0; d < given; ++d) {
    resolved.size[d] = size_of(tensor.sizes[d], 1);
    if (is_tiled) resolved.box[d] = size_of(tensor.box[d], 1);
    if (!tensor.steps.empty()) resolved.steps[d] = size_of(tensor.steps[d], 1);
    if (d > 0 && !tensor.strides.empty()) next = size_of(tensor.strides[d - 1], 1);
    if (d > 0) resolved.strides[d - 1] = next;
    last += (resolved.size[d] - 1) * next;
    next *= resolved.size[d];
  }
  resolved.bytes = last + element.size;
  return resolved;
}

void settle_tensors(KernelSignature& kernel, const LaunchDescription& launch) {
  for (std::size_t index = 0; index < kernel.parameters.size(); ++index) {
    ParameterSignature& parameter = kernel.parameters[index];
    const ArgumentDescription* const given = description_of(launch, kernel, index);
    if (given == nullptr || !given->tensor) continue;
    if (parameter.kind != ParameterSignature::Kind::Value || parameter.element.size != kMapBytes)
      throw InputError(fmt::format("{}: '{}' is of type {}, expected a CUtensorMap, which has {} bytes",
                                   given->where, parameter.name, parameter.type, kMapBytes));
    parameter.is_tensor = true;
    parameter.type = "CUtensorMap";
    if (!given->tensor->of.empty()) continue;
    parameter.kind = ParameterSignature::Kind::Buffer;
    parameter.element = *builtin_type("float");
  }
}

}  // namespace warpscope
