#include "tools/machine_code/inventory.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "machine/cubin/kernel_source.h"
#include "machine/cubin/ptx_text.h"
#include "machine/cubin/source_name.h"
#include "machine/cubin/source_parameters.h"
#include "machine/facts/counts.h"
#include "machine/isa/decoder.h"
#include "traces/base/error.h"
#include "traces/base/printable.h"

namespace warpscope::machine {
namespace {

using Json = nlohmann::ordered_json;

const PtxKernel* kernel_of(const std::vector<PtxKernel>& kernels, const std::string& symbol) {
  const auto found = std::ranges::find(kernels, symbol, &PtxKernel::name);
  return found == kernels.end() ? nullptr : &*found;
}

class Reader {
 public:
  Reader(std::string path, std::uint32_t architecture)
      : path_(std::move(path)), architecture_(architecture) {}

  void image(DeviceImage& image) {
    try {
      if (image.kind == ImageKind::Cubin)
        cubin(image);
      else
        ptx(image);
    } catch (const InputError& error) {
      found.unread.emplace_back(error.what());
    }
  }
  Inventory found;

 private:
  void cubin(DeviceImage& image) {
    const Cubin cubin(std::move(image.bytes), image.name);
    if (architecture_ != 0 && cubin.architecture() != architecture_) return;
    const std::vector<PtxKernel> texts = read_ptx(cubin.ptx_text());
    const std::size_t before = found.kernels.size();
    for (const Function& function : cubin.functions()) {
      if (!function.is_kernel) continue;
      ListedKernel kernel;
      kernel.code = fmt::format("sm_{}{}", cubin.architecture(), image.variant);
      kernel.symbol = function.name;
      kernel.compiler = cubin.compiler();
      kernel.registers = function.registers;
      kernel.stack_bytes = function.frame_bytes;
      kernel.shared_bytes = own_shared_bytes(cubin.architecture(), function);
      kernel.has_lines = cubin.lines().of_section(function.section) != nullptr;
      for (const KernelParameter& parameter : function.parameters)
        kernel.parameters.push_back({"", "", parameter.bytes});
      describe(kernel, kernel_of(texts, function.name), source_of(cubin, path_, function.name).text);
      found.kernels.push_back(std::move(kernel));
    }
    if (found.kernels.size() == before) return;
    if (!Decoder::supports(cubin.architecture()))
      found.notes.push_back(fmt::format("{}: sm_{} is not executed here, expected sm_70 to sm_90", image.name,
                                        cubin.architecture()));
    else if (cubin.is_relocatable())
      found.notes.push_back(fmt::format(
          "{}: relocatable code (nvcc -rdc=true) is not executed before it is linked", image.name));
  }

  void ptx(const DeviceImage& image) {
    const std::string text(image.bytes.begin(), image.bytes.end());
    const std::string target = ptx_target(text);
    if (target.size() < 4 || !target.starts_with("sm_"))
      throw InputError(
          fmt::format("{}: no directive '.target sm_NN', expected PTX as nvcc writes it", image.name));
    if (architecture_ != 0 && target.substr(3) != std::to_string(architecture_)) return;
    for (const PtxKernel& one : read_ptx(text)) {
      ListedKernel kernel;
      kernel.code = "compute_" + target.substr(3);
      kernel.symbol = one.name;
      for (const PtxVariable& shared : one.shared) kernel.shared_bytes += shared.bytes;
      kernel.has_lines =
          text.find("\t.loc\t") != std::string::npos || text.find(".loc ") != std::string::npos;
      for (const PtxParameter& parameter : one.parameters)
        kernel.parameters.push_back({"", "", parameter.bytes});
      describe(kernel, &one, "");
      found.kernels.push_back(std::move(kernel));
    }
  }

  /// Names and types of its parameters.
  static void describe(ListedKernel& kernel, const PtxKernel* ptx, const std::string& source) {
    const std::size_t count = kernel.parameters.size();
    const std::vector<std::string> names = parameter_names(kernel.symbol, count, ptx, source);
    const std::vector<std::string> types = parameter_types(kernel.symbol);
    for (std::size_t index = 0; index < count; ++index) {
      kernel.parameters[index].name = names[index].empty() ? fmt::format("param_{}", index) : names[index];
      if (types.size() == count) kernel.parameters[index].type = types[index];
    }
  }

  std::string path_;
  std::uint32_t architecture_;
};

std::string parameters_text(const ListedKernel& kernel) {
  std::string text;
  for (const ListedParameter& one : kernel.parameters)
    text += fmt::format("{}{}{}{}: {}", text.empty() ? "" : ", ", printable(one.type),
                        one.type.empty() ? "" : " ", printable(one.name), one.bytes);
  return text;
}

std::string number_or_dash(const std::optional<std::uint32_t>& value) {
  return value ? std::to_string(*value) : "-";
}

}  // namespace

Inventory inventory(DeviceContent content, const std::string& path, std::uint32_t architecture) {
  Reader reader(path, architecture);
  for (DeviceImage& image : content.images) reader.image(image);
  Inventory& found = reader.found;
  for (std::vector<std::string>* lines : {&content.damaged, &content.others})
    found.unread.insert(found.unread.end(), lines->begin(), lines->end());
  if (found.kernels.empty())
    throw InputError(!found.unread.empty() ? found.unread.front()
                     : architecture != 0
                         ? fmt::format("{}: no code for sm_{}", printable(path), architecture)
                         : fmt::format("{}: has no kernels, expected a program or library that "
                                       "nvcc linked, or its device code",
                                       printable(path)));
  return std::move(found);
}

std::string inventory_text(const Inventory& found) {
  constexpr const char* kRow = "{:<12} {:>9} {:>7} {:>7}  {:<5}  {}\n";
  std::string text =
      fmt::format(kRow, "code", "registers", "stack B", "shared", "lines", "kernel (parameters: bytes)");
  for (const ListedKernel& one : found.kernels)
    text += fmt::format(kRow, one.code, number_or_dash(one.registers), number_or_dash(one.stack_bytes),
                        one.shared_bytes, one.has_lines ? "yes" : "no",
                        fmt::format("{}({})", printable(source_name(one.symbol)), parameters_text(one)));
  for (const std::string& line : found.notes) text += line + "\n";
  for (const std::string& line : found.unread) text += fmt::format("not read: {}\n", line);
  return text;
}

std::string inventory_json(const Inventory& found) {
  Json all = {{"schema", 1}, {"kernels", Json::array()}};
  for (const ListedKernel& one : found.kernels) {
    Json parameters = Json::array();
    for (const ListedParameter& parameter : one.parameters)
      parameters.push_back({{"name", printable(parameter.name)},
                            {"type", printable(parameter.type)},
                            {"bytes", parameter.bytes}});
    Json kernel = {{"name", printable(one.symbol)},
                   {"source_name", printable(source_name(one.symbol))},
                   {"code", one.code},
                   {"compiler", one.compiler},
                   {"registers", nullptr},
                   {"stack_bytes", nullptr},
                   {"shared_bytes", one.shared_bytes},
                   {"lineinfo", one.has_lines},
                   {"parameters", std::move(parameters)}};
    if (one.registers) kernel["registers"] = *one.registers;
    if (one.stack_bytes) kernel["stack_bytes"] = *one.stack_bytes;
    all["kernels"].push_back(std::move(kernel));
  }
  all["notes"] = found.notes;
  all["unread"] = found.unread;
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warpscope::machine
