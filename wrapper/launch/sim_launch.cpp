// Oclgrind's .sim format, as its program oclgrind-kernel reads it (Oclgrind 21.10,
// class Simulation): the program's file, the kernel, three global and three local sizes, then per
// argument <size=BYTES …> and, without fill=, range=, noinit or null, its values. '#' starts a comment.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>

#include "traces/base/error.h"
#include "traces/base/parse_number.h"
#include "wrapper/launch/kernel_signatures.h"
#include "wrapper/launch/launch_description.h"

namespace warpscope {
namespace {

/// Words with their lines; an argument header <…> is one word.
class SimReader {
 public:
  SimReader(const std::string& text, std::string name) : text_(text), name_(std::move(name)) {}

  /// The next word, nothing at the end.
  std::optional<std::string> next() {
    skip();
    if (at_ >= text_.size()) return std::nullopt;
    const std::size_t start = at_;
    if (text_[at_] == '<') {
      at_ = text_.find('>', start);
      if (at_ == std::string::npos || text_.find('\n', start) < at_)
        fail("the argument's header has no '>' at its end");
      ++at_;
    } else {
      at_ = text_.find_first_of(" \t\r\n#<", start);
      if (at_ == std::string::npos) at_ = text_.size();
    }
    return text_.substr(start, at_ - start);
  }

  std::string require(const std::string& what) {
    const auto word = next();
    if (!word) fail(fmt::format("the file ends, expected {}", what));
    return *word;
  }

  [[nodiscard]] std::string where() const { return fmt::format("{}:{}", name_, line_); }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: {}", where(), what));
  }

 private:
  void skip() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = text_.find('\n', at_);
        if (at_ == std::string::npos) at_ = text_.size();
        if (at_ == text_.size()) return;
        ++line_;
      } else if (c == '\n') {
        ++line_;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }

  const std::string& text_;
  const std::string name_;  // a copy: callers pass temporaries
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

struct Header {
  std::optional<std::uint64_t> size;
  std::optional<std::string> type;
  std::optional<std::string> fill, range;
  bool is_hexadecimal = false, is_null = false, no_values = false;
};

Header parse_header(const std::string& text, const SimReader& reader) {
  Header header;
  std::string word;
  std::vector<std::string> words;
  for (const char c : text.substr(1, text.size() - 2) + " ") {
    if (c != ' ' && c != '\t') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(word);
      word.clear();
    }
  }
  for (const std::string& token : words) {
    if (token.starts_with("size=")) {
      header.size = parse_number(token.substr(5));
      if (!header.size) reader.fail(fmt::format("'{}', expected size=BYTES", token));
    } else if (token.starts_with("fill=")) {
      header.fill = token.substr(5);
    } else if (token.starts_with("range=")) {
      header.range = token.substr(6);
    } else if (token == "hex") {
      header.is_hexadecimal = true;
    } else if (token == "null") {
      header.is_null = true;
    } else if (token == "noinit") {
      header.no_values = true;
    } else if (const auto type = builtin_type(token); type && type->lanes == 1) {
      header.type = token;
    } else if (!token.starts_with("dump")) {
      reader.fail(fmt::format(
          "'{}', expected size=, fill=, range=, hex, null, noinit, dump or a type in an argument's header",
          token));
    }
  }
  if (!header.size && !header.is_null) reader.fail("the argument's header has no size=BYTES");
  return header;
}

/// Oclgrind's numbers may be hexadecimal without 0x.
std::string literal(const std::string& text, bool is_hexadecimal) {
  if (!is_hexadecimal) return text;
  if (text.starts_with("-")) return fmt::format("-0x{}", text.substr(1));
  return text.starts_with("0x") || text.starts_with("0X") ? text : fmt::format("0x{}", text);
}

ArgumentDescription parse_argument(SimReader& reader, const std::string& header_text, std::size_t index) {
  if (header_text.front() != '<')
    reader.fail(fmt::format("'{}', expected the header <size=BYTES …> of argument {}", header_text, index));
  const Header header = parse_header(header_text, reader);
  ArgumentDescription argument;
  argument.where = fmt::format("{}: argument {}", reader.where(), index);
  argument.is_null = header.is_null;
  argument.type = header.type;
  if (header.is_null) return argument;
  argument.bytes = std::to_string(header.size.value_or(0));
  if (header.fill) {
    argument.fill = Fill{Fill::Kind::Constant, {literal(*header.fill, header.is_hexadecimal)}, ""};
  } else if (header.range) {
    Fill fill{Fill::Kind::Range, {}, ""};
    std::string rest = *header.range;
    for (auto colon = rest.find(':'); colon != std::string::npos; colon = rest.find(':')) {
      fill.parameters.push_back(literal(rest.substr(0, colon), header.is_hexadecimal));
      rest.erase(0, colon + 1);
    }
    fill.parameters.push_back(literal(rest, header.is_hexadecimal));
    if (fill.parameters.size() != 3)
      reader.fail(fmt::format("range={}, expected START:STEP:LAST", *header.range));
    argument.fill = fill;
  } else if (header.no_values) {
    argument.fill = Fill{Fill::Kind::None, {}, ""};
  }
  return argument;
}

}  // namespace

bool looks_like_sim(const std::string& text) {
  try {
    SimReader reader(text, "");
    for (int word = 0; word < 8; ++word) {
      const auto next = reader.next();
      if (!next) return word >= 3;  // cut short: better told what is missing
      if ((word >= 2 && !parse_number(*next)) || next->front() == '{' || next->front() == '/') return false;
    }
    return true;
  } catch (const InputError&) {
    return false;
  }
}

LaunchDescription parse_sim_launch(const std::string& text, const std::string& name) {
  SimReader reader(text, name);
  LaunchDescription launch;
  launch.where = name;
  launch.program = reader.require("the program's file");
  launch.kernel = reader.require("the kernel's name");
  for (auto* sizes : {&launch.global, &launch.local}) {
    for (int dimension = 0; dimension < 3; ++dimension) {
      sizes->push_back(reader.require("three global and three local sizes"));
      if (!parse_number(sizes->back())) reader.fail(fmt::format("'{}', expected a size", sizes->back()));
    }
  }
  std::optional<std::string> word = reader.next();
  while (word) {
    ArgumentDescription argument = parse_argument(reader, *word, launch.positional.size());
    const bool is_hexadecimal =
        word->find(" hex") != std::string::npos || word->find("<hex") != std::string::npos;
    // The values follow; whether there may be any (local memory has none) is known with the kernel's
    // signature.
    std::string values;
    for (word = reader.next(); word && word->front() != '<'; word = reader.next())
      values.append(values.empty() ? "" : ",").append(literal(*word, is_hexadecimal));
    if (!values.empty()) {
      if (argument.fill || argument.is_null)
        reader.fail(fmt::format("argument {} has values and also fill=, range=, noinit or null",
                                launch.positional.size()));
      argument.value = values;
    }
    launch.positional.push_back(argument);
  }
  return launch;
}

}  // namespace warpscope
