#include "wrapper/launch/resolved_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "passes/RuntimeABI.h"
#include "traces/base/error.h"
#include "traces/base/names.h"
#include "wrapper/launch/buffer_fill.h"
#include "wrapper/launch/expressions/expression.h"
#include "wrapper/launch/expressions/launch_names.h"
#include "wrapper/launch/missing_arguments.h"

namespace warpscope {
namespace {

constexpr const char* kAxes[] = {"x", "y", "z"};

std::uint64_t& axis(Dim3& sizes, std::size_t dimension) {
  return dimension == 0 ? sizes.x : dimension == 1 ? sizes.y : sizes.z;
}

std::string to_text(const Number& value) {
  return std::visit([](auto v) { return fmt::format("{}", v); }, value);
}

/// Resolves one launch; the members are filled in the order of resolve().
class Resolver {
 public:
  Resolver(const LaunchDescription& launch, const KernelSignature& kernel, const LaunchLimits& limits,
           const BufferSizes& measured)
      : launch_(launch),
        limits_(limits),
        measured_(measured),
        names_(
            launch.defines, [this](const std::string& name) { return scalar_named(name); },
            fmt::format("a scalar argument of kernel '{}'", kernel.name)) {
    result_.kernel = kernel;
  }

  ResolvedLaunch resolve() {
    check_names();
    resolve_sizes();
    for (std::size_t index = 0; index < result_.kernel.parameters.size(); ++index)
      result_.arguments.push_back(resolve_argument(index));
    return std::move(result_);
  }

 private:
  [[nodiscard]] const KernelSignature& kernel() const { return result_.kernel; }

  [[nodiscard]] std::string parameter_list() const {
    std::string list;
    for (const ParameterSignature& parameter : kernel().parameters)
      list.append(list.empty() ? "" : ", ").append(parameter.type).append(" ").append(parameter.name);
    return list;
  }

  void check_names() const {
    for (const auto& [name, argument] : launch_.arguments) {
      const bool known = std::any_of(kernel().parameters.begin(), kernel().parameters.end(),
                                     [&, &wanted = name](const auto& p) { return p.name == wanted; });
      if (!known)
        throw InputError(fmt::format("{}: kernel '{}' has no argument '{}', expected one of ({})",
                                     argument.where, kernel().name, name, parameter_list()));
    }
    if (!launch_.positional.empty() && launch_.positional.size() != kernel().parameters.size())
      throw InputError(fmt::format("{}: {} arguments, expected {} for kernel '{}' ({})", launch_.where,
                                   launch_.positional.size(), kernel().parameters.size(), kernel().name,
                                   parameter_list()));
  }

  [[nodiscard]] const ArgumentDescription* description(std::size_t index) const {
    return description_of(launch_, kernel(), index);
  }

  void resolve_sizes() {
    if (launch_.global.empty()) ask();
    const std::size_t dimensions =
        std::max({launch_.global.size(), launch_.local.size(), launch_.offset.size()});
    for (std::size_t d = 0; d < launch_.global.size(); ++d)
      axis(result_.global, d) = size_of(launch_.global[d], fmt::format("global size {}", kAxes[d]), 1);
    names_.set_global(result_.global);
    for (std::size_t d = 0; d < launch_.offset.size(); ++d)
      axis(result_.offset, d) = size_of(launch_.offset[d], fmt::format("global offset {}", kAxes[d]), 0);
    resolve_local(dimensions);
    names_.set_local(result_.local);
    result_.dimensions = static_cast<std::uint32_t>(dimensions);
    while (result_.dimensions > 1 && trailing_dimension_is_one()) --result_.dimensions;
    check_divisible(result_.global, result_.local);
    check_group_count();
    check_ids();
  }

  void check_ids() {
    for (std::size_t d = 0; d < 3; ++d)
      if (axis(result_.offset, d) + axis(result_.global, d) > WARPSCOPE_MOST_IDS)
        throw InputError(fmt::format(
            "global size {} and global offset {} in dimension {}, expected at most 2^31 - 1 together",
            axis(result_.global, d), axis(result_.offset, d), kAxes[d]));
  }

  // Every size is at most 2^40, so the products of two fit; a third factor may not.
  void check_group_count() const {
    constexpr std::uint64_t kMost = (std::uint64_t{1} << 32) - 1;  // PoCL counts in 32 bits
    const Dim3 groups{result_.global.x / result_.local.x, result_.global.y / result_.local.y,
                      result_.global.z / result_.local.z};
    if (groups.x > kMost / groups.y || groups.x * groups.y > kMost / groups.z)
      throw InputError(
          fmt::format("{}x{}x{} work-groups, expected at most 2^32 - 1 (global size / local size)", groups.x,
                      groups.y, groups.z));
  }

