// machine-code: kernels of cubins, fat binaries and programs, and their instructions.
#include <fmt/format.h>

#include <iostream>

#include "machine/cubin/fat_binary.h"
#include "machine/isa/decoder.h"
#include "tools/machine_code/inventory.h"
#include "tools/machine_code/listing.h"
#include "tools/machine_code/words.h"
#include "tools/options/command_options.h"
#include "tools/options/examples.h"
#include "tools/options/run_tool.h"
#include "traces/base/printable.h"
#include "traces/files/file_io.h"

namespace warpscope {
namespace {

constexpr const char* kUsage =
    "machine-code FILE [options]: what NVIDIA's compiler made of the kernels in a cubin, a fat binary, an "
    "object, a library or a program\n"
    "(- = standard input). Without --kernel: one line per kernel; with it its instructions.\n"
    "machine-code --words FILE --arch sm_NN: the text of one hexadecimal word a line; a second column is its "
    "address.\n\n";

constexpr std::size_t kLargestInput = std::size_t{1} << 29;  ///< a device such as /dev/zero never ends

constexpr std::uint32_t kMostWorkItems = 1024;  ///< of a work-group, on every GPU
constexpr std::uint64_t kMostSharedBytes = std::uint64_t{1} << 24;

std::vector<std::uint8_t> whole_file(const std::string& path) {
  const Descriptor file = open_input(path);
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::vector<std::uint8_t> bytes;
  for (std::size_t got = 1; got != 0;) {
    const std::size_t before = bytes.size();
    if (bytes.capacity() < before + kPiece) bytes.reserve(before + before / 2 + kPiece);
    bytes.resize(before + kPiece);
    got = read_some(file.get(), std::span(bytes).subspan(before), path);
    bytes.resize(before + got);
    if (bytes.size() > kLargestInput)
      throw InputError(fmt::format("{}: has more than {} bytes, expected a file that fits into memory",
                                   printable(path), kLargestInput));
  }
  return bytes;
}

/// 90 of sm_90 or 90.
std::uint32_t parse_architecture(const std::string& text) {
  const std::string digits = text.starts_with("sm_") ? text.substr(3) : text;
  if (digits.empty() || digits.size() > 3 || digits.find_first_not_of("0123456789") != std::string::npos)
    throw InputError(fmt::format("--arch {}: expected an architecture such as sm_90", quotable(text)));
  const auto architecture = static_cast<std::uint32_t>(std::stoul(digits));
  if (!machine::Decoder::supports(architecture))
    throw InputError(
        fmt::format("--arch {}: expected sm_70 to sm_90, whose instructions are known", quotable(text)));
  return architecture;
}

int print_kernels(const std::string& path, const machine::ListingOptions& options) {
  machine::refuse_vendor_library(path);
  const std::vector<std::uint8_t> bytes = whole_file(path);
  const machine::Inventory found = machine::inventory(
      machine::device_content(machine::ByteView(bytes, printable(path))), path, options.architecture);
  std::cout << (options.json ? machine::inventory_json(found) : machine::inventory_text(found));
  return kExitOk;
}

int print_images(const std::string& path, const machine::ListingOptions& options) {
  machine::refuse_vendor_library(path);
  const std::vector<std::uint8_t> bytes = whole_file(path);
  std::vector<machine::DeviceImage> images =
      machine::device_images(machine::ByteView(bytes, printable(path)));
  std::vector<machine::Cubin> cubins;
  for (machine::DeviceImage& image : images)
    if (image.kind == machine::ImageKind::Cubin) cubins.emplace_back(std::move(image.bytes), image.name);
  if (cubins.empty())
    throw InputError(
        fmt::format("{}: holds PTX only, expected machine code: compile it with ptxas", printable(path)));
  std::cout << machine::listing(cubins, options);
  return kExitOk;
}

int run(const std::vector<std::string>& words) {
  OptionGroup own{"Options", {}};
  own.options.add_options()(
      "kernel", boost::program_options::value<std::string>()->value_name("NAME"),
      "instructions of this kernel or function, by its name or symbol; all = of every one")(
      "arch", boost::program_options::value<std::string>()->value_name("sm_NN"),
      "only code for this architecture; of --words: theirs")(
      "words", boost::program_options::value<std::string>()->value_name("FILE"),
      "words instead of a file of machine code")("plain",
                                                 "instructions without control words and source lines")(
      "json", "kernels with counts of instructions and accesses, or instructions, as JSON")(
      "kernels",
      "only kernels, also of PTX: registers, shared memory, source lines, parameters; a line for each part "
      "that "
      "cannot be read")("cfg", boost::program_options::value<std::string>()->value_name("dot|text"),
                        "the control flow graph: for Graphviz, or a line per basic block")(
      "gpu", boost::program_options::value<std::string>()->value_name("GPU"),
      "with --json: the work-groups that a core of this GPU holds")(
      "local", boost::program_options::value<std::string>()->value_name("N")->default_value("256"),
      "with --gpu: work-items of a work-group")(
      "dynamic-shared", boost::program_options::value<std::string>()->value_name("BYTES")->default_value("0"),
      "with --gpu: shared memory that the launch adds");
  CommandOptions options("machine-code");
  options.add(std::move(own)).add_word("file");
  const OptionValues values = options.parse(words);
  if (options.answers(values, kUsage, examples_of("machine-code"), std::cout)) return kExitOk;
  machine::ListingOptions listing;
  if (values.count("arch") != 0) listing.architecture = parse_architecture(values["arch"].as<std::string>());
  if (values.count("words") != 0) {
    if (listing.architecture == 0)
      throw InputError("--words needs --arch, expected for example --arch sm_90");
    return machine::print_words(values["words"].as<std::string>(), listing.architecture);
  }
  if (values.count("file") == 0) throw InputError("no input given, expected: machine-code FILE");
  if (values.count("kernel") != 0) listing.kernel = values["kernel"].as<std::string>();
  listing.plain = values.count("plain") != 0;
  listing.json = values.count("json") != 0;
  listing.graph = text_of(values, "cfg").value_or("");
  if (!listing.graph.empty() && listing.graph != "dot" && listing.graph != "text")
    throw InputError(fmt::format("--cfg {}: expected dot or text", quotable(listing.graph)));
  if (!listing.graph.empty() && listing.json)
    throw InputError("--json: not with --cfg, expected one of them");
  if (const auto gpu = text_of(values, "gpu")) listing.shape.gpu = load_preset(*gpu, {}, "--gpu");
  listing.shape.work_items = *number32_of(values, "local", 1, kMostWorkItems);
  listing.shape.dynamic_bytes = *number_of(values, "dynamic-shared", 0, kMostSharedBytes);
  if (values.count("kernels") != 0) return print_kernels(values["file"].as<std::string>(), listing);
  return print_images(values["file"].as<std::string>(), listing);
}

}  // namespace
}  // namespace warpscope

int main(int argc, char** argv) {
  return warpscope::run_tool("machine-code", [&] { return warpscope::run({argv + 1, argv + argc}); });
}
