#include "wrapper/cuda/machine/module_image.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "machine/cubin/ptx_text.h"
#include "passes/driver/subprocess.h"
#include "passes/driver/work_directory.h"
#include "traces/base/error.h"
#include "traces/files/text_file.h"
#include "wrapper/cuda/machine/machine_module.h"
#include "wrapper/machine/machine_program.h"

namespace warpscope::cuda {
namespace {

namespace fs = std::filesystem;

/// What clang and nvcc pass to __cudaRegisterFatBinary.
struct Wrapper {
  std::uint32_t magic, version;
  const void* content;
  const void* unused;
};
constexpr std::uint32_t kWrapperMagic = 0x466243b1;

template <class Header>
Header header_at(const std::uint8_t* image, std::uint64_t offset = 0) {
  Header header;
  std::memcpy(&header, image + offset, sizeof(header));
  return header;
}

/// Up to the end of what its tables name.
std::uint64_t elf_size(const std::uint8_t* image) {
  const auto elf = header_at<Elf64_Ehdr>(image);
  std::uint64_t end = std::max(elf.e_shoff + std::uint64_t{elf.e_shnum} * elf.e_shentsize,
                               elf.e_phoff + std::uint64_t{elf.e_phnum} * elf.e_phentsize);
  if (elf.e_shentsize != sizeof(Elf64_Shdr)) return std::max<std::uint64_t>(end, sizeof(elf));
  for (unsigned section = 0; section < elf.e_shnum; ++section) {
    const auto one = header_at<Elf64_Shdr>(image, elf.e_shoff + section * sizeof(Elf64_Shdr));
    if (one.sh_type != SHT_NOBITS) end = std::max(end, one.sh_offset + one.sh_size);
  }
  return std::max<std::uint64_t>(end, sizeof(elf));
}

bool is_elf(const std::uint8_t* bytes) {
  return std::memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

std::string write(const WorkDirectory& work, const std::string& name,
                  const std::vector<std::uint8_t>& bytes) {
  std::string path = work.path() + "/" + name;
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path;
}

std::vector<std::uint8_t> content_of(const std::string& path) {
  const std::string text = read_text_file(path, "a cubin");
  return {text.begin(), text.end()};
}

/// The path of the cubin. `is_alone`: nothing is to be linked to it.
std::string assembled(const LinkInput& input, const std::string& architecture, const WorkDirectory& work,
                      std::size_t number, bool is_alone) {
  const std::string path = write(work, fmt::format("input{}.ptx", number), input.bytes);
  // "sm_90a" only becomes code for itself.
  const std::string target = machine::ptx_target(std::string(input.bytes.begin(), input.bytes.end()));
  const std::string wanted = target.starts_with(architecture) ? target : architecture;
  const std::vector<std::string> options =
      is_alone ? std::vector<std::string>{} : std::vector<std::string>{"-c"};
  assemble_ptx(need_ptxas(input.name), path, input.name, work.path(), wanted, options);
  std::string cubin = work.path() + fmt::format("/input{}.cubin", number);
  fs::rename(work.path() + "/ptxas.cubin", cubin);
  return cubin;
}

}  // namespace

const void* behind_wrapper(const void* wrapper) {
  const auto* const one = static_cast<const Wrapper*>(wrapper);
  return one->magic == kWrapperMagic ? one->content : nullptr;
}

std::vector<std::uint8_t> copy_of_image(const void* image) {
  if (image == nullptr)
    throw InputError("a module's image: a null pointer, expected a cubin, a fat binary or PTX");
  const auto* bytes = static_cast<const std::uint8_t*>(image);
  // A text may be shorter than a header, so its first bytes are looked at one by one.
  if (is_text({bytes, 1})) {
    const std::string_view text(static_cast<const char*>(image));
    return {text.begin(), text.end()};
  }
  if (const void* const content = behind_wrapper(image)) return copy_of_image(content);
  constexpr std::uint64_t kMost = std::uint64_t{4} << 30;  // beyond it a header is damaged
  const std::uint64_t size = is_elf(bytes) ? elf_size(bytes) : vendor_binary_size(image);
  if (size == 0 || size > kMost)
    throw InputError("a module's image: neither a cubin nor a fat binary nor PTX");
  return {bytes, bytes + size};
}

bool is_text(std::span<const std::uint8_t> image) {
  if (image.empty()) return true;
  // Of ELF (0x7f), a fat binary (0x50 0xed …) and what is in front of one (0xb1) only 'P' could begin a text, and no PTX does.
  return image[0] != 0x7f && image[0] != 0x50 && image[0] != 0xb1;
}

std::vector<std::uint8_t> linked(const std::vector<LinkInput>& inputs, const std::string& architecture) {
  if (inputs.empty()) throw InputError("cuLinkComplete: nothing to link, expected PTX or a cubin before it");
  const WorkDirectory work("warpscope-link");
  const bool is_alone = inputs.size() == 1;
  std::vector<std::string> files;
  files.reserve(inputs.size());
  for (const LinkInput& input : inputs)
    files.push_back(
        input.is_ptx
            ? assembled(input, architecture, work, files.size(), is_alone)
            : write(work, fmt::format("input{}{}", files.size(), fs::path(input.name).extension().string()),
                    input.bytes));
  if (is_alone) return content_of(files[0]);
  const fs::path nvlink = fs::path(need_ptxas(inputs[0].name)).parent_path() / "nvlink";
  const std::string cubin = work.path() + "/linked.cubin";
  std::vector<std::string> command{nvlink.string(), "-arch=" + architecture, "-o", cubin};
  command.insert(command.end(), files.begin(), files.end());
  const ProcessResult result = run_process(command);
  if (result.status != 0) throw InputError("nvlink: failed for the program's modules", result.output);
  return content_of(cubin);
}

}  // namespace warpscope::cuda
