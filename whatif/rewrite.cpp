#include "whatif/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "traces/base/error.h"
#include "traces/base/progress.h"
#include "traces/capture/writer.h"
#include "traces/program/group_selection.h"
#include "whatif/group_order.h"
#include "whatif/kernel_change.h"
#include "whatif/sort_index.h"

namespace warpscope::whatif {
namespace {

/// Launches that share a kernel's description go on sharing it.
class LaunchChanger {
 public:
  LaunchChanger(const Plan& plan, const KernelFits& fits, const std::vector<BufferInfo>& buffers)
      : plan_(plan), fits_(fits), buffers_(buffers) {}

  void add(const LaunchInfo& original, CaptureWriter& writer) {
    LaunchInfo launch = original;
    const Key key{launch.kernel.identity(),   launch.objects.data(),         launch.build_options.identity(),
                  launch.optimize.identity(), launch.source_name.identity(), launch.source.identity()};
    const auto known = known_.find(key);
    if (known != known_.end()) {
      writer.add_launch(changed_launch(launch, known->second.kernel, plan_, buffers_), known->second.launch);
      return;
    }
    const Shared<KernelInfo> kernel(
        changed_kernel(launch, fits_.at(launch.kernel.identity()), plan_, buffers_));
    writer.add_launch(changed_launch(launch, kernel, plan_, buffers_));
    known_.emplace(key, Known{kernel, launch.id});
  }

 private:
  using Key = std::tuple<const void*, const void*, const void*, const void*, const void*, const void*>;
  struct Known {
    Shared<KernelInfo> kernel;
    LaunchId launch;
  };
  const Plan& plan_;
  const KernelFits& fits_;
  const std::vector<BufferInfo>& buffers_;
  std::map<Key, Known> known_;
};

std::optional<GroupOrder> order_of(const LaunchInfo& launch, const Plan& plan) {
  if (!plan.groups) return {};
  if (launch.cluster.count() > 1)
    throw InputError(fmt::format("{}: launch {} has clusters, whose work-groups stay together",
                                 plan.groups->text, launch.id.value()));
  if (*launch.sampling != "all")
    throw InputError(
        fmt::format("{}: launch {} holds a part of its work-groups ({}), expected all of them; "
                    "capture it without --work-groups",
                    plan.groups->text, launch.id.value(), *launch.sampling));
  return GroupOrder(*plan.groups, launch.groups());
}

/// Sorts the indices of one launch after the other, and counts what that moved.
class IndexSorter {
 public:
  IndexSorter(const CaptureReader& capture, const Plan& plan)
      : capture_(capture), plan_(plan), counts_(plan.sorted.size()) {}

  void begin(const LaunchInfo& launch) {
    sorts_.clear();
    for (std::size_t i = 0; i < plan_.sorted.size(); ++i) {
      sorts_.emplace_back(capture_, launch, plan_.sorted[i]);
      counts_[i].elements = std::max(counts_[i].elements, sorts_.back().elements());
      counts_[i].requests += sorts_.back().requests();
    }
  }
  WorkGroupTrace read(LaunchId launch, WorkGroupId group) const {
    WorkGroupTrace trace = capture_.read(launch, group);
    for (const IndexSort& sort : sorts_) sort.apply(trace);
    return trace;
  }
  void say(std::vector<std::string>& said) const {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const std::string& name = plan_.names[plan_.sorted[i].id.value()];
      if (counts_[i].requests == 0)
        throw InputError(
            fmt::format("{}: no address depends on what is loaded from '{}', expected an index array",
                        plan_.sorted[i].text, name));
      said.push_back(
          fmt::format("{}: its {} elements are sorted by the first address that each leads to; {} "
                      "accesses depend on them",
                      name, counts_[i].elements, counts_[i].requests));
    }
  }

 private:
  struct Count {
    std::uint64_t elements = 0, requests = 0;
  };
  const CaptureReader& capture_;
  const Plan& plan_;
  std::vector<Count> counts_;
  std::vector<IndexSort> sorts_;
};

/// The machine code that a launch executes, and how often, are the same where no access becomes several or one of several.
void keep_machine_code(const CaptureReader& capture, LaunchId launch, const std::vector<SiteFit>& fits,
                       CaptureWriter& writer) {
  const auto code = capture.machine_code(launch);
  if (code && std::all_of(fits.begin(), fits.end(), [](const SiteFit& fit) { return parts_of(fit) == 1; }))
    writer.add_machine_code(launch, *code, capture.totals(launch));
}

}  // namespace

void rewrite(const CaptureReader& capture, Plan& plan, const KernelFits& fits, const std::string& path,
             const std::string& options_text) {
  CaptureWriter::Options options;
  options.options_text = options_text;
  options.keeps_part = false;
  if (const auto found = capture.file_header().find("device_like"); found != capture.file_header().end())
    options.device_like = found->get<std::string>();
  for (const LaunchInfo& launch : capture.launches())
    options.has_walks = options.has_walks || !launch.kernel->machine_code.empty();
  CaptureWriter writer(path, options);
  for (BufferInfo buffer : capture.buffers()) {
    if (plan.moves(buffer.id)) buffer.size = plan.map_of(buffer.id)->new_size();
    writer.add_buffer(buffer);
  }
  std::uint64_t total = 0;
  for (const LaunchInfo& launch : capture.launches()) total += capture.groups(launch.id).size();
  Progress progress("changing", total, "work-groups");
  LaunchChanger launches(plan, fits, capture.buffers());
  IndexSorter sorter(capture, plan);
  std::uint64_t done = 0;
  for (const LaunchInfo& launch : capture.launches()) {
    launches.add(launch, writer);
    const auto order = order_of(launch, plan);
    sorter.begin(launch);
    const std::vector<SiteFit>& of_kernel = fits.at(launch.kernel.identity());
    for (const WorkGroupId group : capture.groups(launch.id)) {
      const WorkGroupTrace trace = changed_trace(sorter.read(launch.id, group), of_kernel, plan);
      writer.add_work_group(launch.id, order ? order->turn_of(group) : group, encode(trace));
      progress.update(++done);
    }
    keep_machine_code(capture, launch.id, of_kernel, writer);
  }
  sorter.say(plan.said);
  writer.finish(capture.notes());
}

}  // namespace warpscope::whatif
