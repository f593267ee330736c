#include "traces/faults/faults.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "traces/faults/group_faults.h"
#include "traces/program/unwritten.h"
#include "traces/races/group_walk.h"

namespace warpscope {
namespace {

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0} / 2;

constexpr std::array<FaultClass, 16> kClasses{{{"out-of-bounds", "memcheck", FaultLevel::Error},
                                               {"misaligned", "memcheck", FaultLevel::Error},
                                               {"race-local", "racecheck", FaultLevel::Error},
                                               {"race-warp", "racecheck", FaultLevel::Error},
                                               {"race-in-step", "racecheck", FaultLevel::Warning},
                                               {"store-together", "racecheck", FaultLevel::Warning},
                                               {"race-global", "racecheck", FaultLevel::Error},
                                               {"unordered-read", "racecheck", FaultLevel::Warning},
                                               {"same-value", "racecheck", FaultLevel::Information},
                                               {"uninitialised", "initcheck", FaultLevel::Error},
                                               {"uninitialised-part", "initcheck", FaultLevel::Information},
                                               {"divergent-barrier", "synccheck", FaultLevel::Error},
                                               {"early-exit", "synccheck", FaultLevel::Warning},
                                               {"warp-mask", "synccheck", FaultLevel::Error},
                                               {"ended-lanes", "synccheck", FaultLevel::Information},
                                               {"leak", "memcheck", FaultLevel::Information}}};

RaceAccess access_of(const SiteInfo& site) {
  return {site.kind, site.locations.empty() ? SourceLocation{} : site.locations.front(), site.function};
}

bool is_cuda(const LaunchInfo& launch) {
  return launch.source->find("__global__") != std::string::npos;
}

auto key_of(const RaceAccess& access) {
  return std::tuple(access.kind, access.at.file, access.at.line, access.at.column, access.function);
}

/// Whether a capture has all writes to local memory: not those of copies in bulk, nor those that other work-groups of a cluster make.
bool has_all_writes(const CaptureReader& capture, const LaunchInfo& launch) {
  if (launch.kernel->machine_code.empty()) return true;
  const auto code = capture.machine_code(launch.id);
  if (!code) return false;
  return std::none_of(
      code->instructions.begin(), code->instructions.end(), [](const MachineInstruction& one) {
        return one.text.find("UBLKCP") != std::string::npos || one.text.find("UTMA") != std::string::npos ||
               one.text.find("UCGABAR") != std::string::npos;
      });
}

class LaunchFaults {
 public:
  LaunchFaults(const CaptureReader& capture, const LaunchInfo& launch,
               const std::vector<AddressSpace>& spaces, const UnwrittenOfLaunch& unwritten,
               std::uint32_t warp_size, FaultReport& report)
      : capture_(capture),
        launch_(launch),
        spaces_(spaces),
        report_(report),
        plan_(*launch.kernel, RacePlan::Spaces::All),
        warp_size_(plan_.lanes(warp_size)),
        knows_writes_(has_all_writes(capture, launch)),
        races_(*launch.kernel, plan_),
        unwritten_(*launch.kernel, plan_, unwritten, capture.buffers()) {}

  void run() {
    if (plan_.sites.empty()) return;
    walk(true);
    if (races_.needs_second_pass()) {
      races_.begin_second_pass();
      walk(false);
    }
    for (const auto& [pair, example] : races_.found()) add_between_groups(pair, example);
    for (const UnwrittenReads::Found& found : unwritten_.found()) add_unwritten(found);
    report_.in_part = report_.in_part || races_.in_part() || unwritten_.in_part();
    ++report_.launches;
    if (!plan_.not_checked.empty()) report_.not_checked.push_back({launch_.kernel->name, plan_.not_checked});
  }

 private:
  void walk(bool is_first) {
    for (const WorkGroupId group : capture_.groups(launch_.id)) {
      const WorkGroupTrace trace = capture_.read(launch_.id, group);
      if (std::uint64_t{trace.work_items} * plan_.sites.size() > kMostCursors) {
        report_.in_part = true;
        continue;
      }
      races_.begin_group(group.value());
      unwritten_.begin_group(group.value());
      GroupFaults faults(
          {kernel(), plan_, warp_size_, spaces_, knows_writes_, races_, is_first ? &unwritten_ : nullptr},
          trace.work_items);
      GroupWalk(*launch_.kernel, plan_, trace, warp_size_, faults).run(kNoLimit);
      if (is_first) add_of_group(group, faults);
    }
  }

