#pragma once
// Bits of the root document's three words per line, shared by reader and writer (its sections 4.3 and 4.4).
// Access word: 32 bits address, 4 bits F (read) or A (write), 28 bits instruction name read as a base-36
// number; 1 and 2 alone are local and global barriers. Id word: 20 bits per dimension, x lowest. Loop word:
// 20 bits per active loop, outermost in bits 40 to 59: 4 bits label above 16 bits iteration; a segment of
// zero is no loop.
#include <cstdint>

namespace warpscope {

constexpr unsigned kRootAddressShift = 32;
constexpr unsigned kRootMarkShift = 28;
constexpr std::uint64_t kRootReadMark = 0xF;
constexpr std::uint64_t kRootWriteMark = 0xA;
constexpr unsigned kRootNameBits = 28;
constexpr unsigned kRootIdBits = 20;
constexpr std::uint64_t kRootIdLimit = 1u << kRootIdBits;
constexpr unsigned kRootLoopBits = 20;
constexpr unsigned kRootIterationBits = 16;
constexpr std::uint64_t kRootLabelLimit = 1u << (kRootLoopBits - kRootIterationBits);
/// The letter that names begin with, as a base-36 digit: "M1" = 22 * 36 + 1 = 0x319.
constexpr std::uint64_t kRootNameLetter = 'M' - 'A' + 10;

}  // namespace warpscope