  // Keeps the dimensions the user named, except for the ones of a .sim file that say nothing.
  [[nodiscard]] bool trailing_dimension_is_one() {
    const std::size_t last = result_.dimensions - 1;
    return axis(result_.global, last) == 1 && axis(result_.local, last) == 1 &&
           axis(result_.offset, last) == 0;
  }

  void resolve_local(std::size_t dimensions) {
    for (std::size_t d = 0; d < launch_.local.size(); ++d)
      axis(result_.local, d) = size_of(launch_.local[d], fmt::format("local size {}", kAxes[d]), 1);
    if (const auto& given = kernel().required_local) {
      const auto& [x, y, z] = *given;
      const Dim3 required{x, y, z};
      if (!launch_.local.empty() && result_.local != required)
        throw InputError(
            fmt::format("kernel '{}': local size {}x{}x{}, expected {}x{}x{} (reqd_work_group_size)",
                        kernel().name, result_.local.x, result_.local.y, result_.local.z, x, y, z));
      if (launch_.local.empty()) note(fmt::format("local size {},{},{} (reqd_work_group_size)", x, y, z));
      result_.local = required;
    } else if (launch_.local.empty()) {
      infer_local(dimensions);
    }
    if (result_.local.count() > limits_.local_items)
      throw InputError(fmt::format("local size {}x{}x{} = {} work-items per work-group, expected at most {}",
                                   result_.local.x, result_.local.y, result_.local.z, result_.local.count(),
                                   limits_.local_items));
  }

  // 256 work-items, as square as possible in two dimensions: what most kernels are written for.
  void infer_local(std::size_t dimensions) {
    std::uint64_t budget = std::min<std::uint64_t>(256, limits_.local_items);
    const std::uint64_t widest = dimensions == 1 ? budget : 16;
    for (std::size_t d = 0; d < dimensions; ++d) {
      std::uint64_t size = 1;
      while (2 * size <= std::min(widest, budget) && axis(result_.global, d) % (2 * size) == 0) size *= 2;
      axis(result_.local, d) = size;
      budget /= size;
    }
    note(fmt::format("local size {},{},{} (not given; --local sets it)", result_.local.x, result_.local.y,
                     result_.local.z));
  }

  std::uint64_t size_of(const std::string& text, const std::string& what, std::uint64_t least) {
    return evaluate_size(text, names_.lookup(), what, least);
  }

  /// Value of a scalar argument, for the names in expressions.
  std::optional<Number> scalar_named(const std::string& name) {
    const std::size_t index = parameter_index(name);
    if (index == kernel().parameters.size() ||
        kernel().parameters[index].kind != ParameterSignature::Kind::Value)
      return std::nullopt;
    return scalar(index);
  }

  [[nodiscard]] std::size_t parameter_index(const std::string& name) const {
    const auto found = std::find_if(kernel().parameters.begin(), kernel().parameters.end(),
                                    [&](const ParameterSignature& p) { return p.name == name; });
    return static_cast<std::size_t>(found - kernel().parameters.begin());
  }

  Number scalar(std::size_t index) {
    const ParameterSignature& parameter = kernel().parameters[index];
    const ArgumentDescription* given = description(index);
    if (given == nullptr) ask();
    if (!given->value) not_a_value(parameter, *given);
    const Number value = names_.value_of(parameter.name, *given->value, given->where);
    // Said here, or a size that is computed from it would be what is reported.
    std::vector<std::uint8_t> bytes;
    if (parameter.element.kind != ElementType::Kind::Opaque)
      append_component(bytes, parameter.element, value, given->where);
    return value;
  }

  [[noreturn]] void ask() const {
    const bool is_known = !launch_.global.empty();
    throw MissingArguments(
        missing_arguments(launch_, kernel(), false, is_known ? std::optional(result_.global) : std::nullopt));
  }

  [[noreturn]] static void not_a_value(const ParameterSignature& parameter,
                                       const ArgumentDescription& given) {
    throw InputError(fmt::format("{}: '{}' is a value of type {}, expected --arg {}=VALUE", given.where,
                                 parameter.name, parameter.type, parameter.name));
  }

