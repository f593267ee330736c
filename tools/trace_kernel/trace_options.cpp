#include "tools/trace_kernel/trace_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

#include "gpus/preset.h"
#include "tools/options/command_options.h"
#include "tools/options/examples.h"
#include "tools/options/gpu_options.h"
#include "traces/base/error.h"
#include "traces/base/parse_number.h"
#include "traces/program/group_selection.h"
#include "traces/program/launch_selection.h"
#include "wrapper/launch/triton/metadata.h"
#include "wrapper/machine/program/device_file.h"
#include "wrapper/program/program_device.h"

namespace warpscope {
namespace {

namespace po = boost::program_options;

constexpr const char* kDefaultArchitecture = "sm_90";  ///< of --machine

constexpr const char* kUsage =
    "Usage: trace-kernel FILE.cl|FILE.cu|FILE.ptx|FILE.cubin [options]\n"
    "       trace-kernel [options] -- PROGRAM [ARGUMENT]...\n"
    "Runs an OpenCL or CUDA kernel on the CPU and records the accesses and branches of every work-item.\n"
    "The launch comes from the options and from NAME.launch or NAME.sim next to NAME.cl.\nWith a program, "
    "every launch that it makes is recorded.\n\n";

OptionGroup launch_options() {
  OptionGroup launch{"The launch",
                     {},
                     {"dynamic-shared", "cluster", "metadata", "registers", "machine", "nvcc-options",
                      "limit-instructions", "offset", "build-options", "optimize"}};
  launch.options.add_options()(
      "kernel", po::value<std::string>()->value_name("NAME"),
      "kernel to run, if the file has several. With a program, NAME[,NAME]: only launches "
      "of these kernels (whole names, or regular expressions found in a name)")(
      "global", po::value<std::string>()->value_name("X[,Y[,Z]]"), "work-items")(
      "local", po::value<std::string>()->value_name("X[,Y[,Z]]"), "work-items per work-group")(
      "grid", po::value<std::string>()->value_name("X[,Y[,Z]]"),
      "work-groups, as in <<<grid, block>>>; with --block, instead of --global")(
      "block", po::value<std::string>()->value_name("X[,Y[,Z]]"), "the same as --local")(
      "dynamic-shared", po::value<std::string>()->value_name("BYTES"),
      "size of CUDA's extern __shared__ array")(
      "cluster", po::value<std::string>()->value_name("X[,Y[,Z]]"),
      "work-groups of a cluster, of machine code whose kernel does not say so itself")(
      "metadata", po::value<std::string>()->value_name("FILE.json"),
      "of a cubin from Triton's cache: its metadata, which say the work-group's size, shared memory and "
      "scratch memory")("offset", po::value<std::string>()->value_name("X[,Y[,Z]]"), "global offset")(
      "arg", po::value<std::vector<std::string>>()->value_name("NAME=SPEC"),
      "an argument: NAME=EXPR, or NAME=count=EXPR,fill=zero|iota|random(SEED)|file:PATH; repeatable")(
      "launch-file", po::value<std::string>()->value_name("FILE"),
      "launch description: JSON, or Oclgrind's .sim")("size", po::value<std::string>()->value_name("NAME"),
                                                      "one of the launch file's sizes, such as small")(
      "define,D", po::value<std::vector<std::string>>()->value_name("NAME=VALUE"),
      "macro for the compiler; repeatable")("build-options", po::value<std::string>()->value_name("TEXT"),
                                            "options as for clBuildProgram")(
      "optimize", po::value<std::string>()->default_value("gpu")->value_name("gpu|O0"),
      "gpu: as a GPU's compiler would; O0: only scalars are kept in registers")(
      "registers", po::value<std::string>()->value_name("GPU|sm_NN|auto"),
      "ask NVIDIA's nvcc (of a .cu) or ptxas how many registers the kernel takes there, instead of "
      "estimating; auto, auto:GPU: where one is found that knows it")(
      "machine", po::value<std::string>()->implicit_value("")->value_name("GPU|sm_NN"),
      "execute the machine code that NVIDIA's nvcc makes of a .cu for this GPU (default: that of --gpu, else "
      "sm_90), instead of what Warpscope's compiler makes. Of a .ptx, a .cubin or a program: the code that "
      "this GPU runs")("nvcc-options", po::value<std::string>()->value_name("TEXT"),
                       "more options for the compiler of the machine code: nvcc, or ptxas of a .ptx")(
      "limit-instructions", po::value<std::string>()->value_name("N"),
      "end a launch of machine code after this many instructions of warps (suffix K, M or G)");
  return launch;
}

OptionGroup recording_options() {
  OptionGroup recording{"Recording",
                        {},
                        {"counters", "count-only", "record-order", "no-boxes", "address-space", "threads",
                         "limit-size", "limit-memory", "skip-others", "group-order", "dump-buffers",
                         "keep-temporaries", "run-only", "addresses-only", "preset"}};
  recording.options.add_options()("output,o", po::value<std::string>()->value_name("CAPTURE"),
                                  "default: NAME.wtrace; - = standard output")(
      "counters", po::value<std::string>()->value_name("FILE.json"),
      "of machine code: record nothing, and write the counters that depend on no cache, as the GPU's "
      "profiler "
      "has them; - = standard output")("count-only", "record nothing, print what would be recorded")(
      "verify", "also run the kernel without instrumentation and compare all buffers")(
      "record-order", "also store the order of each work-item's accesses, to check replays")(
      "no-boxes",
      "record every access when it is made, also of kernels whose addresses can be predicted: slower, the "
      "same capture")(
      "address-space", po::value<std::string>()->value_name("LIST"),
      "record only these: global,constant,local,private (generic pointers are always recorded)")(
      "threads", po::value<unsigned>()->value_name("N"),
      "threads: of PoCL, or that execute machine code; default: all CPUs")(
      "limit-size", po::value<std::string>()->value_name("BYTES"),
      "stop when the capture gets larger (suffix K, M or G)")(
      "limit-memory", po::value<std::string>()->value_name("BYTES"),
      "memory for recording a work-group; what needs more goes to a temporary file (suffix K, M or G; "
      "default: "
      "1G, less if memory is short)")(
      "dump-buffers", po::value<std::string>()->value_name("DIR"),
      "write every buffer after the run to DIR/NAME.bin, and the launch to DIR/launch.json")(
      "keep-temporaries", po::value<std::string>()->value_name("DIR"), "keep the compiler's files in DIR")(
      "run-only", po::value<std::string>()->value_name("BITCODE"),
      "only run this bitcode (optimised.bc of --keep-temporaries), on the first OpenCL device")(
      "work-groups", po::value<std::string>()->default_value("all")->value_name("WHICH"),
      "record only these work-groups: 0-63,128 or every:16 or random:1%, or of --gpu all of every 4th core "
      "(every-core:4), all of ten cores drawn at random (random-cores:10), or the first that all cores hold "
      "at once, "
      "three times over (waves:3)")("skip-others",
                                    "do not even run work-groups that are not recorded: faster. Wrong "
                                    "where these write what recorded ones read")(
      "group-order", po::value<std::string>()->value_name("ascending|descending|mirrored|random(SEED)"),
      "run the work-groups one after the other in this order, to find results that depend on it")(
      "resume",
      "go on where an interrupted run of the same command left CAPTURE.part, if it did: what that recorded "
      "is not recorded "
      "again")("addresses-only",
               "of kernels whose addresses need no memory only these are computed, and no results: faster")(
      "gpu", po::value<std::string>()->value_name("GPU"),
      "whose cores --work-groups names (default: $WARPSCOPE_GPU)")(
      "preset", po::value<std::string>()->value_name("GPU"), "the same as --gpu");
  return recording;
}

OptionGroup program_options() {
  OptionGroup program{"Only with a program",
                      {},
                      {"device-like", "max-launches", "slowdown", "children", "cache-dir", "no-cache",
                       "unwritten", "host-writes"}};
  program.options.add_options()("launch", po::value<std::string>()->value_name("LIST"),
                                "record only these launches, counted from 0: 0,3-7")(
      "device-like", po::value<std::string>()->default_value("common")->value_name("common|GPU|pocl"),
      "device that the program sees: a GPU with the limits that all have, common (1024 work-items and 48 KiB "
      "of "
      "local memory per work-group), a GPU preset, or PoCL's own CPU")(
      "max-launches", po::value<std::string>()->value_name("N"), "record at most N launches")(
      "slowdown", "run the program without recording first, and compare the launches' times")(
      "children", po::value<std::string>()->default_value("trace")->value_name("trace|ignore"),
      "record the processes that the program starts, each to its own file, or leave them alone")(
      "cache-dir", po::value<std::string>()->value_name("DIR"),
      "folder for compiled kernels; default: ~/.cache/warpscope")("no-cache", "compile every kernel again")(
      "unwritten",
      "also record what memory nobody has written when a launch begins, and what the program never frees; "
      "memory that it allocates then holds a pattern")(
      "host-writes", po::value<std::string>()->value_name("FILE"),
      "with --unwritten: what the host has written to device memory before each launch");
  return program;
}

/// --work-groups, with the GPU whose cores or waves it names.
WorkGroupChoice work_groups_from(const OptionValues& values, bool is_code) {
  const std::string which = values["work-groups"].as<std::string>();
  const auto gpu = gpu_choice(values);
  const bool is_option = gpu && gpu->asked_by != "WARPSCOPE_GPU";
  if (!WorkGroupChoice::names_gpu(which)) {
    if (is_option && !is_code)
      throw InputError(
          fmt::format("{} {}: only with --work-groups every-core:K, "
                      "random-cores:K or waves:N",
                      gpu->asked_by, gpu->name));
    return WorkGroupChoice(which);
  }
  if (!gpu)
    throw InputError(
        fmt::format("--work-groups {}: which GPU's cores? expected --gpu GPU, or all in numbers as in "
                    "every-core:4/108, drawn-cores:0,7,33/108, waves:3/864",
                    which));
  return {which, load_preset(gpu->name, {}, gpu->asked_by)};
}

/// An option that leaves buffers incomplete, and excludes `others`.
bool leaves_incomplete(const OptionValues& values, const char* option,
                       std::initializer_list<const char*> others) {
  if (values.count(option) == 0) return false;
  for (const char* other : others)
    if (values.count(other) > 0)
      throw InputError(fmt::format("--{}: leaves buffers incomplete, expected no --{}", option, other));
  return true;
}

GroupOrder parse_group_order(const std::string& text) {
  if (text == "ascending") return {GroupOrder::Kind::Ascending, 0};
  if (text == "descending") return {GroupOrder::Kind::Descending, 0};
  if (text == "mirrored") return {GroupOrder::Kind::Descending, 0, true};
  std::string_view rest = text;
  if (rest.starts_with("random(") && rest.ends_with(")")) {
    rest = rest.substr(7, rest.size() - 8);
    if (const auto seed = take_number(rest); seed && rest.empty()) return {GroupOrder::Kind::Random, *seed};
  }
  throw InputError(
      fmt::format("--group-order {}: expected ascending, descending, mirrored or random(SEED)", text));
}

bool skips_others(const OptionValues& values) {
  const bool skips = leaves_incomplete(values, "skip-others", {"verify", "dump-buffers", "run-only"});
  if (skips && values.count("resume") == 0 && values["work-groups"].as<std::string>() == "all")
    throw InputError("--skip-others: all work-groups are recorded, expected --work-groups WHICH");
  return skips;
}

/// One after the other: PoCL gets one thread.
void take_group_order(TraceRequest& request, const OptionValues& values, bool is_code) {
  const auto text = text_of(values, "group-order");
  if (!text) return;
  for (const char* other : {"skip-others", "addresses-only", "run-only", "resume"})
    if (values.count(other) > 0)
      throw InputError(fmt::format("--group-order: runs all work-groups, expected no --{}", other));
  if (!request.program.empty())
    throw InputError("--group-order: of a kernel's file, expected no program behind --");
  if (!is_code && request.threads.value_or(1) != 1)
    throw InputError(fmt::format(
        "--group-order: one work-group after the other, expected --threads 1, not {}", *request.threads));
  if (!is_code) request.threads = 1;
  request.group_order = parse_group_order(*text);
}

bool computes_addresses_only(const OptionValues& values) {
  const char* const option = "addresses-only";
  const bool only = leaves_incomplete(values, option, {"verify", "dump-buffers", "run-only"});
  for (const char* other : {"no-boxes", "record-order"})
    if (only && values.count(other) > 0)
      throw InputError(
          fmt::format("--{} and --{}: with that every access is made, expected one of them", option, other));
  return only;
}

bool resumes(const OptionValues& values) {
  if (values.count("resume") == 0) return false;
  for (const char* other : {"count-only", "run-only", "verify", "dump-buffers"})
    if (values.count(other) > 0)
      throw InputError(fmt::format("--resume: perhaps nothing is left to record, expected no --{}", other));
  if (text_of(values, "output") == "-")
    throw InputError("--resume: standard output leaves no part, expected --output CAPTURE");
  return true;
}

std::uint64_t parse_size_limit(const std::string& text, const char* option,
                               const char* expected = "number of bytes such as 500M") {
  std::string_view suffix = text;
  const std::uint64_t value = take_number(suffix).value_or(0);
  const int shift = suffix == "K" ? 10 : suffix == "M" ? 20 : suffix == "G" ? 30 : suffix.empty() ? 0 : -1;
  if (shift < 0 || value == 0 || value > (std::uint64_t{1} << 62 >> shift))
    throw InputError(fmt::format("{} {}: expected a {}", option, text, expected));
  return value << shift;
}

Dim3 parse_cluster(const std::string& text) {
  std::uint64_t sizes[] = {1, 1, 1};
  std::size_t axis = 0;
  for (std::string_view one : parse_dimensions(text, "--cluster")) {
    const auto size = take_number(one);
    if (!size || *size == 0 || !one.empty())
      throw InputError(fmt::format("--cluster {}: expected numbers of work-groups such as 2,1,1", text));
    sizes[axis++] = *size;
  }
  return {sizes[0], sizes[1], sizes[2]};
}

void add_launch(TraceRequest& request, const OptionValues& values) {
  LaunchDescription& launch = request.launch;
  launch.where = "the options";
  launch.kernel = text_of(values, "kernel");
  if (const auto text = text_of(values, "global")) launch.global = parse_dimensions(*text, "--global");
  if (const auto text = text_of(values, "local")) launch.local = parse_dimensions(*text, "--local");
  if (const auto text = text_of(values, "grid")) request.cuda.grid = parse_dimensions(*text, "--grid");
  if (const auto text = text_of(values, "block")) request.cuda.block = parse_dimensions(*text, "--block");
  request.cuda.dynamic_shared = text_of(values, "dynamic-shared");
  request.metadata = text_of(values, "metadata").value_or("");
  if (!request.metadata.empty())
    apply_to_options(read_triton_metadata(request.metadata), request.cuda, launch);
  apply_grid(launch, request.cuda);
  if (const auto text = text_of(values, "offset")) launch.offset = parse_dimensions(*text, "--offset");
  launch.build_options = text_of(values, "build-options").value_or("");
  if (values.count("arg")) {
    for (const std::string& text : texts_of(values, "arg")) {
      const auto [name, argument] = parse_argument_option(text);
      if (!launch.arguments.emplace(name, argument).second)
        throw InputError(fmt::format("--arg {}: argument '{}' is given twice", text, name));
    }
  }
  if (values.count("define")) {
    for (const std::string& text : values["define"].as<std::vector<std::string>>()) {
      const auto equals = text.find('=');
      launch.defines[text.substr(0, equals)] = equals == std::string::npos ? "1" : text.substr(equals + 1);
    }
  }
}

std::string default_cache_directory() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/warpscope";
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home != '\0' ? std::string(home) + "/.cache/warpscope" : "";
}

std::uint64_t parse_count(const std::string& text, const char* option) {
  const auto ranges = parse_number_ranges(text, fmt::format("{} {}", option, text));
  if (ranges.size() != 1 || ranges[0].first != ranges[0].second || ranges[0].first == 0)
    throw InputError(fmt::format("{} {}: expected a number of at least 1", option, text));
  return ranges[0].first;
}

void refuse(const OptionValues& values, std::initializer_list<const char*> names, const char* with) {
  for (const char* name : names)
    if (values.count(name) && !values[name].defaulted())
      throw InputError(fmt::format("--{}: only with {}; trace-kernel --help lists the options", name, with));
}

void add_program(TraceRequest& request, const OptionValues& values) {
  refuse(values, {"global",      "local",          "grid",         "block",        "dynamic-shared",
                  "cluster",     "offset",         "arg",          "launch-file",  "size",
                  "define",      "build-options",  "count-only",   "verify",       "resume",
                  "skip-others", "addresses-only", "record-order", "dump-buffers", "keep-temporaries",
                  "run-only",    "registers",      "machine",      "nvcc-options", "limit-instructions",
                  "metadata"},
         "FILE.cl");
  (void)LaunchSelection(text_of(values, "launch"), text_of(values, "kernel"));
  request.of_program.launches = text_of(values, "launch").value_or("");
  request.of_program.kernels = text_of(values, "kernel").value_or("");
  request.of_program.device_like = layer::device_like_from(values["device-like"].as<std::string>());
  if (const auto text = text_of(values, "max-launches"))
    request.of_program.max_launches = parse_count(*text, "--max-launches");
  const std::string children = values["children"].as<std::string>();
  if (children != "trace" && children != "ignore")
    throw InputError(fmt::format("--children {}: expected trace or ignore", children));
  request.of_program.ignore_children = children == "ignore";
  request.of_program.slowdown = values.count("slowdown") > 0;
  request.of_program.finds_unwritten = values.count("unwritten") > 0;
  request.of_program.host_writes = text_of(values, "host-writes").value_or("");
  if (!request.of_program.host_writes.empty() && !request.of_program.finds_unwritten)
    throw InputError("--host-writes: of what --unwritten follows, expected that, too");
  if (values.count("no-cache") == 0)
    request.of_program.cache_directory = text_of(values, "cache-dir").value_or(default_cache_directory());
}

/// --nvcc-options: what they say of outputs and architectures is not theirs to say.
void take_compiler_options(TraceRequest& request, const OptionValues& values) {
  const auto text = text_of(values, "nvcc-options");
  if (!text) return;
  if (request.file.ends_with(".cubin"))
    throw InputError(
        fmt::format("--nvcc-options: {} is compiled already, expected a .cu or a .ptx", request.file));
  request.nvcc_options = split_build_options(*text);
  for (const std::string& option : request.nvcc_options)
    for (const char* own :
         {"-arch", "--gpu-architecture", "-gencode", "--generate-code", "-code", "--gpu-code", "--gpu-name",
          "-o", "--output-file", "-ptx", "-cubin", "-fatbin", "-rdc", "-dc"})
      if (option == own || option.starts_with(std::string(own) + "="))
        throw InputError(fmt::format(
            "--nvcc-options {}: {} is set by trace-kernel, expected --machine=sm_NN for an architecture",
            *text, own));
}

/// --counters, of the GPU that --machine or --gpu names.
void take_counters(TraceRequest& request, const OptionValues& values) {
  const auto path = text_of(values, "counters");
  if (!path) return;
  if (!request.program.empty())
    throw InputError("--counters: of a kernel's file, expected no program behind --");
  for (const char* other : {"output", "limit-size", "limit-memory"})
    if (values.count(other) > 0)
      throw InputError(fmt::format("--counters: nothing is recorded, expected no --{}", other));
  const auto gpu = gpu_choice(values);
  const std::string machine = request.machine.value_or("");
  const bool is_named = !machine.empty() && !machine.starts_with("sm_");
  if (!gpu && !is_named)
    throw InputError(fmt::format("--counters {}: of which GPU? expected --gpu GPU", *path));
  request.counters = {
      *path, gpu ? load_preset(gpu->name, {}, gpu->asked_by) : load_preset(machine, {}, "--machine")};
}

/// What is for machine code; returns whether that is what runs.
bool take_machine(TraceRequest& request, const OptionValues& values) {
  const bool is_file = request.program.empty() && is_device_file(request.file);
  request.machine = text_of(values, "machine");
  if (!request.machine && !is_file) {
    for (const char* other : {"nvcc-options", "limit-instructions", "cluster", "counters", "metadata"})
      if (values.count(other) > 0)
        throw InputError(fmt::format("--{}: only with --machine, or for a .ptx or .cubin", other));
    return false;
  }
  const std::string what = is_file ? fmt::format("{} is machine code", request.file) : "--machine";
  for (const char* other : {"verify", "resume", "addresses-only", "run-only", "registers", "record-order",
                            "address-space", "count-only", "offset"})
    if (values.count(other) > 0) throw InputError(fmt::format("{}: not together with --{}", what, other));
  for (const char* other : {"define", "build-options"})
    if (is_file && values.count(other) > 0)
      throw InputError(fmt::format("{}, which no compiler reads again: expected no --{}", what, other));
  take_compiler_options(request, values);
  if (const auto text = text_of(values, "limit-instructions"))
    request.instruction_limit =
        parse_size_limit(*text, "--limit-instructions", "number of instructions such as 500M");
  if (const auto text = text_of(values, "cluster")) request.cuda.cluster = parse_cluster(*text);
  take_counters(request, values);
  if (request.machine && !request.machine->empty()) return true;
  const auto gpu = gpu_choice(values);
  if (gpu && (request.machine || gpu->asked_by != "WARPSCOPE_GPU"))
    request.machine = gpu->name;
  else if (!is_file)
    request.machine = kDefaultArchitecture;
  return true;
}

OptionValues parse_values(const CommandOptions& options, const std::vector<std::string>& words) {
  try {
    return options.parse(words);
  } catch (const po::error& error) {
    throw InputError(fmt::format("{}; trace-kernel --help lists the options", error.what()));
  }
}

/// "--machine sm_90" as "--machine=sm_90": with an implicit value the next word would be a file.
std::vector<std::string> with_joined_machine(std::vector<std::string> words) {
  for (std::size_t place = 0; place + 1 < words.size() && words[place] != "--"; ++place) {
    if (words[place] != "--machine" || !words[place + 1].starts_with("sm_")) continue;
    words[place] += "=" + words[place + 1];
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  }
  return words;
}

}  // namespace

