#include "wrapper/layer/programs.h"

#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <sstream>

#include "traces/base/error.h"
#include "traces/base/json_fields.h"
#include "wrapper/session/source_file.h"

namespace warpscope::layer {
namespace {

/// The compiler's own first complaint, without the lines around it.
std::string first_error(const std::string& message) {
  std::istringstream lines(message);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (first.empty()) first = line;
    if (line.find("error:") != std::string::npos) return line;
  }
  return first;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// What a binary was built from, as text for the cache on disk: applications keep binaries over runs.
std::string text_of_origin(const std::vector<SourceUnit>& units, const std::string& options) {
  nlohmann::json json = {{"options", options}, {"units", nlohmann::json::array()}};
  for (const SourceUnit& unit : units)
    json["units"].push_back({{"text", unit.text}, {"options", unit.options}, {"headers", unit.headers}});
  return dump(json);
}

std::pair<std::vector<SourceUnit>, std::string> origin_from(const std::string& text) {
  const nlohmann::json json = parse_json(text, "origin of a binary");
  std::vector<SourceUnit> units;
  for (const nlohmann::json& unit : json.at("units"))
    units.push_back({unit.at("text"), unit.at("options"), unit.at("headers")});
  return {std::move(units), json.at("options")};
}

std::string origin_key(std::string_view binary) {
  return "origin-" + cache_key(binary);
}

std::string build_log(cl_program program, cl_device_id device) {
  std::size_t size = 0;
  if (api->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) != CL_SUCCESS)
    return "";
  std::string log(size, '\0');
  api->clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  return log.c_str();
}

// PoCL's compiler may then add in another order, and instrumented code gives it other chances to.
std::string reordering_option(const std::string& options) {
  for (const std::string& option : split_build_options(options))
    if (option == "-cl-fast-relaxed-math" || option == "-cl-unsafe-math-optimizations") return option;
  return "";
}

}  // namespace

Build::Build(Session& session, const ProgramCache& cache, cl_context context,
             std::vector<cl_device_id> devices, std::vector<SourceUnit> units, std::string options,
             std::string failure, std::shared_ptr<const GivenTwin> given)
    : session_(session),
      cache_(cache),
      context_(context),
      devices_(std::move(devices)),
      units_(std::move(units)),
      options_(std::move(options)),
      failure_(std::move(failure)),
      given_(std::move(given)) {
  static std::atomic<unsigned> builds = 0;
  number_ = ++builds;
  for (const SourceUnit& unit : units_) source_ += unit.text;
  source_name_ = shown_name_of(units_.empty() ? "" : units_.front().text);
  if (!given_) return;
  source_ = given_->source;
  source_name_ = given_->source_name;
  options_ = given_->options;
}

Build::~Build() {
  if (twin_ != nullptr) api->clReleaseProgram(twin_);
}

cl_program Build::twin() {
  std::call_once(made_, [this] {
    if (!failure_.empty()) return;
    try {
      make_twin();
    } catch (const std::exception& error) {
      failure_ = first_error(error.what());
    }
  });
  return twin_;
}

TwinCode Build::code() {
  if (given_) {
    std::vector<std::string> changes = session_.settings().pass_options;
    std::erase(changes, kBoxesOption);
    if (session_.settings().optimize != "gpu" || !changes.empty())
      throw InputError(source_name_ +
                       ": its instrumented code came with the program, expected no options that change it "
                       "(--optimize, --spaces and the like)");
    return given_->code;
  }
  TwinRequest request;
  request.units = units_;
  request.extensions = words_of(info_text(api->clGetDeviceInfo, devices_.front(), CL_DEVICE_EXTENSIONS));
  request.optimize = optimize_from(session_.settings().optimize);
  request.pass_options = session_.settings().pass_options;
  request.work_directory = session_.directory();  // trace-kernel removes it however the program ends
  bool unwritable = false;
  TwinCode code = compile_twin(request, cache_, unwritable);
  if (unwritable)
    session_.warn(fmt::format("{}: cannot write the cache of compiled programs; every run compiles again",
                              cache_.directory()));
  return code;
}

