#pragma once
// Arithmetic in launch files: counts, sizes and scalars as expressions over the launch's sizes and other
// scalars, so that another --global rescales a kernel's buffers.
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <variant>

namespace warpscope {

/// Integers stay exact; an operation with a floating-point operand is done in double.
using Number = std::variant<std::int64_t, double>;

/// A name without a value; evaluate() adds where it is.
class UnknownName : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Value of a name; throws UnknownName for a name that it does not know.
using NameLookup = std::function<Number(const std::string&)>;

/// + - * / % with C's precedence and integer division, unary minus, parentheses, min(a, b), max(a, b),
/// ceil_div(a, b), decimal, hexadecimal and floating-point literals (a suffix f is allowed), names. Throws
/// InputError "WHERE: 'TEXT': …" on a syntax error, division by zero or integer overflow.
Number evaluate(const std::string& text, const NameLookup& lookup, const std::string& where);

/// As evaluate(), for counts and sizes: throws InputError unless the value is an integer in [least, 2^40].
std::uint64_t evaluate_size(const std::string& text, const NameLookup& lookup, const std::string& where,
                            std::uint64_t least);

}  // namespace warpscope