  ResolvedArgument resolve_argument(std::size_t index) {
    const ParameterSignature& parameter = kernel().parameters[index];
    ResolvedArgument argument;
    argument.parameter = parameter;
    argument.element = parameter.element;
    const ArgumentDescription* given = description(index);
    switch (parameter.kind) {
      case ParameterSignature::Kind::Value:
        resolve_value(argument, given);
        break;
      case ParameterSignature::Kind::Local:
        resolve_local_memory(argument, given);
        break;
      case ParameterSignature::Kind::Buffer:
        resolve_buffer(argument, given, index);
        break;
      case ParameterSignature::Kind::Unsupported:
        throw InputError(
            fmt::format("kernel '{}': argument '{}' is of type '{}', expected buffers, local memory and "
                        "values (images, samplers and pipes cannot be set from a launch file)",
                        kernel().name, parameter.name, parameter.type));
    }
    return argument;
  }

  void resolve_value(ResolvedArgument& argument, const ArgumentDescription* given) {
    const ElementType& type = argument.parameter.element;
    if (given == nullptr) ask();
    if (argument.parameter.is_tensor) {
      argument.tensor = tensor_of(argument.parameter, *given, given->where);
      argument.text = fmt::format("a tensor map of '{}'", argument.tensor->of);
      return;
    }
    if (given->texture || given->tensor)
      throw InputError(fmt::format(
          "{}: '{}' as a {}, which launches take only with --machine; "
          "elsewhere a program sets it",
          given->where, argument.parameter.name, given->tensor ? "tensor map" : "texture or a surface"));
    if (given->fill && type.kind == ElementType::Kind::Opaque && given->fill->kind == Fill::Kind::File) {
      argument.bytes = fill_bytes(*given->fill, type, type.size, names_.lookup(), given->where);
      argument.text = given->fill->path;
      return;
    }
    // .sim files also fill values.
    if (given->fill && given->bytes && type.kind != ElementType::Kind::Opaque) {
      argument.bytes = fill_bytes(*given->fill, type, type.size, names_.lookup(), given->where);
      argument.text = given->fill->parameters.empty() ? "0" : given->fill->parameters[0];
      return;
    }
    if (!given->value || given->count || given->fill || given->is_null)
      not_a_value(argument.parameter, *given);
    if (type.kind == ElementType::Kind::Opaque)
      throw InputError(
          fmt::format("{}: a value of type {} can only come from a file, expected fill=file:PATH",
                      given->where, argument.parameter.type));
    std::vector<Number> components = names_.list(*given->value, given->where);
    if (components.size() != 1 && components.size() != type.lanes)
      throw InputError(fmt::format("{}: {} values, expected {} for type {}", given->where, components.size(),
                                   type.lanes, argument.parameter.type));
    if (components.size() == 1) components.resize(type.lanes, components[0]);
    for (const Number& component : components) {
      append_component(argument.bytes, type, component, given->where);
      argument.text.append(argument.text.empty() ? "" : ",").append(to_text(component));
    }
    argument.bytes.resize(type.size);
  }

  void resolve_local_memory(ResolvedArgument& argument, const ArgumentDescription* given) {
    const ParameterSignature& parameter = argument.parameter;
    if (given == nullptr) ask();
    if (given->fill || given->is_null)
      throw InputError(fmt::format("{}: '{}' is local memory and has no content, expected a size in bytes",
                                   given->where, parameter.name));
    const auto& bytes = given->bytes ? given->bytes : given->value;
    argument.size = byte_size(given->count, bytes, element_of(parameter, *given), given->where);
    argument.text = std::to_string(argument.size);
  }

  ResolvedTensor tensor_of(const ParameterSignature& parameter, const ArgumentDescription& given,
                           const std::string& where) {
    ElementType element = element_of(parameter, given);
    if (!given.type) element = *builtin_type("float");
    return resolve_tensor(*given.tensor, element, names_.lookup(), where);
  }

  [[nodiscard]] ElementType element_of(const ParameterSignature& parameter,
                                       const ArgumentDescription& given) const {
    if (!given.type) return parameter.element;
    const auto type = builtin_type(*given.type);
    if (!type)
      throw InputError(fmt::format("{}: unknown type '{}', expected one such as float, uint or int4",
                                   given.where, *given.type));
    return *type;
  }

