#include "wrapper/machine/machine_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "machine/cubin/source_name.h"
#include "machine/execute/base/device_memory.h"
#include "wrapper/machine/shared_arrays.h"

namespace warpscope {
namespace {

/// What depended on the order of warps; of atomics only those whose results are read.
std::vector<OrderedInstruction> order_of(const MachineRun& run, const machine::DescribedKernel& described) {
  static constexpr const char* kNames[] = {"clock", "core", "atomic", "others", "wait"};  // by OrderCause
  std::vector<OrderedInstruction> found;
  for (const machine::OrderDependence& one : run.launch().order().list()) {
    const std::uint32_t site = described.site_of[one.place];
    if (one.cause == machine::OrderCause::Atomic && site != machine::kNoSite &&
        described.info.sites[site].consumers.empty())
      continue;
    found.push_back({one.place, kNames[static_cast<std::size_t>(one.cause)]});
  }
  return found;
}

/// Sites whose address comes from one pointer argument access what it points to.
void add_objects(machine::DescribedKernel& described) {
  const std::vector<ArgumentInfo>& arguments = described.info.arguments;
  for (std::size_t site = 0; site < described.info.sites.size(); ++site) {
    std::optional<std::uint32_t> only;
    std::size_t pointers = 0;
    for (const std::uint32_t parameter : described.parameters_of[site]) {
      if (parameter >= arguments.size() || !arguments[parameter].is_pointer) continue;
      only = parameter;
      ++pointers;
    }
    SiteInfo& info = described.info.sites[site];
    if (pointers == 1 && info.space == AddressSpace::Global)
      info.object = {StaticObject::Kind::Argument, *only};
  }
}

/// In bytes of a lane.
std::uint64_t widest_shared_access(const KernelInfo& info) {
  std::uint64_t widest = 1;
  for (const SiteInfo& site : info.sites)
    if (site.space == AddressSpace::Local || site.space == AddressSpace::Generic)
      widest = std::max<std::uint64_t>(widest, site.width);
  return widest;
}

/// Variables that are no arguments: those that the file initialises, texts, tables of virtual functions. Parameters whose address code takes; what
/// the work-groups of a grid synchronise by.
void add_variables(const MachineRun& run, KernelInfo& info, std::vector<std::uint64_t>& places) {
  const std::vector<std::uint64_t>& arguments = run.addresses();
  const auto add = [&](const std::string& name, std::uint64_t bytes, std::uint64_t address) {
    places.resize(info.objects.size());
    info.objects.push_back({name, AddressSpace::Global, bytes});
    places.push_back(address);
  };
  for (const machine::Variable& variable : run.code().image().variables()) {
    if (run.is_of_program() || !variable.is_named || variable.bytes.empty() ||
        std::find(arguments.begin(), arguments.end(), variable.address) != arguments.end())
      continue;
    const std::string name = machine::source_name(variable.name);
    add(name.substr(name.rfind(':') + 1), variable.bytes.size(), variable.address);
  }
  if (run.launch().parameters_address() != 0)
    add("parameters", run.launch().settings().parameters.size(), run.launch().parameters_address());
  if (const auto workspace = run.launch().grid_workspace(); !workspace.empty())
    add("grid workspace", workspace.size(), machine::kGridWorkspace);
}

}  // namespace

std::uint64_t stride_in_cluster(const MachineRun& run) {
  constexpr std::uint64_t kRow = 128;  // of all banks
  return (run.launch().shared_bytes() + kRow - 1) / kRow * kRow;
}

MachineKernel describe_machine_kernel(const MachineRun& run, const KernelInfo& source,
                                      const std::string& from) {
  const machine::TextureAccesses& textures = run.launch().texture_accesses();
  machine::CodeFlow flow(run.code(), textures);
  machine::DescribedKernel described = machine::describe_kernel(run.code(), flow, textures);
  KernelInfo& info = described.info;
  info.name = source.name;
  info.arguments = source.arguments;
  info.registers_from = info.machine_code = from;
  // Which function a pointer leads to is not known before, so pointers of all of them would flow in.
  if (!flow.calls_through_pointers()) add_objects(described);
  std::vector<std::uint64_t> places;
  const std::vector<SharedArray> arrays = shared_arrays(run.code().cubin(), run.code().kernel());
  for (const SharedArray& array : joined(arrays, widest_shared_access(info))) {
    info.objects.push_back({array.name, AddressSpace::Local, array.bytes});
    places.push_back(array.offset);
  }
  const std::uint64_t shared = run.code().kernel().shared_bytes;
  const std::uint64_t own = shared - std::min(shared, reserved_shared_bytes(run.code().cubin()));
  if (own != 0 && places.empty()) {
    info.objects.push_back(
        {own == shared ? "shared" : fmt::format("shared+0x{:x}", shared - own), AddressSpace::Local, own});
    places.push_back(shared - own);
  }
  if (const machine::ClusterGrid& clusters = run.launch().clusters(); clusters.size.count() > 1) {
    info.machine_code +=
        fmt::format(", clusters of {}x{}x{}", clusters.size.x, clusters.size.y, clusters.size.z);
    places.resize(info.objects.size());
    info.objects.push_back(
        {"shared of the cluster", AddressSpace::Local, clusters.size.count() * stride_in_cluster(run)});
    places.push_back(kSharedOfCluster);
  }
  places.resize(info.objects.size() + 1);
  const bool has_stack = std::any_of(info.sites.begin(), info.sites.end(), [](const SiteInfo& site) {
    return site.space == AddressSpace::Private || site.space == AddressSpace::Generic;
  });
  if (has_stack) info.objects.push_back({"stack", AddressSpace::Private, run.launch().local_bytes()});
  add_variables(run, info, places);
  MachineCode code = machine::describe_code(run.code(), flow);
  return {std::move(flow), std::move(described), std::move(code), std::move(places)};
}

std::vector<InstructionTotals> totals_of(const MachineRun& run) {
  std::vector<InstructionTotals> totals;
  // Behind the instructions are functions of the system, which have none.
  for (const machine::Executions& one : run.launch().executions().first(run.code().instructions().size()))
    totals.push_back({one.warps, one.lanes, one.guarded});
  return totals;
}

MachineCode code_with_order(const MachineRun& run, const MachineKernel& kernel) {
  MachineCode code = kernel.code;
  code.order_dependent = order_of(run, kernel.described);
  return code;
}

}  // namespace warpscope
