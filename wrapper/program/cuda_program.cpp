#include "wrapper/program/cuda_program.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "machine/cubin/elf.h"
#include "passes/driver/subprocess.h"
#include "traces/base/error.h"
#include "traces/base/installation.h"
#include "traces/files/file_io.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "lib/warpscope/replaced/";
constexpr const char* kDriverFolder = "lib/warpscope/driver";

/// A file's bytes as long as it lives; none of a file that cannot be read.
class FileBytes {
 public:
  explicit FileBytes(const std::string& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error) || ::access(path.c_str(), R_OK) != 0) return;
    const Descriptor file = open_input(path);
    size_ = file_size(file.get(), path);
    void* const start =
        size_ != 0 ? ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0) : MAP_FAILED;
    if (start != MAP_FAILED) start_ = static_cast<const std::uint8_t*>(start);
  }
  ~FileBytes() {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): as mmap() gave it
    if (start_ != nullptr) ::munmap(const_cast<std::uint8_t*>(start_), size_);
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  [[nodiscard]] std::span<const std::uint8_t> get() const {
    return {start_, start_ != nullptr ? static_cast<std::size_t>(size_) : 0};
  }

 private:
  const std::uint8_t* start_ = nullptr;
  std::uint64_t size_ = 0;
};

/// DT_NEEDED of an ELF file: a table of pairs of a tag and a value, which is where the name begins in .dynstr.
std::vector<std::string> needed_libraries(const machine::ElfFile& file) {
  constexpr std::uint64_t kNeeded = 1, kPair = 16;
  const machine::ElfSection* const table = file.section(".dynamic");
  const machine::ElfSection* const names = file.section(".dynstr");
  std::vector<std::string> result;
  if (table == nullptr || names == nullptr) return result;
  for (std::uint64_t at = 0; at + kPair <= table->content.size(); at += kPair)
    if (table->content.read<std::uint64_t>(at, "a tag") == kNeeded)
      result.emplace_back(
          names->content.text(table->content.read<std::uint64_t>(at + 8, "a name"), "a name"));
  return result;
}

/// python3, python3.11, /usr/bin/python, also where that is a script that chooses one; "#!/usr/bin/env python3" of a script.
bool is_python(const std::string& path, std::span<const std::uint8_t> bytes) {
  if (fs::path(path).filename().string().starts_with("python")) return true;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string_view line = text.substr(0, text.find('\n'));
  return line.starts_with("#!") && line.find("python") != std::string_view::npos;
}

bool holds(const machine::ElfSection* section, std::string_view text) {
  if (section == nullptr) return false;
  const auto bytes = section->content.bytes();
  return std::search(bytes.begin(), bytes.end(), text.begin(), text.end()) != bytes.end();
}

CudaProgram look_at(const machine::ElfFile& file) {
  CudaProgram result;
  bool is_ours = false, has_runtime = false;
  for (const std::string& name : needed_libraries(file)) {
    is_ours = is_ours || name.find("libwarpscope-cudart") != std::string::npos;
    const bool is_runtime = name.starts_with("libcudart.so.");
    has_runtime = has_runtime || is_runtime;
    if (!name.starts_with("libcu") || ::access(installed_path(kFolder + name).c_str(), R_OK) != 0) continue;
    result.replaced.insert(is_runtime ? result.replaced.begin() : result.replaced.end(), name);
  }
  // Linked by warpscope-nvcc, but libraries by hand: those that are NVIDIA's.
  if (is_ours) {
    std::erase_if(result.replaced, [](const std::string& name) {
      return name.starts_with("libcudart.so.") || name.starts_with("libcuda.so.");
    });
    return result;
  }
  // The static runtime loads the driver by its name; nvcc's objects have this section.
  result.has_static_runtime = !has_runtime && file.section(".nvFatBinSegment") != nullptr &&
                              holds(file.section(".rodata"), "libcuda.so.1");
  return result;
}

}  // namespace

CudaProgram look_at_program(const std::string& command) {
  const std::string path = command.find('/') != std::string::npos ? command : find_program(command);
  const FileBytes bytes(path);
  if (is_python(path, bytes.get())) return {{}, false, true};
  if (!machine::ElfFile::is_elf(bytes.get())) return {};
  try {
    return look_at(machine::ElfFile(machine::ByteView(bytes.get(), path)));
  } catch (const InputError&) {
    return {};  // not ours to judge: the system starts it, or says why not
  }
}

std::string preloaded(const CudaProgram& program) {
  std::string result;
  for (const std::string& name : program.replaced) {
    const std::string path = fs::canonical(installed_path(kFolder + name)).string();
    if (path.find_first_of(" :") != std::string::npos)
      throw InputError(
          fmt::format("{}: has a space or a colon, with which the library cannot be loaded in front of "
                      "the program's; install Warpscope elsewhere",
                      path));
    result += (result.empty() ? "" : ":") + path;
  }
  return result;
}

std::string library_folder(const CudaProgram& program) {
  return program.is_python ? fs::canonical(installed_path(kDriverFolder)).string() : "";
}

std::string describe(const CudaProgram& program, const std::string& command) {
  if (program.has_static_runtime)
    return fmt::format(
        "{}: linked with CUDA's static runtime, which needs NVIDIA's driver: link with -cudart shared or "
        "by warpscope-nvcc --with-nvcc, the code stays the same; or run its kernels: trace-kernel {} "
        "--machine=h100 --kernel NAME",
        command, command);
  std::string names;
  for (const std::string& name : program.replaced) names += (names.empty() ? "" : ", ") + name;
  return names.empty()
             ? ""
             : fmt::format(
                   "{}: Warpscope's libraries take the place of {}, in this process and its children: "
                   "no GPU is used",
                   command, names);
}

}  // namespace warpscope