  std::uint64_t byte_size(const std::optional<std::string>& count, const std::optional<std::string>& bytes,
                          const ElementType& element, const std::string& where) {
    std::uint64_t size = 0;
    if (count) {
      if (element.size == 0)
        throw InputError(fmt::format(
            "{}: the size of '{}' is not known, expected bytes= instead of count=", where, element.name));
      size = evaluate_size(*count, names_.lookup(), where, 1);
      if (size > limits_.buffer_bytes / element.size)
        size = limits_.buffer_bytes + 1;
      else
        size *= element.size;
    } else if (bytes) {
      size = evaluate_size(*bytes, names_.lookup(), where, 1);
    }
    if (size == 0 || size > limits_.buffer_bytes)
      throw InputError(fmt::format("{}: {} bytes, expected 1 to {}", where, size, limits_.buffer_bytes));
    return size;
  }

  void resolve_buffer(ResolvedArgument& argument, const ArgumentDescription* given, std::size_t index) {
    const ParameterSignature& parameter = argument.parameter;
    static const ArgumentDescription nothing;
    const ArgumentDescription& spec = given != nullptr ? *given : nothing;
    if (spec.is_null) {
      argument.is_null = true;
      return;
    }
    const ElementType element = element_of(parameter, spec);
    argument.element = element;
    const std::string where = given != nullptr ? spec.where : fmt::format("argument '{}'", parameter.name);
    // A .sim file lists a buffer's values; elsewhere a lone expression is the count.
    const bool lists_values = spec.bytes && spec.value;
    const auto& count = spec.count || spec.bytes ? spec.count : spec.value;
    if (parameter.is_texture != spec.texture.has_value())
      throw InputError(fmt::format("{}: '{}' is {} texture or surface", where, parameter.name,
                                   parameter.is_texture ? "a" : "no"));
    if (parameter.is_tensor != spec.tensor.has_value())
      throw InputError(
          fmt::format("{}: '{}' is {} tensor map", where, parameter.name, parameter.is_tensor ? "a" : "no"));
    if (spec.tensor) {
      argument.tensor = tensor_of(parameter, spec, where);
      argument.size = byte_size(std::nullopt, std::to_string(argument.tensor->bytes), element, where);
    } else if (spec.texture) {
      argument.texture = resolve_texture(
          *spec.texture, element, [&](const std::string& size) { return size_of(size, where, 1); }, where);
      argument.size = byte_size(std::to_string(argument.texture->elements()), std::nullopt, element, where);
    } else if (count || spec.bytes)
      argument.size = byte_size(count, spec.bytes, element, where);
    else if (spec.fill && spec.fill->kind == Fill::Kind::File)
      argument.size = infer_from_file(parameter, *spec.fill, element, where);
    else
      argument.size = measured_size(parameter, element, where);
    if (argument.size == 0) return;  // open
    reserve(argument.size, parameter.name, where);
    if (lists_values) {
      for (const Number& component : names_.list(*spec.value, where))
        append_component(argument.bytes, element, component, where);
      if (argument.bytes.size() != argument.size)
        throw InputError(
            fmt::format("{}: values for {} bytes, expected {}", where, argument.bytes.size(), argument.size));
    } else {
      fill(argument, spec.fill ? *spec.fill : default_fill(parameter, element, index), where);
    }
  }

  void fill(ResolvedArgument& argument, const Fill& fill, const std::string& where) {
    argument.bytes = fill_bytes(fill, argument.element, argument.size, names_.lookup(), where);
    argument.fill = fill.kind;
    for (const std::string& parameter : fill.parameters)
      argument.fill_numbers.push_back(evaluate(parameter, names_.lookup(), where));
    argument.fill_path = fill.path;
  }

  /// 0: open.
  std::uint64_t measured_size(const ParameterSignature& parameter, const ElementType& element,
                              const std::string& where) {
    const auto found = measured_.find(parameter.name);
    if (found == measured_.end()) return 0;
    const std::uint64_t each = std::max<std::uint64_t>(element.size, 1);
    const std::uint64_t count = (found->second + each - 1) / each;
    if (found->second == 0)
      note(fmt::format("{}: 1 element, is not accessed", parameter.name));
    else if (element.size == 0)
      note(fmt::format("{}: {} bytes, from its accesses", parameter.name, with_commas(found->second)));
    else
      note(fmt::format("{}: {} elements, from its accesses", parameter.name, with_commas(count)));
    return byte_size(std::nullopt, std::to_string(std::max<std::uint64_t>(count, 1) * each), element, where);
  }

  std::uint64_t infer_from_file(const ParameterSignature& parameter, const Fill& fill,
                                const ElementType& element, const std::string& where) {
    const std::uint64_t size = file_size_of(fill, where);
    const std::uint64_t each = std::max<std::uint64_t>(element.size, 1);
    if (size % each != 0)
      throw InputError(fmt::format("{}: {}: {} bytes, expected a multiple of {} ({})", where, fill.path, size,
                                   each, element.name));
    note(fmt::format("argument '{}': {} elements of {}, the size of {}", parameter.name, size / each,
                     element.name, fill.path));
    return size;
  }