std::optional<TraceRequest> trace_request_from(const std::vector<std::string>& given) {
  const std::vector<std::string> words = with_joined_machine(given);
  CommandOptions options("trace-kernel");
  options.add(launch_options()).add(recording_options()).add(program_options()).add_word("file", true);
  const auto separator = std::find(words.begin(), words.end(), "--");
  const bool has_program = separator != words.end();
  TraceRequest request;
  if (has_program) request.program.assign(separator + 1, words.end());
  const OptionValues values = parse_values(options, {words.begin(), separator});
  if (options.answers(values, kUsage, examples_of("trace-kernel"), std::cout)) return std::nullopt;
  const std::size_t files = values.count("file") ? values["file"].as<std::vector<std::string>>().size() : 0;
  if (has_program && (files != 0 || request.program.empty()))
    throw InputError(
        "expected a program behind -- and no file before it: trace-kernel -- PROGRAM [ARGUMENT]...");
  if (!has_program && files != 1)
    throw InputError(
        fmt::format("{} files, expected one: trace-kernel FILE.cl [options]; --help lists them", files));
  if (!has_program) request.file = values["file"].as<std::vector<std::string>>().front();
  request.output = text_of(values, "output").value_or("");
  request.launch_file = text_of(values, "launch-file");
  request.size = text_of(values, "size").value_or("");
  request.optimize = optimize_from(values["optimize"].as<std::string>());
  request.verify = values.count("verify") > 0;
  request.count_only = values.count("count-only") > 0;
  request.boxes = values.count("no-boxes") == 0;
  request.record_order = values.count("record-order") > 0;
  if (values.count("threads")) {
    request.threads = values["threads"].as<unsigned>();
    if (*request.threads == 0 || *request.threads > 1024) throw InputError("--threads: expected 1 to 1024");
  }
  request.keep_directory = text_of(values, "keep-temporaries");
  request.dump_directory = text_of(values, "dump-buffers");
  request.run_only = text_of(values, "run-only");
  request.address_spaces = text_of(values, "address-space");
  request.registers_for = text_of(values, "registers").value_or("");
  const bool is_code = take_machine(request, values);
  if (const auto text = text_of(values, "limit-size"))
    request.size_limit = parse_size_limit(*text, "--limit-size");
  if (const auto text = text_of(values, "limit-memory"))
    request.group_memory = parse_size_limit(*text, "--limit-memory");
  request.work_groups = work_groups_from(values, is_code);
  request.skip_others = skips_others(values);
  request.addresses_only = computes_addresses_only(values);
  request.resume = resumes(values);
  take_group_order(request, values, is_code);
  if (has_program) {
    add_program(request, values);
    return request;
  }
  refuse(values,
         {"launch", "max-launches", "device-like", "slowdown", "children", "cache-dir", "no-cache",
          "unwritten", "host-writes"},
         "-- PROGRAM");
  add_launch(request, values);
  return request;
}

}  // namespace warpscope
