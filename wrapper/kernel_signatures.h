#pragma once
// The kernels of a source file and the types of their parameters, as Clang sees them.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpscope {

/// A scalar or vector type of OpenCL C, or something whose bytes only the user knows (structures).
struct ElementType {
  enum class Kind : std::uint8_t { Signed, Unsigned, Floating, Opaque };
  std::string name;  ///< "float", "uint4", "struct particle"
  Kind kind = Kind::Opaque;
  std::uint32_t size = 0;   ///< bytes of the whole type, with the fourth element of a 3-vector; 0 = unknown
  std::uint32_t lanes = 1;  ///< components of a vector; 3-vectors have 3 and lie 4 apart

  [[nodiscard]] std::uint32_t component_size() const { return size / (lanes == 3 ? 4 : lanes); }
};

/// "float", "uchar", "int4", … with OpenCL's sizes; nothing for names that are not built in.
std::optional<ElementType> builtin_type(const std::string& name);

struct ParameterSignature {
  enum class Kind : std::uint8_t { Buffer, Local, Value, Unsupported };
  Kind kind = Kind::Value;
  std::string name;
  std::string type;     ///< as written in the source
  ElementType element;  ///< of the value, or of what is pointed to
};

struct KernelSignature {
  std::string name;
  std::uint32_t line = 0;
  std::vector<ParameterSignature> parameters;
  std::optional<std::array<std::uint64_t, 3>> required_local;  ///< reqd_work_group_size
};

/// Asks the tool kernel-signatures, which lies beside the running binary. `options` as for the compiler.
/// Throws InputError with the compiler's message if the source does not parse.
std::vector<KernelSignature> kernel_signatures(const std::string& source_path,
                                               const std::vector<std::string>& options);

}  // namespace warpscope