  // Before it is allocated: a system that promises more memory than it has would end the process later.
  void reserve(std::uint64_t size, const std::string& name, const std::string& where) {
    if (size > limits_.memory_bytes - reserved_)
      throw InputError(fmt::format(
          "{}: '{}' has {} bytes, expected at most {}: more do not fit into memory{}", where, name, size,
          limits_.memory_bytes - reserved_,
          reserved_ == 0 ? "" : fmt::format(" in addition to {} bytes of other buffers", reserved_)));
    reserved_ += size;
  }

  // Integers may be used as indices, so they stay below the number of elements.
  Fill default_fill(const ParameterSignature& parameter, const ElementType& element, std::size_t index) {
    Fill fill;
    if (element.kind == ElementType::Kind::Floating) {
      fill = Fill{Fill::Kind::Random, {std::to_string(index + 1)}, ""};
      note(fmt::format("argument '{}': filled with random({})", parameter.name, index + 1));
    } else if (element.kind == ElementType::Kind::Opaque) {
      fill.kind = Fill::Kind::Zero;
      note(fmt::format("argument '{}': filled with zero", parameter.name));
    } else {
      fill.kind = Fill::Kind::Iota;
      note(fmt::format("argument '{}': filled with iota", parameter.name));
    }
    return fill;
  }

  void note(std::string text) { result_.notes.push_back(std::move(text)); }

  const LaunchDescription& launch_;
  const LaunchLimits& limits_;
  const BufferSizes& measured_;
  LaunchNames names_;
  ResolvedLaunch result_;
  std::uint64_t reserved_ = 0;  ///< bytes of the buffers so far
};

}  // namespace

ResolvedLaunch resolve_launch(const LaunchDescription& launch, const KernelSignature& kernel,
                              const LaunchLimits& limits, const BufferSizes& measured) {
  return Resolver(launch, kernel, limits, measured).resolve();
}

void check_divisible(Dim3 global, Dim3 local) {
  for (std::size_t d = 0; d < 3; ++d) {
    const std::uint64_t items = axis(global, d);
    const std::uint64_t group = axis(local, d);
    if (items % group != 0)
      throw InputError(
          fmt::format("global size {} is not divisible by local size {} in dimension {}, expected a "
                      "multiple such as {}",
                      items, group, kAxes[d], (items / group + 1) * group));
  }
}

std::uint64_t file_size_of(const Fill& fill, const std::string& where) {
  std::error_code error;
  const auto size = std::filesystem::file_size(fill.path, error);
  if (error || size == 0)
    throw InputError(fmt::format("{}: {}: {}, expected a file with the buffer's content", where, fill.path,
                                 error ? error.message() : "empty"));
  return size;
}

namespace {

/// Names for a message: those that have `wanted` in them, if there are any.
std::string list_for(const std::vector<KernelSignature>& kernels, const std::string& wanted) {
  constexpr std::size_t kMost = 12;
  std::vector<std::string_view> names;
  for (const KernelSignature& kernel : kernels)
    if (kernel.name.find(wanted) != std::string::npos) names.emplace_back(kernel.name);
  if (names.empty())
    for (const KernelSignature& kernel : kernels) names.emplace_back(kernel.name);
  const std::size_t shown = std::min(kMost, names.size());
  const std::size_t others = kernels.size() - shown;
  return names_of(std::span(names).first(shown)) + (others == 0 ? "" : fmt::format(", and {} more", others));
}

}  // namespace

const KernelSignature& choose_kernel(const std::vector<KernelSignature>& kernels,
                                     const LaunchDescription& launch, const std::string& source_name) {
  const std::string list = list_for(kernels, launch.kernel.value_or(""));
  if (kernels.empty())
    throw InputError(fmt::format("{}: no kernel in this file, expected a __kernel function", source_name));
  if (launch.kernel) {
    if (const KernelSignature* found = find_named(kernels, *launch.kernel)) return *found;
    throw InputError(
        fmt::format("{}: no kernel '{}', expected one of: {}", source_name, *launch.kernel, list));
  }
  if (kernels.size() > 1)
    throw InputError(
        fmt::format("{}: {} kernels, expected --kernel with one of: {}", source_name, kernels.size(), list));
  return kernels.front();
}

}  // namespace warpscope
