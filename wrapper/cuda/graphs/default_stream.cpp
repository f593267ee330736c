#include "wrapper/cuda/graphs/default_stream.h"

#include <elf.h>
#include <link.h>

#include <string_view>

namespace warpscope::cuda {
namespace {

/// What of a loaded file's dynamic section says which names it asks for.
struct Dynamic {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  struct Relocations {
    const ElfW(Rela) * first = nullptr;
    std::size_t bytes = 0;
  } of_data, of_calls;

  explicit Dynamic(const ElfW(Dyn) * entry) {
    for (; entry->d_tag != DT_NULL; ++entry) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader has made addresses of them
      const void* const place = reinterpret_cast<const void*>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_SYMTAB) symbols = static_cast<const ElfW(Sym)*>(place);
      if (entry->d_tag == DT_STRTAB) names = static_cast<const char*>(place);
      if (entry->d_tag == DT_RELA) of_data.first = static_cast<const ElfW(Rela)*>(place);
      if (entry->d_tag == DT_RELASZ) of_data.bytes = entry->d_un.d_val;
      if (entry->d_tag == DT_JMPREL) of_calls.first = static_cast<const ElfW(Rela)*>(place);
      if (entry->d_tag == DT_PLTRELSZ) of_calls.bytes = entry->d_un.d_val;
    }
  }
  [[nodiscard]] bool asks_for_streams_of_threads(const Relocations& of) const {
    if (symbols == nullptr || names == nullptr || of.first == nullptr) return false;
    for (std::size_t at = 0; at < of.bytes / sizeof *of.first; ++at) {
      const std::string_view name = names + symbols[ELF64_R_SYM(of.first[at].r_info)].st_name;
      if (name.starts_with("cu") && name.ends_with("_ptsz")) return true;
    }
    return false;
  }
};

int look_at(dl_phdr_info* file, std::size_t /*bytes*/, void* answer) {
  for (int at = 0; at < file->dlpi_phnum; ++at) {
    if (file->dlpi_phdr[at].p_type != PT_DYNAMIC) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): where the loader has put it
    const Dynamic dynamic(reinterpret_cast<const ElfW(Dyn)*>(file->dlpi_addr + file->dlpi_phdr[at].p_vaddr));
    *static_cast<bool*>(answer) = dynamic.asks_for_streams_of_threads(dynamic.of_calls) ||
                                  dynamic.asks_for_streams_of_threads(dynamic.of_data);
  }
  return 1;  // the first file is the program, and only that is asked
}

/// nvcc gives calls of such a program names that end in _ptsz.
bool is_null_of_thread() {
  static const bool answer = [] {
    bool found = false;
    dl_iterate_phdr(&look_at, &found);
    return found;
  }();
  return answer;
}

}  // namespace

cudaStream_t stream_of_thread(cudaStream_t stream) {
  static thread_local char own;
  const bool is_of_thread = stream == cudaStreamPerThread || (stream == nullptr && is_null_of_thread());
  return is_of_thread ? reinterpret_cast<cudaStream_t>(&own) : stream;
}

}  // namespace warpscope::cuda
