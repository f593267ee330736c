#include "wrapper/launch/launch_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <utility>

#include "traces/base/error.h"
#include "traces/files/text_file.h"

namespace warpscope {
namespace {

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

/// Splits at commas that are not inside parentheses.
std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string& part : parts) part = trimmed(part);
  return parts;
}

/// Sizes as reports print them: 256x256. Only digits, so that it is no expression with a name such as lx.
std::vector<std::string> split_sizes(const std::string& text) {
  if (text.find_first_not_of("0123456789x") != std::string::npos) return split_list(text);
  std::string with_commas = text;
  std::replace(with_commas.begin(), with_commas.end(), 'x', ',');
  return split_list(with_commas);
}

bool is_fill(const std::string& text) {
  const std::string word = text.substr(0, text.find_first_of("(:"));
  return word == "zero" || word == "iota" || word == "constant" || word == "random" || word == "range" ||
         text.starts_with("file:");
}

}  // namespace

std::string Fill::text() const {
  std::string list;
  for (const std::string& parameter : parameters) list.append(list.empty() ? "" : ",").append(parameter);
  return list;
}

std::vector<std::string> parse_dimensions(const std::string& text, const std::string& where) {
  std::vector<std::string> parts = split_sizes(text);
  const bool has_empty =
      std::any_of(parts.begin(), parts.end(), [](const std::string& p) { return p.empty(); });
  if (parts.size() > 3 || has_empty)
    throw InputError(fmt::format("{}: '{}', expected one to three sizes such as 256,256", where, text));
  return parts;
}

Fill parse_fill(const std::string& text, const std::string& where) {
  static const std::map<std::string, std::pair<Fill::Kind, std::vector<std::size_t>>> known_fills = {
      {"zero", {Fill::Kind::Zero, {0}}},        {"none", {Fill::Kind::None, {0}}},
      {"iota", {Fill::Kind::Iota, {0}}},        {"constant", {Fill::Kind::Constant, {1}}},
      {"random", {Fill::Kind::Random, {1, 3}}}, {"range", {Fill::Kind::Range, {3}}}};
  Fill fill;
  for (const auto& [word, kind] : {std::pair{"file:", Fill::Kind::File}, {"none:", Fill::Kind::None}}) {
    if (!text.starts_with(word)) continue;
    fill.kind = kind;
    fill.path = text.substr(std::strlen(word));
    if (!fill.path.empty()) return fill;
  }
  const auto open = text.find('(');
  const auto known = known_fills.find(trimmed(text.substr(0, open)));
  if (known != known_fills.end() && (open == std::string::npos || text.back() == ')')) {
    if (open != std::string::npos)
      fill.parameters = split_list(text.substr(open + 1, text.size() - open - 2));
    const auto& counts = known->second.second;
    if (std::find(counts.begin(), counts.end(), fill.parameters.size()) != counts.end()) {
      fill.kind = known->second.first;
      return fill;
    }
  }
  throw InputError(
      fmt::format("{}: fill '{}', expected zero, iota, constant(VALUE), random(SEED), random(SEED,LOW,END), "
                  "range(START,STEP,LAST), "
                  "none or file:PATH",
                  where, text));
}

std::pair<std::string, ArgumentDescription> parse_argument_option(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw InputError(
        fmt::format("--arg {}: expected NAME=SPEC, such as width=256 or A=count=gx*gy,fill=iota", text));
  const std::string name = trimmed(text.substr(0, equals));
  ArgumentDescription argument;
  argument.where = fmt::format("--arg {}", text);
  std::string values;
  for (const std::string& part : split_list(text.substr(equals + 1))) {
    const auto key_end = part.find('=');
    const std::string key = key_end == std::string::npos ? "" : trimmed(part.substr(0, key_end));
    const std::string rest = key_end == std::string::npos ? part : trimmed(part.substr(key_end + 1));
    if (key == "count")
      argument.count = rest;
    else if (key == "bytes")
      argument.bytes = rest;
    else if (key == "type")
      argument.type = rest;
    else if (key == "fill" || (key.empty() && is_fill(rest)))
      argument.fill = parse_fill(rest, argument.where);
    else if (key.empty() && rest == "null")
      argument.is_null = true;
    else if (parse_texture_word(argument.texture, key, rest, argument.where) ||
             parse_tensor_word(argument.tensor, key, rest))
      continue;
    else if (key == "value" || (key.empty() && !rest.empty()))
      values.append(values.empty() ? "" : ",").append(rest);
    else
      throw InputError(
          fmt::format("{}: '{}', expected count=, bytes=, fill=, type= or value=", argument.where, part));
  }
  if (!values.empty()) argument.value = values;
  return {name, argument};
}

LaunchDescription merge(LaunchDescription first, const LaunchDescription& second) {
  if (!first.program) first.program = second.program;
  if (!first.kernel) first.kernel = second.kernel;
  if (first.global.empty()) first.global = second.global;
  if (first.local.empty()) first.local = second.local;
  if (first.offset.empty()) first.offset = second.offset;
  for (const auto& [name, argument] : second.arguments) {
    const auto [mine, is_new] = first.arguments.emplace(name, argument);
    if (is_new) continue;
    // `--arg A=random(7)` changes the fill and keeps the file's count.
    ArgumentDescription& own = mine->second;
    if (own.is_null || own.value) continue;
    if (!own.type) own.type = argument.type;
    if (!own.count && !own.bytes) {
      own.count = argument.count;
      own.bytes = argument.bytes;
      own.is_local = argument.is_local;
    }
    if (!own.fill) own.fill = argument.fill;
    if (!own.texture && !own.count && !own.bytes) own.texture = argument.texture;
    if (!own.tensor && !own.count && !own.bytes) own.tensor = argument.tensor;
  }
  if (first.positional.empty()) {
    first.positional = second.positional;
    first.where = second.where;  // what messages about the list as a whole refer to
  }
  first.defines.insert(second.defines.begin(), second.defines.end());
  if (first.build_options.empty()) first.build_options = second.build_options;
  if (first.sizes.empty()) first.sizes = second.sizes;
  return first;
}

LaunchDescription read_launch_file(const std::string& path, const std::string& size) {
  const std::string text =
      read_text_file(path, "a launch file with the launch's sizes and arguments; check --launch-file");
  const std::string name = std::filesystem::path(path).filename().string();
  const bool is_sim = looks_like_sim(text);
  if (is_sim && !size.empty())
    throw InputError(
        fmt::format("{}: a .sim file has one size, expected --global instead of --size {}", name, size));
  LaunchDescription launch = is_sim ? parse_sim_launch(text, name) : parse_json_launch(text, name, size);
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  const auto anchor = [&](ArgumentDescription& argument) {
    if (argument.fill && !argument.fill->path.empty() &&
        std::filesystem::path(argument.fill->path).is_relative())
      argument.fill->path = (directory / argument.fill->path).string();
  };
  for (auto& [argument_name, argument] : launch.arguments) anchor(argument);
  for (ArgumentDescription& argument : launch.positional) anchor(argument);
  // Oclgrind looks from the working directory; a file next to the .sim file is what most people have.
  if (std::error_code too_long;
      launch.program && std::filesystem::exists(directory / *launch.program, too_long))
    launch.program = (directory / *launch.program).string();
  return launch;
}

}  // namespace warpscope
