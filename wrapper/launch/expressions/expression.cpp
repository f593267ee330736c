#include "wrapper/launch/expressions/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "traces/base/error.h"

namespace warpscope {
namespace {

bool is_integer(const Number& value) {
  return std::holds_alternative<std::int64_t>(value);
}

double as_double(const Number& value) {
  return is_integer(value) ? static_cast<double>(std::get<std::int64_t>(value)) : std::get<double>(value);
}

/// Recursive descent over one expression; every function consumes what it names and the white space after it.
class Parser {
 public:
  Parser(const std::string& text, const NameLookup& lookup, const std::string& where)
      : text_(text), lookup_(lookup), where_(where) {}

  Number parse() {
    skip_space();
    const Number value = sum();
    if (at_ != text_.size()) fail(fmt::format("unexpected '{}'", text_.substr(at_)));
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(
        fmt::format("{}: '{}': {}, expected an arithmetic expression such as gx*gy", where_, text_, what));
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  bool accept(char wanted) {
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    skip_space();
    return true;
  }

  void require(char wanted) {
    if (!accept(wanted)) fail(fmt::format("'{}' is missing", wanted));
  }

  Number sum() {
    Number value = product();
    for (;;) {
      if (accept('+'))
        value = apply('+', value, product());
      else if (accept('-'))
        value = apply('-', value, product());
      else
        return value;
    }
  }

  Number product() {
    Number value = factor();
    for (;;) {
      if (accept('*'))
        value = apply('*', value, factor());
      else if (accept('/'))
        value = apply('/', value, factor());
      else if (accept('%'))
        value = apply('%', value, factor());
      else
        return value;
    }
  }

  Number factor() {
    if (accept('-')) return apply('-', Number{std::int64_t{0}}, nested());
    if (accept('+')) return nested();
    if (accept('(')) {
      const Number value = nested_sum();
      require(')');
      return value;
    }
    if (at_ >= text_.size()) fail("it ends too early");
    const char next = text_[at_];
    if (std::isdigit(static_cast<unsigned char>(next)) || next == '.') return literal();
    if (std::isalpha(static_cast<unsigned char>(next)) || next == '_') return name();
    fail(fmt::format("unexpected '{}'", next));
  }

  // Bounds the recursion: a file of opening parentheses must not exhaust the stack.
  Number nested() {
    if (++depth_ > 200) fail("it is nested too deeply");
    const Number value = factor();
    --depth_;
    return value;
  }

  Number nested_sum() {
    if (++depth_ > 200) fail("it is nested too deeply");
    const Number value = sum();
    --depth_;
    return value;
  }

  Number literal() {
    const char* begin = text_.c_str() + at_;
    char* end = nullptr;
    errno = 0;
    const bool hexadecimal = begin[0] == '0' && (begin[1] == 'x' || begin[1] == 'X');
    const long long integer = std::strtoll(begin, &end, hexadecimal ? 16 : 10);
    Number value = std::int64_t{integer};
    if (!hexadecimal && (*end == '.' || *end == 'e' || *end == 'E')) {
      value = std::strtod(begin, &end);
      if (*end == 'f' || *end == 'F') ++end;
    } else {
      if (errno == ERANGE) fail("an integer is larger than 2^63 - 1");
      while (*end == 'u' || *end == 'U' || *end == 'l' || *end == 'L') ++end;
    }
    at_ += static_cast<std::size_t>(end - begin);
    skip_space();
    return value;
  }

  Number name() {
    const std::size_t start = at_;
    // A dot: members of CUDA's struct parameters are arguments called "view.width".
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_' || text_[at_] == '.'))
      ++at_;
    const std::string name = text_.substr(start, at_ - start);
    skip_space();
    if (!accept('(')) return value_of(name);
    if (name != "min" && name != "max" && name != "ceil_div")
      fail(fmt::format("unknown function '{}', known are min, max and ceil_div", name));
    const Number first = nested_sum();
    require(',');
    const Number second = nested_sum();
    require(')');
    if (name == "min") return as_double(first) <= as_double(second) ? first : second;
    if (name == "max") return as_double(first) >= as_double(second) ? first : second;
    return apply('/', apply('+', first, apply('-', second, Number{std::int64_t{1}})), second);
  }

  Number value_of(const std::string& name) const {
    try {
      return lookup_(name);
    } catch (const UnknownName& error) {
      throw InputError(fmt::format("{}: '{}': {}", where_, text_, error.what()));
    }
  }

  Number apply(char operation, const Number& left, const Number& right) const {
    if (!is_integer(left) || !is_integer(right))
      return apply_double(operation, as_double(left), as_double(right));
    const std::int64_t a = std::get<std::int64_t>(left);
    const std::int64_t b = std::get<std::int64_t>(right);
    std::int64_t result = 0;
    bool overflow = false;
    switch (operation) {
      case '+':
        overflow = __builtin_add_overflow(a, b, &result);
        break;
      case '-':
        overflow = __builtin_sub_overflow(a, b, &result);
        break;
      case '*':
        overflow = __builtin_mul_overflow(a, b, &result);
        break;
      default:
        if (b == 0) fail("division by zero");
        if (a == std::numeric_limits<std::int64_t>::min() && b == -1) fail("integer overflow");
        result = operation == '/' ? a / b : a % b;
    }
    if (overflow) fail("integer overflow");
    return result;
  }

  [[nodiscard]] double apply_double(char operation, double a, double b) const {
    switch (operation) {
      case '+':
        return a + b;
      case '-':
        return a - b;
      case '*':
        return a * b;
      case '/':
        if (b == 0) fail("division by zero");
        return a / b;
      default:
        fail("% needs integers");
    }
  }

  const std::string& text_;
  const NameLookup& lookup_;
  const std::string& where_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Number evaluate(const std::string& text, const NameLookup& lookup, const std::string& where) {
  return Parser(text, lookup, where).parse();
}

std::uint64_t evaluate_size(const std::string& text, const NameLookup& lookup, const std::string& where,
                            std::uint64_t least) {
  const Number value = evaluate(text, lookup, where);
  constexpr std::int64_t kLargest = std::int64_t{1} << 40;
  if (!is_integer(value) || std::get<std::int64_t>(value) < static_cast<std::int64_t>(least) ||
      std::get<std::int64_t>(value) > kLargest)
    throw InputError(fmt::format("{}: '{}' is {}, expected a whole number from {} to 2^40", where, text,
                                 std::visit([](auto v) { return fmt::format("{}", v); }, value), least));
  return static_cast<std::uint64_t>(std::get<std::int64_t>(value));
}

}  // namespace warpscope
