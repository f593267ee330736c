#include "wrapper/launch/evaluated_launch.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <variant>

#include "traces/base/error.h"
#include "wrapper/launch/expressions/launch_names.h"
#include "wrapper/launch/resolved_launch.h"

namespace warpscope {
namespace {

/// Evaluates one description; the parts are done in the order of evaluate().
class Evaluator {
 public:
  explicit Evaluator(const LaunchDescription& launch)
      : launch_(launch),
        names_(
            launch.defines, [this](const std::string& name) { return scalar(name); }, "a scalar argument") {}

  EvaluatedLaunch evaluate() {
    result_.kernel = launch_.kernel;
    result_.defines = launch_.defines;
    result_.build_options = launch_.build_options;
    result_.sizes = launch_.sizes;
    evaluate_sizes();
    evaluate_defines();
    for (const auto& [name, given] : launch_.arguments) result_.arguments.push_back(argument(name, given));
    return std::move(result_);
  }

 private:
  std::optional<Number> scalar(const std::string& name) {
    const auto given = launch_.arguments.find(name);
    if (given == launch_.arguments.end() || !given->second.value) return std::nullopt;
    return names_.value_of(name, *given->second.value, given->second.where);
  }

  void evaluate_sizes() {
    if (launch_.global.empty())
      throw InputError(
          fmt::format("{}: no \"global\", expected a launch file with the launch's sizes", launch_.where));
    result_.global = sizes_of(launch_.global, "global size", 1);
    names_.set_global(result_.global);
    result_.offset = sizes_of(launch_.offset, "global offset", 0);
    if (launch_.local.empty()) return;
    result_.local = sizes_of(launch_.local, "local size", 1);
    names_.set_local(*result_.local);
    try {
      check_divisible(result_.global, *result_.local);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", launch_.where, error.what()));
    }
  }

  Dim3 sizes_of(const std::vector<std::string>& given, const std::string& what, std::uint64_t least) {
    std::array<std::uint64_t, 3> sizes{least, least, least};
    for (std::size_t d = 0; d < given.size(); ++d)
      sizes[d] = evaluate_size(given[d], names_.lookup(),
                               fmt::format("{}: {} {}", launch_.where, what, "xyz"[d]), least);
    return {sizes[0], sizes[1], sizes[2]};
  }

  /// Macros may hold anything that the compiler takes: only those that are arithmetic have values.
  void evaluate_defines() {
    for (const auto& [name, text] : launch_.defines) {
      try {
        result_.define_values.emplace(name, names_.value_of(name, text, name));
      } catch (const InputError&) {
        continue;
      }
    }
  }

  EvaluatedArgument argument(const std::string& name, const ArgumentDescription& given) {
    if (given.texture)
      throw InputError(
          fmt::format("{}: a texture or a surface, which only machine code is launched with", given.where));
    if (given.tensor)
      throw InputError(
          fmt::format("{}: a tensor map, which only machine code is launched with", given.where));
    EvaluatedArgument result;
    result.name = name;
    result.type = given.type;
    result.is_null = given.is_null;
    result.is_local = given.is_local;
    if (given.value) result.values = names_.list(*given.value, given.where);
    if (given.count) result.count = size(*given.count, given.where);
    if (given.bytes) result.bytes = size(*given.bytes, given.where);
    if (given.fill) {
      result.fill = given.fill->kind;
      result.fill_path = given.fill->path;
      for (const std::string& parameter : given.fill->parameters)
        result.fill_numbers.push_back(warpscope::evaluate(parameter, names_.lookup(), given.where));
    }
    return result;
  }

  std::uint64_t size(const std::string& text, const std::string& where) {
    return evaluate_size(text, names_.lookup(), where, 1);
  }

  const LaunchDescription& launch_;
  LaunchNames names_;
  EvaluatedLaunch result_;
};

}  // namespace

EvaluatedLaunch evaluate_launch(const LaunchDescription& launch) {
  if (!launch.positional.empty() || launch.program)
    throw InputError(fmt::format("{}: a .sim file, expected a launch file in JSON", launch.where));
  return Evaluator(launch).evaluate();
}

}  // namespace warpscope
