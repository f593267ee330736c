#pragma once
// Kernels as their source calls them: cubins hold mangled names.
#include <string>
#include <vector>

namespace warpscope::machine {

/// "ns::scale<float, 3>" of "_ZN2ns5scaleIfLi3EEEvPT_i": without the type that it returns, parameters, anonymous namespaces and tags of an ABI,
/// as captures call it. What is no name of C++ stays as it is. Lambdas have no name that two compilers share.
std::string source_name(const std::string& symbol);

/// "tile" of "_ZZ4scanPiE4tile" and of "_ZN2ns4tileE": what a variable is called in its function or namespace.
std::string variable_name(const std::string& symbol);

/// "float const*", "int" of "_Z1kPKfi"; empty for a symbol that is no mangled name.
std::vector<std::string> parameter_types(const std::string& symbol);

}  // namespace warpscope::machine
