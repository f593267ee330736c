// compile-kernel: what the instrumenting compiler makes of a kernel, one line per block and site.
// For bisecting, for the tests, and for anybody who wants to see which accesses a GPU would make.
#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "passes/driver/pipeline.h"
#include "passes/driver/ptxas.h"
#include "passes/driver/subprocess.h"
#include "passes/driver/work_directory.h"
#include "tools/options/command_options.h"
#include "tools/options/examples.h"
#include "tools/options/run_tool.h"

namespace po = boost::program_options;
using namespace warpscope;

namespace {

// What PoCL 3.1's CPU device has, for use without a device.
const std::vector<std::string> kUsualExtensions = {"cl_khr_byte_addressable_store",
                                                   "cl_khr_global_int32_base_atomics",
                                                   "cl_khr_global_int32_extended_atomics",
                                                   "cl_khr_local_int32_base_atomics",
                                                   "cl_khr_local_int32_extended_atomics",
                                                   "cl_khr_3d_image_writes",
                                                   "cl_khr_int64_base_atomics",
                                                   "cl_khr_int64_extended_atomics",
                                                   "cl_khr_fp64"};

std::string text_of(const ProgramPoint& point) {
  return fmt::format("{}:{}", point.block.value(), point.position);
}

std::string text_of(const StaticObject& object) {
  constexpr const char* kNames[] = {"unknown", "argument", "local", "private", "program_scope"};
  const char* name = kNames[static_cast<std::size_t>(object.kind)];
  return object.kind == StaticObject::Kind::Unknown ? name : fmt::format("{} {}", name, object.index);
}

std::string text_of(const std::vector<SiteId>& sites) {
  std::string text;
  for (const SiteId site : sites) text += fmt::format(" {}", site.value());
  return text;
}

/// "address from value 0 1 part 2 work-item"
std::string text_of(const AddressSources& sources) {
  std::string text;
  if (!sources.value.empty()) text += " value" + text_of(sources.value);
  if (!sources.part.empty()) text += " part" + text_of(sources.part);
  if (!sources.choice.empty()) text += " choice" + text_of(sources.choice);
  if (sources.work_item) text += " work-item";
  return text;
}

std::string text_of(const SiteInfo& site) {
  std::string line = fmt::format("{} {}", name_of(site.kind), name_of(site.space));
  if (!site.operation.empty()) line += fmt::format(" ({})", site.operation);
  if (has_address(site.kind)) {
    line += fmt::format(", width {}, align {}, {}", site.width, site.alignment, text_of(site.object));
  }
  if (site.is_volatile) line += ", volatile";
  if (site.is_streaming) line += ", streaming";
  if (site.is_read_only) line += ", read-only";
  line += fmt::format(", at {}", text_of(site.point));
  if (site.kind == AccessKind::Load)
    line += fmt::format(", earliest {}", site.earliest ? text_of(*site.earliest) : "entry");
  if (!site.consumers.empty()) line += ", consumers";
  for (const ProgramPoint& consumer : site.consumers) line += fmt::format(" {}", text_of(consumer));
  line += ", " + site.function;
  for (const SourceLocation& where : site.locations) {
    line += fmt::format(" {}:{}:{}", where.file, where.line, where.column);
  }
  return line;
}

void print_block(const KernelInfo& kernel, std::size_t id) {
  const BlockInfo& block = kernel.blocks[id];
  fmt::print("  block {}:", id);
  for (const BlockId successor : block.successors) fmt::print(" -> {}", successor.value());
  fmt::print("{}", block.successors.empty() ? " return" : "");
  if (block.immediate_post_dominator)
    fmt::print(", post-dominator {}", block.immediate_post_dominator->value());
  if (block.loop) fmt::print(", loop {}", *block.loop);
  fmt::print(", {} instructions:", block.instructions);
  for (const auto& [name, count] : block.mix) fmt::print(" {} {}", count, name);
  fmt::print("\n");
  if (!block.branch_from.empty()) fmt::print("    branch from{}\n", text_of(block.branch_from));
  if (block.parallelism) fmt::print("    parallelism: {}\n", parallelism_text(block));
  for (const SiteId site : block.sites) {
    fmt::print("    site {}: {}\n", site.value(), text_of(kernel.sites[site.value()]));
  }
  for (const SiteId site : block.sites) {
    const auto& sources = kernel.sites[site.value()].address_from;
    if (sources && !text_of(*sources).empty())
      fmt::print("    address of site {} from{}\n", site.value(), text_of(*sources));
  }
}

void print_kernel(const KernelInfo& kernel) {
  fmt::print("kernel {}, registers about {}, local memory {} bytes\n", kernel.name, kernel.registers_estimate,
             kernel.static_local_bytes);
  for (const ArgumentInfo& argument : kernel.arguments)
    fmt::print("  argument {}: {}\n", argument.name, argument.type);
  for (const ObjectInfo& object : kernel.objects) {
    fmt::print("  object {}: {}, {} bytes\n", object.name, name_of(object.space), object.size);
  }
  for (std::size_t loop = 0; loop < kernel.loops.size(); ++loop) {
    fmt::print("  loop {}: header {}", loop, kernel.loops[loop].header.value());
    if (kernel.loops[loop].parent) fmt::print(", in loop {}", *kernel.loops[loop].parent);
    if (!kernel.loops[loop].is_counted) fmt::print(", not counted");
    if (kernel.loops[loop].left_rolled != 0)
      fmt::print(", {} iterations left rolled because of its barriers", kernel.loops[loop].left_rolled);
    if (const auto& at = kernel.loops[loop].location)
      fmt::print(", {}:{}:{}", at->file, at->line, at->column);
    fmt::print("\n");
  }
  for (std::size_t block = 0; block < kernel.blocks.size(); ++block) print_block(kernel, block);
  for (const std::string& what : kernel.untraceable) fmt::print("  cannot be traced: {}\n", what);
}

void print_file(const std::string& path) {
  std::ifstream in(path);
  const nlohmann::json kernels = nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (!kernels.is_array()) throw InputError(path + ": not kernel descriptions, expected a JSON array");
  for (const nlohmann::json& kernel : kernels) print_kernel(kernel_info_from_json(kernel));
}

void print_registers(const CompileRequest& request, const std::string& architecture) {
  const PtxasReport report = ask_ptxas(request, architecture);
  for (const KernelRegisters& kernel : report.kernels)
    fmt::print("kernel {}, {} registers, {} bytes spilled (ptxas {}, {})\n", kernel.kernel, kernel.registers,
               kernel.spill_bytes, report.version, architecture);
  for (const std::string& name : report.unresolved)
    fmt::print("  code of {} is not known: counted as a call\n", name);
}

constexpr const char* kUsage =
    "Usage: compile-kernel FILE [options] [-- build options]\n"
    "FILE: OpenCL C or CUDA (.cu), or a kernels.json to print.\n\n";

struct Arguments {
  std::string registers_for;
  CompileRequest request;
  bool only_print = false;
  bool only_signatures = false;
  bool only_front_end = false;     ///< --cuda-part
  std::vector<std::string> parts;  ///< --cuda-parts
};

/// What is read goes to `result`.
CommandOptions options_into(Arguments& result, std::string& optimize) {
  CompileRequest& request = result.request;
  OptionGroup group{"Options",
                    {},
                    {"optimize", "extension", "pass-option", "print", "cuda-program", "cuda-part",
                     "cuda-parts", "cuda-arch"}};
  const auto add = [&](const char* name, const po::value_semantic* value, const char* meaning) {
    group.options.add_options()(name, value, meaning);
  };
  add("output,o", po::value(&request.work_directory)->default_value(".")->value_name("DIR"),
      "directory for optimised.bc, instrumented.bc and kernels.json");
  add("optimize", po::value(&optimize)->default_value("gpu")->value_name("gpu|O0"),
      "as for a GPU, or not at all");
  add("extension", po::value(&request.extensions)->composing()->value_name("NAME"),
      "an OpenCL extension that the device has (default: those of PoCL)");
  add("pass-option", po::value(&request.pass_options)->composing()->value_name("OPTION"),
      "for the pass, such as =-warpscope-no-branches");
  add("registers", po::value(&result.registers_for)->value_name("ARCHITECTURE"),
      "also print what ptxas says about the registers on this architecture, such as sm_80");
  add("print", po::bool_switch(&result.only_print), "FILE is a kernels.json");
  add("signatures", po::bool_switch(&result.only_signatures),
      "only print, as JSON, what the kernels take: name, type, address space and size of every parameter, "
      "and the required work-group size");
  add("cuda-program", po::bool_switch(&request.cuda_program),
      "FILE is part of a CUDA program: also writes signatures.json, for the host's side");
  add("cuda-part", po::bool_switch(&result.only_front_end),
      "only front_end.bc, which is linked with other parts (nvcc's -rdc=true)");
  add("cuda-parts", po::value(&result.parts)->composing()->value_name("FILE"),
      "such a part, may be repeated: all are linked and optimised; FILE is the name to show");
  add("cuda-arch", po::value(&request.cuda_architecture)->default_value(80)->value_name("N"),
      "__CUDA_ARCH__ / 10");
  CommandOptions options("compile-kernel");
  options.add(std::move(group)).add_word("file").add_word("build", /*more=*/true);
  return options;
}

Arguments parse(const std::vector<std::string>& words) {
  Arguments result;
  CompileRequest& request = result.request;
  std::string optimize;
  const CommandOptions options = options_into(result, optimize);
  OptionValues values;
  try {
    values = options.parse(words);
    po::notify(values);
  } catch (const po::error& error) {
    throw InputError(std::string(error.what()) + "; see --help");
  }
  if (options.answers(values, kUsage, examples_of("compile-kernel"), std::cout)) return result;
  request.source_path = warpscope::text_of(values, "file").value_or("");
  request.options = texts_of(values, "build");
  if (request.source_path.empty()) throw InputError("no file given, expected FILE; see --help");
  request.optimize = optimize_from(optimize);
  if (request.cuda_architecture < 20 || request.cuda_architecture > 999)
    throw InputError(fmt::format("--cuda-arch {}: expected a number such as 80", request.cuda_architecture));
  request.cuda_program = request.cuda_program || !result.parts.empty();
  if (!result.parts.empty()) {
    request.source_name = request.source_path;
    request.source_path = request.work_directory + "/linked.bc";
  }
  if (request.extensions.empty()) request.extensions = kUsualExtensions;
  return result;
}

void print_signatures(CompileRequest request) {
  const WorkDirectory directory("compile-kernel");
  request.work_directory = directory.path();
  fmt::print("{}", kernel_signatures(request));
}

}  // namespace

