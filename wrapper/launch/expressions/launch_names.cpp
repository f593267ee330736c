#include "wrapper/launch/expressions/launch_names.h"

#include <fmt/format.h>

#include <utility>

#include "traces/base/error.h"

namespace warpscope {
namespace {

/// "gx" is the axis 0 of the global size, "lz" the axis 2 of the local one; nothing for other names.
std::optional<std::pair<char, char>> size_name(const std::string& name) {
  if (name.size() != 2 || (name[0] != 'g' && name[0] != 'l') || name[1] < 'x' || name[1] > 'z')
    return std::nullopt;
  return std::pair(name[0], name[1]);
}

}  // namespace

LaunchNames::LaunchNames(const std::map<std::string, std::string>& defines, Scalars scalars,
                         std::string scalars_text)
    : defines_(defines), scalars_(std::move(scalars)), scalars_text_(std::move(scalars_text)) {}

NameLookup LaunchNames::lookup() {
  return [this](const std::string& name) { return find(name); };
}

Number LaunchNames::value_of(const std::string& name, const std::string& expression,
                             const std::string& where) {
  if (!open_.insert(name).second)
    throw InputError(fmt::format("the value of '{}' depends on itself, expected no circle", name));
  const Number value = evaluate(expression, lookup(), where);
  open_.erase(name);
  return value;
}

std::vector<Number> LaunchNames::list(const std::string& text, const std::string& where) {
  std::vector<Number> values;
  std::string part;
  int depth = 0;
  for (const char c : text + ",") {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      values.push_back(evaluate(part, lookup(), where));
      part.clear();
    } else {
      part += c;
    }
  }
  return values;
}

Number LaunchNames::find(const std::string& name) {
  if (const auto scalar = scalars_(name)) return *scalar;
  if (const auto size = size_name(name)) {
    const auto& sizes = size->first == 'g' ? global_ : local_;
    if (!sizes)
      throw UnknownName(fmt::format("'{}' is not known yet, expected an expression without it", name));
    const std::uint64_t value = size->second == 'x' ? sizes->x : size->second == 'y' ? sizes->y : sizes->z;
    return static_cast<std::int64_t>(value);
  }
  const auto define = defines_.find(name);
  if (define == defines_.end())
    throw UnknownName(fmt::format("unknown name '{}', expected gx, gy, gz, lx, ly, lz, a define or {}", name,
                                  scalars_text_));
  return value_of(name, define->second, fmt::format("define '{}'", name));
}

}  // namespace warpscope
