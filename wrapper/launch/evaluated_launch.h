#pragma once
// A launch file with every expression evaluated, without the kernel's source: for programs that make the same launches
// elsewhere. What only the kernel's signature tells (defaults, types, bytes) stays open.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "traces/base/types.h"
#include "wrapper/launch/expressions/expression.h"
#include "wrapper/launch/launch_description.h"

namespace warpscope {

struct EvaluatedArgument {
  std::string name;
  std::optional<std::string> type;     ///< element type, if the file says it
  std::vector<Number> values;          ///< one value for a scalar, several for a vector
  std::optional<std::uint64_t> count;  ///< elements of a buffer
  std::optional<std::uint64_t> bytes;  ///< size of a buffer, or of local memory, instead
  bool is_local = false;
  bool is_null = false;
  std::optional<Fill::Kind> fill;
  std::vector<Number> fill_numbers;  ///< its parameters
  std::string fill_path;             ///< Fill::Kind::File
};

struct EvaluatedLaunch {
  std::optional<std::string> kernel;
  Dim3 global{1, 1, 1};
  std::optional<Dim3> local;  ///< nothing: trace-kernel would choose one
  Dim3 offset{0, 0, 0};
  std::map<std::string, std::string> defines;
  std::map<std::string, Number> define_values;  ///< values of those defines that are numbers
  std::string build_options;
  std::vector<std::string> sizes;            ///< names of the file's sizes
  std::vector<EvaluatedArgument> arguments;  ///< sorted by name
};

/// Throws InputError as resolve_launch() does, and for a .sim file, whose arguments have no names.
EvaluatedLaunch evaluate_launch(const LaunchDescription& launch);

}  // namespace warpscope
