// trace-check: the invariants of a capture.
#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <iostream>

#include "tools/options/examples.h"
#include "tools/options/run_tool.h"
#include "traces/base/printable.h"
#include "traces/base/version.h"
#include "traces/capture/invariants.h"
#include "traces/program/group_selection.h"

namespace warpscope {
namespace {

namespace po = boost::program_options;

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

int run(int argc, char** argv) {
  po::options_description options("Options");
  options.add_options()("help,h", "this text")("version", "version and commit")(
      "partial", "check what is left of a capture that was cut short")("capture", po::value<std::string>(),
                                                                       "capture file, - = standard input");
  po::positional_options_description positional;
  positional.add("capture", 1);
  po::variables_map values;
  po::store(po::command_line_parser(argc, argv).options(options).positional(positional).run(), values);
  if (values.count("help") != 0) {
    std::cout
        << "trace-check CAPTURE: checks the invariants of a capture; prints OK, or the first violations and\n"
           "exits with status 2.\n\n"
        << options << examples_of("trace-check");
    return kExitOk;
  }
  if (values.count("version") != 0) {
    std::cout << version_line("trace-check");
    return kExitOk;
  }
  if (values.count("capture") == 0) throw InputError("no capture given, expected: trace-check CAPTURE");
  const auto path = values["capture"].as<std::string>();
  const CaptureReader capture(path, values.count("partial") != 0);
  return report(path, capture, check_capture(capture));
}

}  // namespace
}  // namespace warpscope

int main(int argc, char** argv) {
  return warpscope::run_tool("trace-check", [&] { return warpscope::run(argc, argv); });
}
