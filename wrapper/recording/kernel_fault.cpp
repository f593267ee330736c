#include "wrapper/recording/kernel_fault.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <csignal>

#include "wrapper/recording/barrier_flow.h"
#include "wrapper/recording/summary.h"

namespace warpscope {
namespace {

constexpr std::uint64_t kNullPage = 1u << 16;

std::string name_of_signal(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGILL:
      return "SIGILL";
    case SIGTRAP:
      return "SIGTRAP";
    case SIGABRT:
      return "SIGABRT";
    default:
      return fmt::format("signal {}", signal);
  }
}

const std::string* name_of_object(const SiteInfo& site, const KernelInfo& kernel) {
  const StaticObject& object = site.object;
  if (object.kind == StaticObject::Kind::Argument)
    return object.index < kernel.arguments.size() ? &kernel.arguments[object.index].name : nullptr;
  if (object.kind == StaticObject::Kind::Unknown) return nullptr;
  return object.index < kernel.objects.size() ? &kernel.objects[object.index].name : nullptr;
}

std::string overflow_cause(const KernelInfo& kernel) {
  std::uint64_t bytes = 0;
  for (const ObjectInfo& object : kernel.objects)
    if (object.space == AddressSpace::Private) bytes += object.size;
  rlimit stack{};
  ::getrlimit(RLIMIT_STACK, &stack);
  std::string text = "the stack overflows: recursion, or private arrays";
  if (bytes != 0) text += fmt::format(" (here {} bytes per work-item)", bytes);
  text += " beyond what a thread has";
  if (stack.rlim_cur != RLIM_INFINITY) text += fmt::format(" (ulimit -s: {} KiB)", stack.rlim_cur >> 10);
  return text;
}

/// How the address of an access relates to its object.
std::string cause_of_access(const KernelFault& fault, const SiteInfo& site, const KernelInfo& kernel) {
  const std::string* const name = name_of_object(site, kernel);
  std::string text = fmt::format("{} of {} bytes", name_of(site.kind), site.width);
  if (name != nullptr) text += fmt::format(" through '{}'", *name);
  if (fault.object == 0 && fault.access < kNullPage) return text + ": null pointer";
  if (fault.object != 0 && fault.access >= fault.object + fault.object_size)
    return text + fmt::format(", {} bytes behind its end ({} bytes): out of bounds",
                              fault.access - fault.object - fault.object_size, fault.object_size);
  if (fault.object != 0 && fault.access < fault.object)
    return text + fmt::format(", {} bytes before its beginning ({} bytes): out of bounds",
                              fault.object - fault.access, fault.object_size);
  return text + fmt::format(" at address {:#x}: {}", fault.access,
                            fault.access < kNullPage ? "null pointer" : "wild pointer");
}

/// Behind the work-group in a message, where no access is known.
std::string before_first_access(const KernelFault& fault) {
  return fault.is_predicted ? ": " : " before its first recorded access: ";
}

std::string other_cause(const KernelFault& fault) {
  if (fault.signal == SIGILL || fault.signal == SIGTRAP)
    return "trap: __builtin_trap(), or code that the compiler takes to be unreachable";
  if (fault.signal == SIGABRT) return "aborted: an assertion of PoCL's or of a library";
  if (!fault.has_address) return "sent from outside";
  return fmt::format("address {:#x}, which is not that of {} recorded access{}", fault.address,
                     fault.is_predicted ? "any" : "the last",
                     fault.address < kNullPage ? ": null pointer" : ": wild pointer");
}

/// A kernel of which PoCL makes nonsense if its barriers are not reached by all.
std::string barrier_hint(const KernelInfo& kernel) {
  if (kernel.blocks.empty()) return {};
  const auto barrier = BarrierFlow(kernel).barrier();
  if (!barrier) return {};
  return fmt::format("; or the barrier at {}, which a branch decides about, is not reached by all work-items",
                     location_of(kernel.sites[barrier->value()]));
}

/// The access is the one that faulted. Addresses that no page can have are reported as 0.
bool is_of_access(const KernelFault& fault, const SiteInfo& site) {
  if (!fault.has_address || !has_address(site.kind)) return false;
  if (fault.address >= fault.access && fault.address < fault.access + site.width) return true;
  return fault.address == 0 && fault.access >> 47 != 0;
}

}  // namespace

std::string describe(const KernelFault& fault, const KernelInfo& kernel) {
  std::string text = fmt::format("kernel '{}' faulted ({})", kernel.name, name_of_signal(fault.signal));
  const bool has_trapped = fault.trap_place.front() != 0;
  if (fault.has_group && (fault.has_site || has_trapped))
    text += fmt::format(" in work-item {} of", fault.item.value());
  if (fault.has_group)
    text += fmt::format("{} work-group {}", fault.has_site || has_trapped ? "" : " in", fault.group.value());
  if (has_trapped) return text + fmt::format(" at {}: trap", fault.trap_place.data());
  const bool known = fault.has_site && fault.site.value() < kernel.sites.size();
  if (!known && fault.is_stack_overflow) return text + before_first_access(fault) + overflow_cause(kernel);
  if (!known) return text + before_first_access(fault) + other_cause(fault) + barrier_hint(kernel);
  const SiteInfo& site = kernel.sites[fault.site.value()];
  const std::string place = location_of(site);
  if (!fault.is_stack_overflow && is_of_access(fault, site))
    return text + fmt::format(" at {}: ", place) + cause_of_access(fault, site, kernel) +
           barrier_hint(kernel);
  text += fmt::format(" after the {} at {}: ", name_of(site.kind), place);
  return text +
         (fault.is_stack_overflow ? overflow_cause(kernel) : other_cause(fault) + barrier_hint(kernel));
}

}  // namespace warpscope