void Build::make_twin() {
  TwinCode code = this->code();
  const std::vector<std::size_t> sizes(devices_.size(), code.bitcode.size());
  const std::vector<const unsigned char*> binaries(devices_.size(), code.bitcode.data());
  cl_int status = CL_SUCCESS;
  cl_program twin = api->clCreateProgramWithBinary(
      context_, static_cast<cl_uint>(devices_.size()), devices_.data(), sizes.data(),
      const_cast<const unsigned char**>(binaries.data()), nullptr, &status);
  if (status != CL_SUCCESS)
    throw InputError(fmt::format("{}: PoCL refuses the instrumented code ({})", source_name_, status));
  status = api->clBuildProgram(twin, static_cast<cl_uint>(devices_.size()), devices_.data(),
                               kBitcodeBuildOptions, nullptr, nullptr);
  if (status != CL_SUCCESS) {
    const std::string log = build_log(twin, devices_.front());
    api->clReleaseProgram(twin);
    throw InputError(
        fmt::format("{}: PoCL cannot build the instrumented code: {}", source_name_, first_error(log)));
  }
  kernels_ = std::move(code.kernels);
  twin_ = twin;
  if (const std::string option = reordering_option(options()); !option.empty())
    session_.warn(fmt::format(
        "{}: built with {}: what its kernels sum up may differ in the last bits from an untraced run's",
        source_name_, option));
}

