#include "whatif/rewrite.h"

#include <fmt/format.h>

#include <optional>
#include <tuple>

#include "traces/base/error.h"
#include "traces/base/progress.h"
#include "traces/capture/writer.h"
#include "whatif/group_order.h"
#include "whatif/kernel_change.h"

namespace warpscope::whatif {
namespace {

/// Launches that share a kernel's description go on sharing it.
class LaunchChanger {
 public:
  LaunchChanger(const Plan& plan, const KernelFits& fits, const std::vector<BufferInfo>& buffers)
      : plan_(plan), fits_(fits), buffers_(buffers) {}

  void add(const LaunchInfo& launch, CaptureWriter& writer) {
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
  if (*launch.sampling != "all")
    throw InputError(
        fmt::format("{}: launch {} holds a part of its work-groups ({}), expected all of them; "
                    "capture it without --work-groups",
                    plan.groups->text, launch.id.value(), *launch.sampling));
  return GroupOrder(*plan.groups, launch.groups());
}

}  // namespace

void rewrite(const CaptureReader& capture, const Plan& plan, const KernelFits& fits, const std::string& path,
             const std::string& options_text) {
  CaptureWriter::Options options;
  options.options_text = options_text;
  options.keeps_part = false;
  if (const auto found = capture.file_header().find("device_like"); found != capture.file_header().end())
    options.device_like = found->get<std::string>();
  CaptureWriter writer(path, options);
  for (BufferInfo buffer : capture.buffers()) {
    if (plan.moves(buffer.id)) buffer.size = plan.map_of(buffer.id)->new_size();
    writer.add_buffer(buffer);
  }
  std::uint64_t total = 0;
  for (const LaunchInfo& launch : capture.launches()) total += capture.groups(launch.id).size();
  Progress progress("changing", total, "work-groups");
  LaunchChanger launches(plan, fits, capture.buffers());
  std::uint64_t done = 0;
  for (const LaunchInfo& launch : capture.launches()) {
    launches.add(launch, writer);
    const auto order = order_of(launch, plan);
    for (const WorkGroupId group : capture.groups(launch.id)) {
      const WorkGroupTrace trace =
          changed_trace(capture.read(launch.id, group), fits.at(launch.kernel.identity()), plan);
      writer.add_work_group(launch.id, order ? order->turn_of(group) : group, encode(trace));
      progress.update(++done);
    }
  }
  writer.finish(capture.notes());
}

}  // namespace warpscope::whatif
