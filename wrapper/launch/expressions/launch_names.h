#pragma once
// What the names in a launch's expressions stand for: sizes, defines, scalar arguments.
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "traces/base/types.h"
#include "wrapper/launch/expressions/expression.h"

namespace warpscope {

class LaunchNames {
 public:
  /// Value of a scalar argument; nothing for a name that is not one.
  using Scalars = std::function<std::optional<Number>(const std::string&)>;

  /// `defines` must outlive this; `scalars_text` says what `scalars` knows, for messages.
  LaunchNames(const std::map<std::string, std::string>& defines, Scalars scalars, std::string scalars_text);

  /// From then on gx, gy, gz and lx, ly, lz have values.
  void set_global(const Dim3& sizes) { global_ = sizes; }
  void set_local(const Dim3& sizes) { local_ = sizes; }

  /// For evaluate() and evaluate_size(). A scalar argument that is called gx keeps its meaning. Throws UnknownName, and
  /// InputError if a value depends on itself.
  [[nodiscard]] NameLookup lookup();

  /// The value of an expression that `name` stands for. Throws InputError, also if the expression leads back to `name`.
  Number value_of(const std::string& name, const std::string& expression, const std::string& where);

  /// The values of expressions with commas between them. Throws InputError.
  std::vector<Number> list(const std::string& text, const std::string& where);

 private:
  Number find(const std::string& name);

  const std::map<std::string, std::string>& defines_;
  Scalars scalars_;
  std::string scalars_text_;
  std::optional<Dim3> global_, local_;
  std::set<std::string> open_;  ///< names whose values are being computed
};

}  // namespace warpscope
