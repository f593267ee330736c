#pragma once
#include <string>
#include <string_view>

namespace warpscope::ptx {

/// Preprocessed text in which kernels have the type of other functions, so that
/// `void (*f)(int *) = kernel` compiles. For SPIR-V clang gives a kernel another calling convention
/// where it sees `global` in front of the declarator (Sema, getCCForDeclaratorChunk); behind it,
/// the attribute does all the rest. An explicit instantiation becomes a use, which has that effect.
std::string with_plain_kernel_types(std::string_view text);

} // namespace warpscope::ptx
