#include "timed/request.h"

#include <fmt/format.h>

#include "timed/issue/issue_policy.h"
#include "traces/base/error.h"

namespace warpscope::timed {
namespace {

constexpr const char* kRules[] = {"dynamic", "shuffled", "round-robin", "random"};

void simplify(TimedRequest& request) {
  if (request.ideal == Ideal::Issue) return request.config.make_ideal();
  if (request.ideal == Ideal::No) return;
  if (request.assignment == "dynamic" || request.assignment == "shuffled")
    throw InputError(
        fmt::format("--assign {}: expected round-robin, random or a file with "
                    "--set ideal=fixed-order",
                    request.assignment));
  request.config.make_fixed_order();
}

}  // namespace

const char* name_of(Ideal ideal) {
  constexpr const char* kNames[] = {"", "issue", "fixed-order"};
  return kNames[static_cast<std::size_t>(ideal)];
}

std::span<const char* const> assignment_rules() {
  return kRules;
}

void use_gpu(TimedRequest& request, const GpuPreset& gpu, std::optional<L1Stages> stages) {
  PresetConfig from = config_from(gpu, stages);
  request.preset = gpu;
  request.config = from.config;
  request.assumed = std::move(from.assumed);
}

void complete(TimedRequest& request) {
  if (request.waves != 0 && request.assignment != "dynamic" && request.assignment != "shuffled")
    throw InputError(fmt::format(
        "--waves: with --assign {} no one knows the first work-groups, expected dynamic or shuffled",
        request.assignment));
  if (request.waves != 0 && request.write_assignment)
    throw InputError(
        "--waves: --write-assignment names the core of every work-group, expected one of the two");
  simplify(request);
  request.config.seed = request.schedule.seed;
  request.config.l1.cache.seed = request.schedule.seed;
  issue_policy_named(request.config.issue.policy);
  validate(request.config);
}

void check_against_input(const TimedRequest& request, FileKind kind) {
  if (kind == FileKind::CrawfordTrace)
    throw InputError(
        fmt::format("{}: a trace with loop counters has no instructions between its accesses, expected a "
                    "capture of trace-kernel; cachesim without "
                    "timed counts its hits",
                    request.input));
  if (kind != FileKind::Capture)
    throw InputError(fmt::format(
        "{}: not a capture, expected one of trace-kernel: a schedule has its order already", request.input));
}

}  // namespace warpscope::timed
