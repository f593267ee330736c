// trace-check: the invariants of a capture.
#include <fmt/format.h>

#include <iostream>

#include "tools/options/capture_input.h"
#include "tools/options/command_options.h"
#include "tools/options/examples.h"
#include "tools/options/run_tool.h"
#include "traces/base/printable.h"
#include "traces/capture/invariants.h"
#include "traces/program/group_selection.h"

namespace warpscope {
namespace {

/// Launches that did not come to their end, as a program that was killed leaves them.
void report_incomplete(const std::string& path, const CaptureReader& capture) {
  for (const LaunchInfo& launch : capture.launches()) {
    const std::uint64_t all = launch.groups().count();
    const std::uint64_t selected = GroupSelection::parse(launch.sampling).count(launch.id, all);
    const std::size_t held = capture.groups(launch.id).size();
    if (held < selected)
      fmt::print("{}: note: launch {} holds {} of its {} work-groups\n", printable(path), launch.id.value(),
                 held, selected);
  }
}

int report(const std::string& path, const CaptureReader& capture, const CheckResult& result) {
  for (const std::string& violation : result.violations)
    fmt::print("{}\n", quotable(fmt::format("{}: {}", path, violation), 1000));
  if (result.violation_count > result.violations.size()) {
    fmt::print("{}: and {} more\n", printable(path), result.violation_count - result.violations.size());
  }
  if (result.outside_every_object != 0) {
    fmt::print("{}: note: {} accesses are outside every object that the kernel was given\n", printable(path),
               result.outside_every_object);
  }
  if (result.violation_count != 0) return kExitBadInput;
  report_incomplete(path, capture);
  fmt::print("{}: {}, {} launches, {} work-groups, {} work-items, {} accesses\n", printable(path),
             capture.is_partial() ? "OK as far as it goes (partial)" : "OK", capture.launches().size(),
             result.work_groups, result.work_items, result.accesses);
  return kExitOk;
}

constexpr const char* kUsage =
    "trace-check CAPTURE: checks the invariants of a capture (- = standard input); prints OK, or the first\n"
    "violations and exits with status 2.\n\n";

int run(const std::vector<std::string>& words) {
  OptionGroup own{"Options", {}};
  own.options.add_options()("partial", "check what is left of a capture that was cut short");
  add_element_bytes(own.options);
  CommandOptions options("trace-check");
  options.add(std::move(own)).add_word("capture");
  const OptionValues values = options.parse(words);
  if (options.answers(values, kUsage, examples_of("trace-check"), std::cout)) return kExitOk;
  if (values.count("capture") == 0) throw InputError("no capture given, expected: trace-check CAPTURE");
  const auto path = values["capture"].as<std::string>();
  const CaptureInput input(path, values, "trace-check");
  const CaptureReader capture(input.path(), values.count("partial") != 0);
  return report(path, capture, check_capture(capture));
}

}  // namespace
}  // namespace warpscope

int main(int argc, char** argv) {
  return warpscope::run_tool("trace-check", [&] { return warpscope::run({argv + 1, argv + argc}); });
}
