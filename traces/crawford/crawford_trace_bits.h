#pragma once
// Bits of the three words per line of a Crawford 2014 trace (sections 4.3 and 4.4), shared by reader and
// writer.
// Access word: 32 bits address, 4 bits F (read) or A (write), 28 bits instruction name read as a base-36
// number; 1 and 2 alone are local and global barriers. Id word: 20 bits per dimension, x lowest. Loop word:
// 20 bits per active loop, outermost in bits 40 to 59: 4 bits label above 16 bits iteration; a segment of
// zero is no loop.
#include <cstdint>

namespace warpscope {

constexpr unsigned kCrawfordAddressShift = 32;
constexpr unsigned kCrawfordMarkShift = 28;
constexpr std::uint64_t kCrawfordReadMark = 0xF;
constexpr std::uint64_t kCrawfordWriteMark = 0xA;
constexpr unsigned kCrawfordNameBits = 28;
constexpr unsigned kCrawfordIdBits = 20;
constexpr std::uint64_t kCrawfordIdLimit = 1u << kCrawfordIdBits;
constexpr unsigned kCrawfordLoopBits = 20;
constexpr unsigned kCrawfordIterationBits = 16;
constexpr std::uint64_t kCrawfordLabelLimit = 1u << (kCrawfordLoopBits - kCrawfordIterationBits);
/// The letter that names begin with, as a base-36 digit: "M1" = 22 * 36 + 1 = 0x319.
constexpr std::uint64_t kCrawfordNameLetter = 'M' - 'A' + 10;

}  // namespace warpscope
