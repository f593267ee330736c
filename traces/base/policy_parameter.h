#pragma once
// Numbers that a policy can be given. It declares them in its own file; options, --help, errors and the tables of
// docs/reference/policies.md follow from the declaration.
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace warpscope {

struct PolicyParameter {
  const char* name;  ///< name of the option without --; no other policy of the kind may have it
  const char* unit;  ///< unit, such as "warps"
  std::uint32_t least, most, usual;  ///< `usual`: where none is given
  const char* meaning;
};

/// The parameters that were given, by name.
class PolicyValues {
 public:
  void set(const PolicyParameter& parameter, std::uint32_t value) { given_[parameter.name] = value; }
  /// From least to most, if that is so of every value set.
  [[nodiscard]] std::uint32_t of(const PolicyParameter& parameter) const {
    const auto found = given_.find(parameter.name);
    return found == given_.end() ? parameter.usual : found->second;
  }

 private:
  std::map<std::string, std::uint32_t> given_;
};

/// What class P declares as kParameters; nothing if it has none.
template <class P>
constexpr std::span<const PolicyParameter> parameters_of() {
  if constexpr (requires { P::kParameters; })
    return P::kParameters;
  else
    return {};
}

}  // namespace warpscope
