#include "wrapper/machine/program/device_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "machine/cubin/ptx_text.h"
#include "machine/isa/decoder.h"
#include "traces/base/error.h"
#include "traces/files/text_file.h"

namespace warpscope {
namespace {

/// 90 of "sm_90" and "sm_90a"; 0 of anything else.
unsigned number_of(const std::string& architecture) {
  return architecture.starts_with("sm_")
             ? static_cast<unsigned>(std::strtoul(architecture.c_str() + 3, nullptr, 10))
             : 0;
}

/// "8.6" of 86.
std::string capability(unsigned number) {
  return fmt::format("{}.{}", number / 10, number % 10);
}

/// CUDA C++ Programming Guide, "Binary Compatibility": on the same major version, and no older minor one.
bool can_run(unsigned code, unsigned gpu) {
  return code / 10 == gpu / 10 && code <= gpu;
}

class DeviceFile {
 public:
  explicit DeviceFile(const DeviceFileRequest& request) : request_(request) {}

  std::vector<MachineProgram> load() {
    if (std::error_code error; std::filesystem::is_fifo(request_.path, error))
      throw InputError(
          fmt::format("{}: is a pipe, expected a file: it is read more than once", request_.name));
    if (request_.path.ends_with(".ptx")) {
      std::vector<MachineProgram> programs;
      programs.push_back(assemble(request_.path, read_text_file(request_.path, "PTX"), request_.name));
      return programs;
    }
    machine::refuse_vendor_library(request_.path);
    const std::string text = read_text_file(request_.path, "machine code");
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    return choose(machine::device_images(machine::ByteView(bytes, request_.name)));
  }

  std::vector<MachineProgram> choose(std::vector<machine::DeviceImage> images) {
    for (machine::DeviceImage& image : images) {
      if (image.kind == machine::ImageKind::Ptx)
        ptx_.push_back(std::move(image));
      else
        cubins_.push_back(
            {machine::Cubin(std::move(image.bytes), image.name), image.variant, image.container});
    }
    if (cubins_.empty() && ptx_.empty())
      throw InputError(fmt::format(
          "{}: no code of a GPU in this file, expected a cubin, PTX or a program of nvcc", request_.name));
    std::set<std::uint32_t> containers, assembled;
    for (const PlacedCubin& one : cubins_) containers.insert(one.container);
    for (const machine::DeviceImage& one : ptx_) containers.insert(one.container);
    for (const std::uint32_t container : containers)
      if (!add_cubins(container)) assembled.insert(container);
    if (programs_.empty() && has_relocatable_)
      throw InputError(fmt::format(
          "{}: relocatable code (nvcc -rdc=true), expected it linked: nvcc -dlink -cubin", request_.name));
    // PTX of other parts is not needed, where a program has machine code: there, too, it is mostly of libraries.
    if (programs_.empty())
      for (const std::uint32_t container : assembled) add_ptx(container);
    if (programs_.empty()) refuse();
    return std::move(programs_);
  }

 private:
  struct PlacedCubin {
    machine::Cubin cubin;
    std::string variant;
    std::uint32_t container;
  };

  [[nodiscard]] unsigned wanted() const {
    return request_.architecture ? number_of(*request_.architecture) : 0;
  }

  /// A larger number is the better code; 0: it does not run. Code for this GPU alone ("a") is better than any other for it.
  [[nodiscard]] unsigned rank(unsigned code, const std::string& variant) const {
    if (!machine::Decoder::supports(code)) return 0;
    if (wanted() != 0 && (variant == "a" ? code != wanted() : !can_run(code, wanted()))) return 0;
    return 2 * code + (variant.empty() ? 0 : 1);
  }

  /// The best machine code of a fat binary. False: there is none that will do.
  bool add_cubins(std::uint32_t container) {
    unsigned best = 0;
    bool is_open = false;  // PTX of relocatable code would have to be linked, too
    for (const PlacedCubin& one : cubins_) {
      if (one.container != container) continue;
      const unsigned own = rank(one.cubin.architecture(), one.variant);
      if (one.cubin.is_relocatable())
        is_open = is_open || own != 0;
      else
        best = std::max(best, own);
    }
    has_relocatable_ = has_relocatable_ || is_open;
    if (best == 0) return is_open;
    for (PlacedCubin& one : cubins_) {
      if (one.container != container || one.cubin.is_relocatable() ||
          rank(one.cubin.architecture(), one.variant) != best)
        continue;
      const std::string compiler = one.cubin.compiler();
      std::string ptx = one.cubin.ptx_text();
      const std::string architecture = fmt::format("sm_{}{}", one.cubin.architecture(), one.variant);
      programs_.push_back({std::move(one.cubin), architecture, compiler, std::move(ptx)});
    }
    return true;
  }