const KernelInfo* Build::kernel(const std::string& name) const {
  for (const KernelInfo& kernel : kernels_)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

std::string Build::shown_name(const std::string& symbol) const {
  if (!given_) return symbol;
  const auto name = given_->names.find(symbol);
  return name == given_->names.end() ? symbol : name->second;
}

Programs::Programs(Session& session) : session_(session), cache_(session.settings().cache_directory) {}

void Programs::add(cl_program program, const std::shared_ptr<Program>& entry) {
  const std::lock_guard lock(mutex_);
  programs_[program] = {entry, entry, 1};
}

std::shared_ptr<Programs::Program> Programs::find(cl_program program) {
  const std::lock_guard lock(mutex_);
  const auto entry = programs_.find(program);
  return entry == programs_.end() ? nullptr : entry->second.program.lock();
}

void Programs::add_source(cl_program program, cl_uint count, const char** texts, const std::size_t* lengths) {
  auto entry = std::make_shared<Program>();
  SourceUnit& unit = entry->units.emplace_back();
  for (cl_uint i = 0; i < count; ++i)
    unit.text.append(texts[i], lengths != nullptr && lengths[i] != 0 ? lengths[i] : std::strlen(texts[i]));
  add(program, entry);
}

void Programs::add_binary(cl_program program, cl_uint count, const std::size_t* lengths,
                          const unsigned char** binaries) {
  auto entry = std::make_shared<Program>();
  entry->is_binary = true;
  entry->failure =
      "the program was made from a binary; let the program build its source (many have an option "
      "or a variable that switches their cache of binaries off)";
  for (cl_uint i = 0; i < count && lengths != nullptr && binaries != nullptr; ++i) {
    const std::string key =
        origin_key(std::string_view(reinterpret_cast<const char*>(binaries[i]), lengths[i]));
    const std::lock_guard lock(mutex_);
    auto known = binaries_.find(key);
    if (known == binaries_.end()) {
      const auto stored = cache_.find(key);
      if (!stored) continue;
      known = binaries_.emplace(key, origin_from(*stored)).first;
    }
    std::tie(entry->units, entry->options) = known->second;
    entry->failure.clear();
    break;
  }
  add(program, entry);
}

void Programs::describe(cl_program program, const CompiledTwin& twin) {
  const auto entry = find(program);
  if (!entry) return;
  auto given = std::make_shared<GivenTwin>();
  given->code.bitcode.assign(twin.bitcode, twin.bitcode + twin.bitcode_bytes);
  for (const nlohmann::json& kernel : parse_json(twin.kernels, "kernels of the program"))
    given->code.kernels.push_back(kernel_info_from_json(kernel));
  given->names = parse_json(twin.names, "names of kernels").get<std::map<std::string, std::string>>();
  given->source_name = twin.source_name;
  given->source = twin.source;
  given->options = twin.options;
  entry->failure.clear();
  entry->given = std::move(given);
}

void Programs::add_opaque(cl_program program, const std::string& reason) {
  auto entry = std::make_shared<Program>();
  entry->failure = reason;
  add(program, entry);
}

void Programs::retain(cl_program program) {
  const std::lock_guard lock(mutex_);
  const auto entry = programs_.find(program);
  if (entry != programs_.end()) ++entry->second.references;
}

void Programs::release(cl_program program) {
  std::shared_ptr<Program> last;  // destroyed outside of the lock
  const std::lock_guard lock(mutex_);
  const auto entry = programs_.find(program);
  if (entry == programs_.end() || --entry->second.references > 0) return;
  last = std::move(entry->second.held);
}

void Programs::make_build(cl_program program, Program& entry) {
  auto devices = info_values<cl_device_id>(api->clGetProgramInfo, program, CL_PROGRAM_DEVICES);
  const auto context = info_value<cl_context>(api->clGetProgramInfo, program, CL_PROGRAM_CONTEXT);
  std::string failure = entry.failure;
  std::erase_if(devices, [](cl_device_id device) { return !is_traceable(device); });
  if (devices.empty() && failure.empty()) failure = "the device is not PoCL's CPU";
  auto build = std::make_shared<Build>(session_, cache_, context, std::move(devices), entry.units,
                                       entry.options, std::move(failure), entry.given);
  const std::lock_guard lock(mutex_);
  entry.build = std::move(build);
}

void Programs::built(cl_program program, const char* options) {
  const auto entry = find(program);
  if (!entry) return;
  if (!entry->is_binary) {
    entry->options = options != nullptr ? options : "";
    for (SourceUnit& unit : entry->units) unit.options = split_build_options(entry->options);
  }
  make_build(program, *entry);
}

void Programs::compiled(cl_program program, const char* options, cl_uint count, const cl_program* headers,
                        const char** names) {
  const auto entry = find(program);
  if (!entry || entry->units.empty()) return;
  entry->options = options != nullptr ? options : "";
  SourceUnit& unit = entry->units.front();
  unit.options = split_build_options(entry->options);
  unit.headers.clear();
  for (cl_uint i = 0; i < count; ++i) {
    const auto header = find(headers[i]);
    if (header && !header->units.empty()) unit.headers[names[i]] = header->units.front().text;
  }
}

void Programs::linked(cl_program program, const char* options, cl_uint count, const cl_program* inputs) {
  auto result = std::make_shared<Program>();
  result->is_binary = true;  // has its options already
  for (cl_uint i = 0; i < count; ++i) {
    const auto input = find(inputs[i]);
    if (!input || (input->units.empty() && input->failure.empty()))
      result->failure = "it is linked with a program of unknown origin";
    if (!input) continue;
    if (!input->failure.empty()) result->failure = "a part of it cannot be traced: " + input->failure;
    result->units.insert(result->units.end(), input->units.begin(), input->units.end());
    if (result->options.empty()) result->options = input->options;
  }
  if (options != nullptr && *options != '\0')
    result->options += (result->options.empty() ? "" : " ") + std::string(options);
  add(program, result);
  make_build(program, *result);
}

void Programs::handed_out(cl_program program, const std::vector<std::string>& binaries) {
  const auto entry = find(program);
  if (!entry || !entry->failure.empty() || entry->units.empty()) return;
  const std::lock_guard lock(mutex_);
  for (const std::string& binary : binaries) {
    if (binary.empty()) continue;
    const std::string key = origin_key(binary);
    if (!binaries_.emplace(key, std::pair(entry->units, entry->options)).second) continue;
    if (!cache_.find(key)) cache_.store(key, text_of_origin(entry->units, entry->options));
  }
}

std::shared_ptr<Build> Programs::build_of(cl_program program) {
  const auto entry = find(program);
  if (!entry) return nullptr;
  const std::lock_guard lock(mutex_);
  return entry->build;
}

std::shared_ptr<void> Programs::keep(cl_program program) {
  return find(program);
}

}  // namespace warpscope::layer
