#pragma once
// Text that came from outside, on its way to a terminal: nothing in it may move the cursor, change colours or
// fill the screen.
#include <cstddef>
#include <string>
#include <string_view>

namespace warpscope {

constexpr std::size_t kLongestQuote = 200;  ///< bytes of input that a message repeats

/// One line: control characters as \n, \t or \x1b; those of Unicode, and characters that change the direction
/// of the text, as \u{9b}; bytes that are not UTF-8 as \xff. Everything else stays.
std::string printable(std::string_view text);
/// The same for text of several lines: newlines and tabs stay.
std::string printable_lines(std::string_view text);
/// printable() of a piece of input for a message. More than `longest` bytes lose their middle: "0123…cdef".
std::string quotable(std::string_view text, std::size_t longest = kLongestQuote);
/// A message as it is printed: one printable line, its longest words and at last itself as quotable() does
/// it.
std::string printable_message(std::string_view text);
/// Lines of another program, each as quotable() does it, with a newline at their end; at most 200 of them.
std::string printable_log(std::string_view text);

}  // namespace warpscope