  /// The newest PTX of a fat binary that becomes code for the GPU.
  void add_ptx(std::uint32_t container) {
    const machine::DeviceImage* best = nullptr;
    for (const machine::DeviceImage& image : ptx_) {
      const bool runs = wanted() == 0 || (image.variant == "a" ? image.architecture == wanted()
                                                               : image.architecture <= wanted());
      if (image.container != container || !runs) continue;
      if (best == nullptr || image.architecture > best->architecture) best = &image;
    }
    if (best == nullptr) return;
    const std::string path = fmt::format("{}/image{}.ptx", request_.work_directory, programs_.size());
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(best->bytes.data()),
               static_cast<std::streamsize>(best->bytes.size()));
    programs_.push_back(assemble(path, {best->bytes.begin(), best->bytes.end()}, best->name));
    programs_.back().is_assembled = true;
  }

  MachineProgram assemble(const std::string& path, const std::string& text, const std::string& name) const {
    const std::string target = machine::ptx_target(text);
    const unsigned code = number_of(target);
    if (code == 0)
      throw InputError(fmt::format("{}: no directive '.target sm_NN', expected PTX as nvcc writes it", name));
    constexpr unsigned kOldest = 70, kDefault = 90;
    unsigned gpu = wanted() != 0 ? wanted() : code < kOldest ? kDefault : code;
    if (code > gpu)
      throw InputError(fmt::format("{}: PTX for {} and later, which {} ({}) does not run", name, target,
                                   request_.gpu.value_or(""), capability(gpu)));
    if (!machine::Decoder::supports(gpu))
      throw InputError(fmt::format(
          "{}: PTX for {}, expected --machine with one of sm_70 to sm_90 that runs it", name, target));
    // "sm_90a" only becomes code for itself.
    const std::string architecture = code == gpu ? target : fmt::format("sm_{}", gpu);
    return assemble_ptx(need_ptxas(name), path, name, request_.work_directory, architecture,
                        request_.options);
  }

  [[noreturn]] void refuse() const {
    std::set<unsigned> codes;
    for (const PlacedCubin& one : cubins_) codes.insert(one.cubin.architecture());
    for (const machine::DeviceImage& image : ptx_) codes.insert(image.architecture);
    std::string list;
    for (const unsigned code : codes) list += fmt::format("{}sm_{}", list.empty() ? "" : ", ", code);
    if (wanted() == 0)
      throw InputError(fmt::format("{}: code for {}, expected one of sm_70 to sm_90", request_.name, list));
    const unsigned code = *codes.begin();
    const std::string gpu = fmt::format("{} ({})", *request_.gpu, capability(wanted()));
    if (codes.size() != 1)
      throw InputError(fmt::format(
          "{}: code for {}, none of which {} runs: code runs on the same major version of compute "
          "capability and no older minor one",
          request_.name, list, gpu));
    throw InputError(fmt::format("{}: sm_{} code runs on GPUs of compute capability {} to {}.9, not on {}",
                                 request_.name, code, capability(code), code / 10, gpu));
  }

  const DeviceFileRequest& request_;
  std::vector<PlacedCubin> cubins_;
  std::vector<machine::DeviceImage> ptx_;
  std::vector<MachineProgram> programs_;
  bool has_relocatable_ = false;  ///< code that would run if it were linked
};

}  // namespace

bool is_device_file(const std::string& path) {
  for (const char* suffix : {".ptx", ".cubin", ".fatbin"})
    if (path.ends_with(suffix)) return true;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::array<char, 8> begin{};
  std::ifstream(path, std::ios::binary).read(begin.data(), begin.size());
  const std::string_view text(begin.data(), begin.size());
  return text.starts_with(
             "\x7f"
             "ELF") ||
         text.starts_with("\x50\xed\x55\xba") || text == "!<arch>\n";
}

std::string assembled_note(const std::vector<MachineProgram>& programs, const std::string& name,
                           const std::optional<std::string>& gpu) {
  for (const MachineProgram& program : programs)
    if (program.is_assembled)
      return fmt::format(
          "{}: no machine code{}, only PTX: the GPU's driver would use its own compiler, here {}", name,
          gpu ? fmt::format(" for {}", *gpu) : "", program.compiler);
  return "";
}

std::vector<MachineProgram> load_device_file(const DeviceFileRequest& request) {
  return DeviceFile(request).load();
}

std::vector<MachineProgram> load_device_images(const DeviceFileRequest& request,
                                               std::vector<machine::DeviceImage> images) {
  return DeviceFile(request).choose(std::move(images));
}

}  // namespace warpscope
