// A capture and changes of its layout: what is written must be a capture that reads as well as the old one.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

#include "tests/fuzzers/few_groups.h"
#include "tests/fuzzers/fuzzer.h"
#include "traces/base/random.h"
#include "traces/capture/invariants.h"
#include "traces/capture/reader.h"
#include "whatif/change.h"
#include "whatif/rewrite.h"

namespace warpscope::fuzzing {
namespace {

using namespace whatif;

constexpr std::size_t kMostText = 64;

/// One change, drawn: mostly of an object that the capture has, with small numbers; a few are nonsense.
Change drawn_change(const CaptureReader& capture, SplitMix64& random) {
  const auto forms = change_forms();
  const ChangeForm& form = forms[random.next() % forms.size()];
  const auto& buffers = capture.buffers();
  std::string name = buffers.empty() ? "none" : buffers[random.next() % buffers.size()].name;
  const auto number = [&] { return 1 + random.next() % (std::uint64_t{1} << (random.next() % 12)); };
  const auto power = [&] { return std::uint64_t{1} << (random.next() % 10); };
  switch (form.kind) {
    case ChangeKind::Pad:
      return parse_change(form, fmt::format("{}=+{}", name, number()));
    case ChangeKind::Pitch:
      return parse_change(form, fmt::format("{}={}:{}", name, number(), number()));
    case ChangeKind::Offset:
      return parse_change(form, fmt::format("{}={}{}", name, random.next() % 2 != 0 ? "-" : "", number()));
    case ChangeKind::Swizzle:
      return parse_change(form, fmt::format("{}={}", name, power()));
    case ChangeKind::Transpose:
      return parse_change(form, fmt::format("{}={}x{}:{}", name, number(), number(), power()));
    case ChangeKind::Groups:
      return parse_change(form,
                          random.next() % 2 != 0 ? "morton" : fmt::format("tile:{}x{}", number(), number()));
    case ChangeKind::Widen: {
      std::string file = "a.cl";
      for (const LaunchInfo& launch : capture.launches())
        for (const SiteInfo& site : launch.kernel->sites)
          if (!site.locations.empty()) file = site.locations.front().file;
      return parse_change(form, fmt::format("{}:1-{}", file, 1000));
    }
    case ChangeKind::Bypass:
    case ChangeKind::SortIndex:
      return parse_change(form, name);
    default:
      return parse_change(form, fmt::format("{}={}", name, power()));
  }
}

void check_again(const std::string& path, const std::string& what) {
  try {
    check_capture(CaptureReader(path));
  } catch (const InputError& error) {
    fmt::print(stderr, "{}: made a capture that is refused: {}\n", what, error.what());
    std::abort();
  }
}

void change(const std::string& path, std::uint64_t seed) {
  const CaptureReader capture(path);
  if (!has_few_groups(capture)) return;
  check_capture(capture);  // what cannot be read is refused, and no more is asked
  SplitMix64 random(seed);
  std::vector<Change> changes;
  std::string said;
  for (std::uint64_t count = 1 + random.next() % 3; count > 0; --count) {
    changes.push_back(drawn_change(capture, random));
    said += changes.back().text + " ";
  }
  Plan plan = make_plan(capture, changes);
  const KernelFits fits = fit(capture, plan);
  const std::string output = fmt::format("/dev/shm/warpscope-fuzz.{}", getpid());
  rewrite(capture, plan, fits, output, said);
  check_again(output, said);
  std::filesystem::remove(output);
}

}  // namespace

void fuzz_trace_change(Bytes input) {
  const std::string_view content(reinterpret_cast<const char*>(input.data()), input.size());
  for (const ChangeForm& form : change_forms())
    allow_refusal([&] { static_cast<void>(parse_change(form, std::string(content.substr(0, kMostText)))); });
  std::uint64_t seed = 0;
  for (const std::uint8_t byte : input)
    seed = seed * 0x100000001B3 + byte;  // FNV: other bytes, other changes
  const InputFile file(input);
  allow_refusal([&] { change(file.path(), seed); });
}

}  // namespace warpscope::fuzzing