  void add_of_group(WorkGroupId group, const GroupFaults& faults) {
    ++report_.groups;
    report_.accesses += faults.accesses();
    for (const auto& [at, found] : faults.at_sites()) {
      if (at.code == FaultCode::Uninitialised && faults.spans_arrays()) continue;
      Fault fault = fault_at(at.code, site_of(at.site), group, found.item);
      fault.object =
          at.code == FaultCode::OutOfBounds ? meant_object(site_of(at.site)) : name_of_buffer(found.where);
      fault.offset = found.where.offset();
      fault.is_local = at.code == FaultCode::Uninitialised;
      add(fault, found.times);
    }
    for (const auto& [pair, example] : faults.races()) add_in_group(group, pair, example);
    for (const auto& how : faults.barriers()) {
      Fault fault = fault_at(how.has_ended ? FaultCode::EarlyExit : FaultCode::DivergentBarrier,
                             kernel().sites[how.waits_at.value()], group, how.waits);
      fault.second = side_of(kernel().sites[how.others_at.value()], group, how.other);
      add(fault, 1);
    }
    if (const auto item = faults.mask()) add(fault_at(FaultCode::WarpMask, SiteInfo{}, group, *item), 1);
    if (const auto item = faults.mask_of_ended())
      add(fault_at(FaultCode::EndedLanes, SiteInfo{}, group, *item), 1);
  }

  void add_in_group(WorkGroupId group, const RacePair& pair, const RaceExample& example) {
    const SiteInfo &a = site_of(pair.first), &b = site_of(pair.second);
    const bool is_local = spaces_[pair.buffer.value()] == AddressSpace::Local;
    const auto syncs = [](const SiteInfo& site) {
      return site.is_volatile || site.is_strong || site.kind == AccessKind::Atomic;
    };
    if (!is_local && syncs(a) && syncs(b)) return;
    // Which lanes of a warp execute an instruction together is known of machine code, and in which order those of a warp go on.
    if (pair.one_warp && !pair.together && !kernel().machine_code.empty()) return;
    const auto store = [](const SiteInfo& site) { return site.kind == AccessKind::Store; };
    FaultCode code = is_local ? FaultCode::RaceLocal : FaultCode::RaceGlobal;
    if (pair.first == pair.second && a.stores_constant) {
      code = FaultCode::SameValue;
    } else if (pair.together && (plan_.meets || is_cuda(launch_) || !kernel().machine_code.empty())) {
      code = FaultCode::StoreTogether;
    } else if (!is_local && !store(a) && !store(b)) {
      code = FaultCode::UnorderedRead;
    } else if (pair.one_warp && !pair.together) {
      const bool in_step =
          (store(a) || store(b)) && (!store(a) || a.is_volatile) && (!store(b) || b.is_volatile);
      code = in_step ? FaultCode::RaceInStep : FaultCode::RaceWarp;
    }
    Fault fault = fault_at(code, a, group, example.first);
    fault.second = side_of(b, group, example.second);
    fault.object = name_of_buffer(BufferAddr(pair.buffer, 0));
    fault.offset = example.offset;
    add(fault, 1);
  }

  void add_between_groups(const GroupPair& pair, const GroupExample& example) {
    const SiteInfo &a = site_of(pair.first), &b = site_of(pair.second);
    const bool one = pair.first == pair.second && a.stores_constant;
    const auto is_store = [](const SiteInfo& site) {
      return site.kind == AccessKind::Store || (site.kind == AccessKind::Atomic && is_of_group(site));
    };
    const bool stores = is_store(a) || is_store(b);
    const FaultCode code = one      ? FaultCode::SameValue
                           : stores ? FaultCode::RaceGlobal
                                    : FaultCode::UnorderedRead;
    Fault fault = fault_at(code, a, WorkGroupId(example.first_group), WorkItemId(example.first_item));
    fault.second = side_of(b, WorkGroupId(example.second_group), WorkItemId(example.second_item));
    fault.object = name_of_buffer(BufferAddr(pair.buffer, 0));
    fault.offset = example.offset;
    add(fault, example.times);
  }

  void add_unwritten(const UnwrittenReads::Found& found) {
    Fault fault = fault_at(found.is_whole ? FaultCode::Uninitialised : FaultCode::UninitialisedPart,
                           site_of(found.site), WorkGroupId(found.group), WorkItemId(found.item));
    fault.object = name_of_buffer(found.where);
    fault.offset = found.where.offset();
    add(fault, found.times);
  }

  [[nodiscard]] FaultSide side_of(const SiteInfo& site, WorkGroupId group, WorkItemId item) const {
    return {access_of(site), triple_of(group.value(), launch_.groups()),
            triple_of(item.value(), launch_.local)};
  }

  [[nodiscard]] Fault fault_at(FaultCode code, const SiteInfo& site, WorkGroupId group,
                               WorkItemId item) const {
    Fault fault;
    fault.code = code;
    fault.kernel = launch_.kernel->name;
    fault.first = side_of(site, group, item);
    fault.is_cuda = plan_.meets || is_cuda(launch_);
    fault.launch = launch_.id;
    return fault;
  }

  /// The array that an access is of, whatever it reached; empty where that is not known.
  [[nodiscard]] std::string meant_object(const SiteInfo& site) const {
    const StaticObject& object = site.object;
    if (object.kind == StaticObject::Kind::Unknown) return "";
    const KernelInfo& info = kernel();
    if (object.kind == StaticObject::Kind::Argument)
      return object.index < info.arguments.size() ? info.arguments[object.index].name : "";
    return object.index < info.objects.size() ? info.objects[object.index].name : "";
  }

