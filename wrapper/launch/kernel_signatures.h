#pragma once
// The kernels of a source file and the types of their parameters, as the compilation finds them.
#include <array>
#include <bit>
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
  std::uint32_t lanes = 1;  ///< components of a vector; 3-vectors have 3 and are 4 apart

  /// CUDA's 3-vectors have no fourth element: 12 bytes of float3, where OpenCL has 16.
  [[nodiscard]] std::uint32_t component_size() const {
    return size / (lanes == 3 && std::has_single_bit(size) ? 4 : lanes);
  }
};

/// "float", "uchar", "int4", … with OpenCL's sizes; nothing for names that are not built in.
std::optional<ElementType> builtin_type(const std::string& name);

struct ParameterSignature {
  enum class Kind : std::uint8_t { Buffer, Local, Value, Unsupported };
  Kind kind = Kind::Value;
  std::string name;
  std::string type;     ///< type as written in the source
  ElementType element;  ///< type of the value, or of what is pointed to
  /// A CUDA variable that became an argument (`__constant__ float c[16]`): its size in bytes, else 0.
  std::uint64_t fixed_bytes = 0;
  /// CUDA: the parameter of the source that this is, or is a member of, and where in it.
  std::optional<std::uint32_t> source_number = {};
  std::uint64_t source_offset = 0;
  bool is_tensor = false;   ///< a tensor map, of which the launch says how it is
  bool is_texture = false;  ///< or a surface: a buffer for the launch, a handle of 8 bytes for the kernel
};

struct KernelSignature {
  std::string name;  ///< name for messages: "saxpy<float>"
  std::uint32_t line = 0;
  std::vector<ParameterSignature> parameters;
  std::optional<std::array<std::uint64_t, 3>> required_local;  ///< reqd_work_group_size
  std::string symbol = {};   ///< what OpenCL calls it: the name, where that is an identifier
  std::string mangled = {};  ///< CUDA's name of it in machine code; empty = not known
};

/// Reads what a compilation says (CompiledProgram::signatures).
std::vector<KernelSignature> parse_signatures(const std::string& text);

}  // namespace warpscope
