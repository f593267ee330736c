#pragma once
// Small capture files made without a compiler.
#include <filesystem>
#include <string>

#include "tests/unit/scheduler/kernel_builder.h"
#include "tests/unit/temporary_folder.h"
#include "traces/capture/writer.h"

namespace warpscope::testing {

/// Two launches of "load; barrier; store" over three groups of 40 work-items; buffer 1 is read, buffer 2
/// written.
inline KernelInfo copy_kernel() {
  KernelBuilder k;
  const SiteId load = k.load(), wait = k.barrier(), store = k.store();
  k.block({load, wait, store}, {});
  return k.finish();
}
inline std::uint64_t copy_address(std::uint32_t group, std::uint32_t item, SiteId site,
                                  std::uint64_t /*count*/) {
  return BufferAddr(BufferId(site.value() == 0 ? 1 : 2), (group * 40 + item) * 4).key();
}
inline VectorSource copy_source() {
  const KernelInfo kernel = copy_kernel();
  VectorSource source(kernel, {3, 1, 1}, {40, 1, 1});
  const auto straight = [](std::uint32_t, std::uint32_t) { return Outcomes{}; };
  for (std::uint32_t g = 0; g < 3; ++g) source.add(make_group(kernel, g, 40, straight, copy_address));
  return source;
}
/// Writes both launches to `path`.
inline void write_copy_capture(const std::string& path) {
  CaptureWriter writer(path, {});
  for (std::uint32_t b = 1; b <= 2; ++b) {
    BufferInfo buffer;
    buffer.id = BufferId(b);
    buffer.name = b == 1 ? "in" : "out";
    buffer.size = 480;
    writer.add_buffer(buffer);
  }
  VectorSource source = copy_source();
  for (std::uint32_t l = 0; l < 2; ++l) {
    source.mutable_launch().id = LaunchId(l);
    writer.add_launch(source.launch());
    for (const WorkGroupId group : source.groups()) {
      WorkGroupTrace trace = source.read(group);
      trace.launch = LaunchId(l);
      const std::vector<std::uint8_t> payload = encode(trace);
      writer.add_work_group(LaunchId(l), group, payload);
    }
  }
  writer.finish();
}

}  // namespace warpscope::testing
