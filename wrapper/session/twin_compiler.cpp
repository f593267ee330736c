#include "wrapper/session/twin_compiler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "passes/driver/parts.h"
#include "passes/driver/subprocess.h"
#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "traces/base/version.h"
#include "wrapper/session/source_file.h"

namespace warpscope::layer {
namespace {

namespace fs = std::filesystem;

class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(const std::string& parent) {
    std::string name = parent + "/compile-XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
      throw InputError(name + ": cannot make a temporary directory, expected a writable $TMPDIR");
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_file(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw InputError(path.string() + ": cannot write, expected a $TMPDIR with free space");
}

/// A unit in files, with the options that make the compiler find everything.
CompileRequest request_for(const SourceUnit& unit, const TwinRequest& request, const std::string& directory) {
  CompileRequest result;
  result.work_directory = directory;
  result.source_path = directory + "/unit.cl";
  result.source_name = shown_name_of(unit.text);
  write_file(result.source_path, unit.text);
  for (const auto& [name, text] : unit.headers) write_file(fs::path(directory) / "include" / name, text);
  result.options = unit.options;
  if (!unit.headers.empty()) result.options.insert(result.options.begin(), "-I" + directory + "/include");
  std::error_code error;
  result.options.push_back("-I" + fs::current_path(error).string());
  result.options.push_back("-D__ENDIAN_LITTLE__=1");
  result.options.push_back("-D__IMAGE_SUPPORT__=1");
  result.extensions = request.extensions;
  // OpenCL C 3.0 asks for this one by another name as well, and images are not traced.
  if (std::find(unit.options.begin(), unit.options.end(), "-cl-std=CL3.0") != unit.options.end())
    std::erase(result.extensions, "cl_khr_3d_image_writes");
  result.optimize = request.optimize;
  result.pass_options = request.pass_options;
  return result;
}

/// The source with every header that it includes, so that a changed header changes the key.
std::string preprocessed(const CompileRequest& unit) {
  std::vector<std::string> command = {
      "clang-15", "-E", "-P", "-x", "cl", "-cl-std=CL1.2", "-target", "spir64-unknown-unknown"};
  command.insert(command.end(), unit.options.begin(), unit.options.end());
  command.push_back(unit.source_path);
  return run_process(command).output;
}

std::string key_of(const TwinRequest& request, const std::vector<CompileRequest>& units) {
  // The plug-in's content is the passes' version; a plug-in of another build may differ under the
  // same number.
  static const std::string plugin = cache_key_of_file(plugin_path());
  nlohmann::json key = {{"version", version()},
                        {"plugin", plugin},
                        {"optimize", name_of(request.optimize)},
                        {"pass_options", request.pass_options},
                        {"extensions", request.extensions},
                        {"units", nlohmann::json::array()}};
  for (std::size_t i = 0; i < units.size(); ++i) {
    const SourceUnit& unit = request.units[i];
    const bool includes = unit.text.find("include") != std::string::npos ||
                          std::any_of(unit.options.begin(), unit.options.end(),
                                      [](const auto& option) { return option.starts_with("-include"); });
    key["units"].push_back({{"text", cache_key(unit.text)},
                            {"name", units[i].source_name},
                            {"options", unit.options},
                            {"headers", unit.headers},
                            {"preprocessed", includes ? cache_key(preprocessed(units[i])) : ""}});
  }
  return cache_key(dump(key));
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string pack(const std::vector<std::uint8_t>& bitcode, const std::string& kernels) {
  const std::uint64_t size = bitcode.size();
  std::string result(sizeof(size), '\0');
  std::memcpy(result.data(), &size, sizeof(size));
  result.append(bitcode.begin(), bitcode.end());
  return result + kernels;
}

std::optional<TwinCode> unpack(const std::string& entry) {
  std::uint64_t size = 0;
  if (entry.size() < sizeof(size)) return std::nullopt;
  std::memcpy(&size, entry.data(), sizeof(size));
  if (size > entry.size() - sizeof(size)) return std::nullopt;
  TwinCode code;
  const auto start = entry.begin() + sizeof(size);
  const auto end = start + static_cast<std::ptrdiff_t>(size);
  code.bitcode.assign(start, end);
  for (const nlohmann::json& kernel : parse_json(std::string(end, entry.end()), "cached kernels"))
    code.kernels.push_back(kernel_info_from_json(kernel));
  return code;
}

CompiledProgram link_and_compile(const std::vector<CompileRequest>& units, const std::string& directory) {
  std::vector<std::string> parts;
  parts.reserve(units.size());
  for (const CompileRequest& unit : units) parts.push_back(compile_front_end(unit));
  CompileRequest linked = units.front();
  linked.work_directory = directory;
  linked.source_path = directory + "/linked.bc";
  link_front_ends(parts, linked.source_path);
  return compile_for_capture(linked);
}

}  // namespace

std::string name_of_source(const std::string& text) {
  static const std::regex kernel(R"((?:__)?kernel\b[^.;{}/]{0,200}?\bvoid\s+(\w+)\s*\()");
  constexpr std::size_t kLongestHead = 1u << 9;  // regular expressions recurse
  std::smatch match;
  for (std::size_t at = text.find("kernel"); at != std::string::npos; at = text.find("kernel", at + 1)) {
    const std::size_t begin = at >= 2 && text.compare(at - 2, 2, "__") == 0 ? at - 2 : at;
    const std::size_t line = text.rfind('\n', begin) + 1;  // 0 in the first line
    const bool is_comment = text.find_first_of("/*", line) < begin;
    if (is_comment || (begin > 0 && is_word(text[begin - 1]))) continue;
    const std::string head = text.substr(begin, kLongestHead);
    if (std::regex_search(head, match, kernel, std::regex_constants::match_continuous))
      return match[1].str() + ".cl";
  }
  return "program.cl";
}

std::size_t line_of_kernel(const std::string& text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    if (at > 0 && is_word(text[at - 1])) continue;
    std::size_t next = at + name.size();
    while (next < text.size() && std::isspace(static_cast<unsigned char>(text[next])) != 0) ++next;
    if (next < text.size() && text[next] == '(')
      return static_cast<std::size_t>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
             1;
  }
  return 0;
}

TwinCode compile_twin(const TwinRequest& request, const ProgramCache& cache, bool& unwritable) {
  const TemporaryDirectory directory(request.work_directory);
  std::vector<CompileRequest> units;
  for (std::size_t i = 0; i < request.units.size(); ++i) {
    const std::string folder = fmt::format("{}/{}", directory.path(), i);
    units.push_back(request_for(request.units[i], request, folder));
  }
  const std::string key = key_of(request, units);
  if (const auto entry = cache.find(key)) {
    try {
      if (auto code = unpack(*entry)) return std::move(*code);
    } catch (const InputError&) {  // written by another version: made again
    }
  }
  const CompiledProgram program =
      units.size() == 1 ? compile_for_capture(units.front()) : link_and_compile(units, directory.path());
  const std::string bitcode = read_file(program.instrumented_path);
  TwinCode code;
  code.bitcode.assign(bitcode.begin(), bitcode.end());
  code.kernels = program.kernels;
  unwritable = !cache.store(key, pack(code.bitcode, read_file(program.kernels_path)));
  return code;
}

}  // namespace warpscope::layer
