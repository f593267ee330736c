#include "wrapper/kernel/kernel_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "traces/base/error.h"
#include "traces/base/printable.h"
#include "traces/files/text_file.h"
#include "wrapper/launch/build_options.h"
#include "wrapper/machine/program/device_file.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

/// NAME or NAME(parameters).
bool is_macro_name(const std::string& text) {
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const auto end = std::find_if_not(text.begin(), text.end(), is_letter);
  return end != text.begin() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         (end == text.end() || *end == '(');
}

}  // namespace

std::string read_source(const std::string& path, const char* what) {
  if (std::error_code error; fs::is_fifo(path, error))
    throw InputError(fmt::format("{}: is a pipe, expected a file: it is read more than once", path));
  std::string text = read_text_file(path, what);
  if (text.find('\0') != std::string::npos)
    throw InputError(fmt::format("{}: not a text file, expected {}", path, what));
  return text;
}

Inputs find_inputs(const TraceRequest& request) {
  Inputs inputs;
  inputs.source_path = request.file;
  inputs.launch = request.launch;
  if (!is_device_file(request.file) &&
      looks_like_sim(
          read_source(request.file, is_cuda_file(request.file) ? "a CUDA file" : "an OpenCL C file"))) {
    inputs.launch = merge(inputs.launch, read_launch_file(request.file, request.size));
    inputs.source_path = inputs.launch.program.value_or("");
    read_source(inputs.source_path, "the program that the .sim file names");
  } else if (request.launch_file) {
    inputs.launch = merge(inputs.launch, read_launch_file(*request.launch_file, request.size));
  } else {
    bool found = false;
    for (const char* extension : {".launch", ".sim"}) {
      const fs::path sibling = fs::path(request.file).replace_extension(extension);
      // A pipe of that name has not been named by anyone, and nobody may ever write to it.
      if (std::error_code too_long; !fs::is_regular_file(sibling, too_long)) continue;
      inputs.launch = merge(inputs.launch, read_launch_file(sibling.string(), request.size));
      found = true;
      break;
    }
    if (!found && !request.size.empty())
      throw InputError(fmt::format("--size {}: there is no launch file next to {}, expected {}", request.size,
                                   request.file,
                                   fs::path(request.file).filename().replace_extension(".launch").string()));
  }
  inputs.source_name = printable(fs::path(inputs.source_path).filename().string());  // of one line
  return inputs;
}

std::vector<std::string> compiler_options(const LaunchDescription& launch) {
  std::vector<std::string> options = split_build_options(launch.build_options);
  for (const auto& [name, value] : launch.defines) {
    if (!is_macro_name(name))
      throw InputError(
          fmt::format("define '{}': not a macro's name, expected -D NAME or -D NAME=VALUE", name));
    options.push_back(fmt::format("-D{}={}", name, value));
  }
  return options;
}

}  // namespace warpscope