  [[nodiscard]] std::string name_of_buffer(BufferAddr where) const {
    return capture_.buffers()[where.buffer().value() - 1].name;
  }

  /// Copies of an access that the compiler made are one, and so are launches of a kernel.
  void add(const Fault& fault, std::uint64_t times) {
    const auto is_same = [&](const Fault& other) {
      return other.code == fault.code && other.kernel == fault.kernel && other.object == fault.object &&
             key_of(other.first.access) == key_of(fault.first.access) &&
             other.second.has_value() == fault.second.has_value() &&
             (!fault.second || key_of(other.second->access) == key_of(fault.second->access));
    };
    auto known = std::find_if(report_.faults.begin(), report_.faults.end(), is_same);
    if (known == report_.faults.end()) known = report_.faults.insert(known, fault);
    known->count += times;
  }

  [[nodiscard]] const KernelInfo& kernel() const { return *launch_.kernel; }
  [[nodiscard]] const SiteInfo& site_of(std::uint32_t index) const {
    return kernel().sites[plan_.sites[index].id.value()];
  }

  const CaptureReader& capture_;
  const LaunchInfo& launch_;
  const std::vector<AddressSpace>& spaces_;
  FaultReport& report_;
  const RacePlan plan_;
  std::uint32_t warp_size_;
  bool knows_writes_;
  LaunchRaces races_;
  UnwrittenReads unwritten_;
};

}  // namespace

FaultClass class_of(FaultCode code) {
  return kClasses[static_cast<std::size_t>(code)];
}

const char* name_of(FaultLevel level) {
  static constexpr std::array<const char*, 3> kNames{"information", "warning", "error"};
  return kNames[static_cast<std::size_t>(level)];
}

bool FaultReport::has_errors() const {
  return !faults.empty() && class_of(faults.front().code).level == FaultLevel::Error;
}

namespace {

bool are_same_accesses(const Fault& a, const Fault& b) {
  return a.kernel == b.kernel && a.object == b.object && a.second && b.second &&
         key_of(a.first.access) == key_of(b.first.access) &&
         key_of(a.second->access) == key_of(b.second->access);
}

/// A race of one warp says nothing more where the same accesses of different warps race, too.
void fold(std::vector<Fault>& faults) {
  const auto is_wider = [](const Fault& fault) {
    return fault.code == FaultCode::RaceLocal || fault.code == FaultCode::RaceGlobal;
  };
  std::vector<Fault> kept;
  for (const Fault& fault : faults) {
    const bool known = (fault.code == FaultCode::RaceWarp || fault.code == FaultCode::StoreTogether) &&
                       std::any_of(faults.begin(), faults.end(), [&](const Fault& other) {
                         return is_wider(other) && are_same_accesses(fault, other);
                       });
    if (!known) kept.push_back(fault);
  }
  faults = std::move(kept);
}

/// What the program never freed, those of one name and size as one; the kernel is the first that was given it.
void add_left(const CaptureReader& capture, std::vector<Fault>& faults) {
  for (const LeftAllocation& left : left_allocations(capture.notes())) {
    Fault fault;
    fault.code = FaultCode::Leak;
    fault.object = left.name;
    fault.offset = left.bytes;
    fault.count = 1;
    for (const LaunchInfo& launch : capture.launches()) {
      fault.is_cuda = fault.is_cuda || is_cuda(launch);
      const bool has_it = std::ranges::any_of(launch.arguments, [&](const ArgumentValue& argument) {
        return argument.buffer == left.buffer && left.buffer.value() != 0;
      });
      if (!has_it) continue;
      fault.kernel = launch.kernel->name;
      fault.launch = launch.id;
      break;
    }
    const auto same = std::ranges::find_if(faults, [&](const Fault& other) {
      return other.code == FaultCode::Leak && other.object == fault.object && other.offset == fault.offset &&
             other.kernel == fault.kernel;
    });
    if (same == faults.end())
      faults.push_back(fault);
    else
      ++same->count;
  }
}

}  // namespace

FaultReport find_faults(const CaptureReader& capture, const std::vector<const LaunchInfo*>& launches,
                        std::uint32_t warp_size) {
  std::vector<AddressSpace> spaces{AddressSpace::Private};
  for (const BufferInfo& buffer : capture.buffers()) spaces.push_back(buffer.space);
  FaultReport report;
  const UnwrittenNotes unwritten(capture.notes());
  for (const LaunchInfo* launch : launches)
    LaunchFaults(capture, *launch, spaces, unwritten.of(launch->id), warp_size, report).run();
  fold(report.faults);
  add_left(capture, report.faults);
  std::stable_sort(report.faults.begin(), report.faults.end(), [](const Fault& a, const Fault& b) {
    return class_of(a.code).level > class_of(b.code).level;
  });
  const auto same = [](const auto& a, const auto& b) { return a.kernel == b.kernel && a.why == b.why; };
  report.not_checked.erase(std::unique(report.not_checked.begin(), report.not_checked.end(), same),
                           report.not_checked.end());
  return report;
}

}  // namespace warpscope