int main(int count, char** values) {
  return run_tool("compile-kernel", [&] {
    const Arguments arguments = parse({values + 1, values + count});
    if (arguments.request.source_path.empty()) return kExitOk;
    set_search_path();
    if (arguments.only_print) {
      print_file(arguments.request.source_path);
      return kExitOk;
    }
    if (arguments.only_signatures) {
      print_signatures(arguments.request);
      return kExitOk;
    }
    std::filesystem::create_directories(arguments.request.work_directory);
    if (arguments.only_front_end) {
      std::string log;
      compile_front_end(arguments.request, &log);
      if (!log.empty()) fmt::print(stderr, "{}\n", log);
      return kExitOk;
    }
    if (!arguments.parts.empty()) link_front_ends(arguments.parts, arguments.request.source_path);
    const CompiledProgram program = compile_for_capture(arguments.request);
    if (!program.log.empty()) fmt::print(stderr, "{}\n", program.log);
    bool traceable = true;
    for (const KernelInfo& kernel : program.kernels) {
      if (!arguments.request.cuda_program) print_kernel(kernel);
      traceable = traceable && kernel.untraceable.empty();
    }
    if (!arguments.registers_for.empty()) print_registers(arguments.request, arguments.registers_for);
    return traceable ? kExitOk : kExitNotTraceable;
  });
}
