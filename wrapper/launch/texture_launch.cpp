#include "wrapper/launch/texture_launch.h"

#include <fmt/format.h>

#include <algorithm>

#include "traces/base/error.h"
#include "wrapper/launch/launch_description.h"
#include "wrapper/launch/missing_arguments.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kHandleBytes = 8;
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 27;  ///< along a dimension: that of linear memory

/// The place of a word in a list. Throws InputError.
template <std::size_t N>
std::uint8_t one_of(const char* const (&words)[N], const std::string& word, const std::string& what,
                    const std::string& where) {
  std::string list;
  for (std::size_t place = 0; place < N; ++place) {
    if (word == words[place]) return static_cast<std::uint8_t>(place);
    list.append(list.empty() ? "" : ", ").append(words[place]);
  }
  throw InputError(fmt::format("{}: {} '{}', expected one of: {}", where, what, word, list));
}

bool is_element(const ElementType& type) {
  const std::uint32_t bytes = type.component_size();
  const bool has_size = bytes == 4 || bytes == 2 || (bytes == 1 && type.kind != ElementType::Kind::Floating);
  return type.kind != ElementType::Kind::Opaque && has_size &&
         (type.lanes == 1 || type.lanes == 2 || type.lanes == 4);
}

void check_reading(const ResolvedTexture& texture, const std::string& where) {
  const bool is_real = texture.element.kind == ElementType::Kind::Floating;
  if (texture.is_fraction && (is_real || texture.element.component_size() > 2))
    throw InputError(fmt::format("{}: read=fractions of {}, expected integers of 8 or 16 bits", where,
                                 texture.element.name));
  if (texture.is_linear && !is_real && !texture.is_fraction)
    throw InputError(fmt::format("{}: filter=linear of {}, expected floats, or integers with read=fractions",
                                 where, texture.element.name));
}

}  // namespace

std::vector<std::string> parts_of(std::string text) {
  if (text.starts_with('(') && text.ends_with(')')) text = text.substr(1, text.size() - 2);
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else if (c != ' ')
      parts.back() += c;
  }
  return parts;
}

bool parse_texture_word(std::optional<TextureDescription>& texture, const std::string& key,
                        const std::string& value, const std::string& where) {
  const bool is_texture = key.empty() && value.starts_with("texture(") && value.ends_with(')');
  const bool is_surface = key.empty() && value.starts_with("surface(") && value.ends_with(')');
  const bool is_known =
      key == "filter" || key == "address" || key == "coordinates" || key == "read" || key == "layered";
  if (!is_texture && !is_surface && !is_known) return false;
  if (!texture) texture.emplace();
  if (is_texture || is_surface) {
    texture->is_surface = is_surface;
    texture->sizes = parts_of(value.substr(std::string("texture").size()));
  }
  if (key == "filter") texture->filter = value;
  if (key == "address") texture->address = parts_of(value);
  if (key == "coordinates") texture->coordinates = value;
  if (key == "read") texture->read = value;
  if (key == "layered") texture->is_layered = one_of({"0", "1"}, value, "layered", where) == 1;
  return true;
}

ResolvedTexture resolve_texture(const TextureDescription& texture, const ElementType& element,
                                const std::function<std::uint64_t(const std::string&)>& size_of,
                                const std::string& where) {
  ResolvedTexture resolved;
  const std::size_t given = texture.sizes.size();
  if (given < 1 || given > 3 || (texture.is_layered && given < 2))
    throw InputError(fmt::format("{}: {} sizes, expected one to three such as texture(256,256){}", where,
                                 given, texture.is_layered ? ", the last one the number of layers" : ""));
  if (!is_element(element))
    throw InputError(
        fmt::format("{}: elements of type {}, expected 1, 2 or 4 integers of 8, 16 or 32 bits, or "
                    "floats, such as type=float4",
                    where, element.name));
  resolved.is_surface = texture.is_surface;
  resolved.has_layers = texture.is_layered;
  resolved.dimensions = static_cast<unsigned>(given) - (texture.is_layered ? 1 : 0);
  resolved.element = element;
  for (std::size_t number = 0; number < given; ++number) {
    const std::uint64_t size = size_of(texture.sizes[number]);
    if (size > kMostElements)
      throw InputError(fmt::format("{}: size {}, expected at most {}", where, size, kMostElements));
    const bool is_layers = texture.is_layered && number + 1 == given;
    resolved.size[is_layers ? 2 : number] = static_cast<std::uint32_t>(size);
  }
  const auto word_or = [](const std::string& word, const char* none) { return word.empty() ? none : word; };
  resolved.is_linear = one_of({"point", "linear"}, word_or(texture.filter, "point"), "filter", where) == 1;
  resolved.is_normalized =
      one_of({"elements", "normalized"}, word_or(texture.coordinates, "elements"), "coordinates", where) == 1;
  resolved.is_fraction =
      one_of({"elements", "fractions"}, word_or(texture.read, "elements"), "read", where) == 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string mode =
        texture.address.empty() ? "clamp" : texture.address[std::min(axis, texture.address.size() - 1)];
    resolved.modes[axis] = one_of({"wrap", "clamp", "mirror", "border"}, mode, "address", where);
  }
  check_reading(resolved, where);
  return resolved;
}

void settle_textures(KernelSignature& kernel, const LaunchDescription& launch) {
  for (std::size_t index = 0; index < kernel.parameters.size(); ++index) {
    ParameterSignature& parameter = kernel.parameters[index];
    const ArgumentDescription* const given = description_of(launch, kernel, index);
    if (given == nullptr || !given->texture) continue;
    const bool is_open = parameter.kind == ParameterSignature::Kind::Buffer && parameter.element.size == 0 &&
                         parameter.element.kind == ElementType::Kind::Opaque &&
                         !parameter.type.ends_with('*');
    const bool is_handle =
        parameter.kind == ParameterSignature::Kind::Value && parameter.element.size == kHandleBytes;
    if (!is_open && !is_handle)
      throw InputError(
          fmt::format("{}: '{}' is of type {}, expected a cudaTextureObject_t or a "
                      "cudaSurfaceObject_t, which have 8 bytes",
                      given->where, parameter.name, parameter.type));
    parameter.kind = ParameterSignature::Kind::Buffer;
    parameter.type = given->texture->is_surface ? "cudaSurfaceObject_t" : "cudaTextureObject_t";
    parameter.element = *builtin_type("float");
    parameter.is_texture = true;
  }
}

}  // namespace warpscope
