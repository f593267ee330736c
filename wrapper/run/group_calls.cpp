#include "wrapper/run/group_calls.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "traces/base/error.h"

namespace warpscope {
namespace {

#if defined(__aarch64__)
constexpr std::uint32_t kFunctionSlot = R_AARCH64_JUMP_SLOT;
constexpr std::uint32_t kDataSlot = R_AARCH64_GLOB_DAT;
#else
constexpr std::uint32_t kFunctionSlot = R_X86_64_JUMP_SLOT;
constexpr std::uint32_t kDataSlot = R_X86_64_GLOB_DAT;
#endif

struct Changed {
  GroupCallsSetup setup;
  GroupTurns turns;
};
std::optional<Changed> changed;

// What PoCL calls for each work-group (pocl_workgroup_func of PoCL 3.1): its arguments, its context, the work-group.
using GroupFunction = void (*)(std::uint8_t*, std::uint8_t*, std::size_t, std::size_t, std::size_t);
GroupFunction all_groups = nullptr;

void call_changed(std::uint8_t* arguments, std::uint8_t* context, std::size_t x, std::size_t y,
                  std::size_t z) {
  const auto& [launch, of, selection, order] = changed->setup;
  const std::uint64_t group = changed->turns.group_at((z * of.y + y) * of.x + x);
  if (selection && !selection->contains(launch, WorkGroupId{static_cast<std::uint32_t>(group)})) return;
  all_groups(arguments, context, group % of.x, group / of.x % of.y, group / of.x / of.y);
}

/// In the place of libpocl's dlsym().
void* find_symbol(void* library, const char* name) {
  void* const found = ::dlsym(library, name);
  const std::string_view text = name;
  if (found == nullptr || !text.starts_with("_pocl_kernel_") || !text.ends_with("_workgroup")) return found;
  all_groups = reinterpret_cast<GroupFunction>(found);
  return reinterpret_cast<void*>(&call_changed);
}

using FindSymbol = void* (*)(void*, const char*);

/// What the loader has put at an address.
template <class T>
T* at(ElfW(Addr) address) {
  return reinterpret_cast<T*>(address);  // NOLINT(performance-no-int-to-ptr): the loader says numbers
}

/// The relocations that a dynamic section names, and what they refer to.
struct Relocations {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  std::vector<std::pair<const ElfW(Rela)*, std::size_t>> tables;

  explicit Relocations(const ElfW(Dyn) * section) {
    const ElfW(Rela)* functions = nullptr;
    const ElfW(Rela)* data = nullptr;
    std::size_t function_bytes = 0;
    std::size_t data_bytes = 0;
    for (; section->d_tag != DT_NULL; ++section) {
      const auto address = section->d_un.d_ptr;
      if (section->d_tag == DT_SYMTAB) symbols = at<const ElfW(Sym)>(address);
      if (section->d_tag == DT_STRTAB) names = at<const char>(address);
      if (section->d_tag == DT_JMPREL) functions = at<const ElfW(Rela)>(address);
      if (section->d_tag == DT_PLTRELSZ) function_bytes = section->d_un.d_val;
      if (section->d_tag == DT_RELA) data = at<const ElfW(Rela)>(address);
      if (section->d_tag == DT_RELASZ) data_bytes = section->d_un.d_val;
    }
    tables = {{functions, function_bytes / sizeof(ElfW(Rela))}, {data, data_bytes / sizeof(ElfW(Rela))}};
  }
};

/// Writes a slot, which the loader may have made read-only. It stays writable, as the loader needs it where it binds late.
bool write_slot(FindSymbol* slot, FindSymbol value) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  void* const start = at<void>(reinterpret_cast<std::uintptr_t>(slot) / page * page);
  if (::mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return false;
  *slot = value;
  return true;
}

/// dl_iterate_phdr's: writes the value behind `data` into every slot for dlsym() of PoCL's libraries, and counts them.
struct Replacement {
  FindSymbol value;
  int slots = 0;
};

int replace_in(dl_phdr_info* library, std::size_t /*size*/, void* data) {
  auto& replacement = *static_cast<Replacement*>(data);
  if (std::strstr(library->dlpi_name, "libpocl") == nullptr) return 0;
  for (int number = 0; number < library->dlpi_phnum; ++number) {
    const ElfW(Phdr)& part = library->dlpi_phdr[number];
    if (part.p_type != PT_DYNAMIC) continue;
    const Relocations found(at<const ElfW(Dyn)>(library->dlpi_addr + part.p_vaddr));
    for (const auto& [table, count] : found.tables) {
      for (std::size_t index = 0; index < count; ++index) {
        const ElfW(Rela)& one = table[index];
        const std::uint32_t type = ELF64_R_TYPE(one.r_info);
        if (type != kFunctionSlot && type != kDataSlot) continue;
        if (std::strcmp(found.names + found.symbols[ELF64_R_SYM(one.r_info)].st_name, "dlsym") != 0) continue;
        if (write_slot(at<FindSymbol>(library->dlpi_addr + one.r_offset), replacement.value))
          ++replacement.slots;
      }
    }
  }
  return 0;
}

int replace_dlsym(FindSymbol value) {
  Replacement replacement{value};
  ::dl_iterate_phdr(&replace_in, &replacement);
  return replacement.slots;
}

}  // namespace

GroupCalls::GroupCalls(const GroupCallsSetup& setup) {
  changed = Changed{setup, GroupTurns(setup.order, setup.groups.count())};
  if (replace_dlsym(&find_symbol) == 0)
    throw InputError(
        "--skip-others, --group-order: this PoCL finds its kernels in another way than PoCL 3.1, expected "
        "that, or neither option");
}

GroupCalls::~GroupCalls() {
  replace_dlsym(&::dlsym);
}

}  // namespace warpscope
