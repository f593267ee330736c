#include "tools/options/examples.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>

namespace warpscope {
namespace {

struct Examples {
  std::string_view program;
  std::array<std::string_view, 3> lines;
};

constexpr Examples kExamples[] = {
    {"cachesim",
     {"cachesim mm.wtrace --gpu h100", "cachesim mm.wsched 16 128 4 LRU WTNA --json mm.json",
      "cachesim mm.wtrace --compare-generations --generations gtx480,v100,h100"}},
    {"cachesim coalesce",
     {"cachesim coalesce mm.wtrace --gpu gtx480 -o mm.wtxn",
      "cachesim coalesce mm.wsched -o mm.wtxn --line 64",
      "cachesim coalesce mm.wtrace --gpu v100 --launch 0-3 -o first.wtxn"}},
    {"cachesim sweep",
     {"cachesim sweep mm.wtrace --gpu gtx480 --size 16,32,48 --ways 1-16 --csv mm.csv",
      "cachesim sweep mm.wtrace --gpu gtx480 --ways 4 --sets '4-128*2' --index linear,xor-fold --json "
      "mm.json",
      "cachesim sweep mm.wsched --size '8-256*2' --ways 8 --replacement LRU,FIFO --classes"}},
    {"cachesim timed",
     {"cachesim timed mm.wtrace --gpu h100 --json mm.json",
      "cachesim timed mm.wtrace --gpu v100 --warp-scheduler lrr --set l1_hit_latency_cycles=20",
      "cachesim timed mm.wtrace --gpu gtx480 --launch 0 --effects"}},
    {"cachesim infer",
     {"cachesim infer measured.csv --json caches.json",
      "cachesim infer --simulate --gpu gtx480 --plan plan.csv",
      "cachesim infer measured.csv --gpu v100 --next 5"}},
    {"compile-kernel",
     {"compile-kernel mm.cl -o work", "compile-kernel mm.cu -o work --registers sm_80 -- -DTILE=16",
      "compile-kernel mm.cl --signatures -- -DTILE=16"}},
    {"confine",
     {"confine --write work -- trace-kernel work/mm.cl -o work/mm.wtrace",
      "confine --write work --read ~/kernels --cpu-seconds 60 --memory 8000000000 -- ./app",
      "confine --report"}},
    {"machine-code",
     {"machine-code app", "machine-code kernel.cubin --kernel saxpy --arch sm_90",
      "machine-code --words words.txt --arch sm_86"}},
    {"launch-file",
     {"launch-file mm.launch", "launch-file mm.launch --size small",
      "launch-file mm.launch --global 512,512 -D TILE=32"}},
    {"trace-check",
     {"trace-check mm.wtrace", "trace-check mm.wtrace.part --partial",
      "trace-kernel mm.cl -o - | trace-check -"}},
    {"trace-kernel",
     {"trace-kernel mm.cl --global 256,256 --local 16,16",
      "trace-kernel mm.cu -D TILE=32 --size small -o small.wtrace",
      "trace-kernel --launch 0-9 -o app.wtrace -- ./app input.dat"}},
    {"trace-view",
     {"trace-view mm.wtrace --sites", "trace-view mm.wtrace --summary --json",
      "trace-view mm.wtrace --work-item 0:31"}},
    {"warpsched",
     {"warpsched mm.wtrace --gpu h100 -o mm.wsched",
      "warpsched mm.wtrace --policy rr --cores 1 --format text -o -",
      "warpsched mm.wtrace --gpu gtx480 --core 0 --launch 0 -o core0.wsched"}},
};

}  // namespace

std::string examples_of(std::string_view program) {
  const auto* found = std::find_if(std::begin(kExamples), std::end(kExamples),
                                   [&](const Examples& one) { return one.program == program; });
  assert(found != std::end(kExamples));
  std::string text = "\nExamples:\n";
  for (const std::string_view line : found->lines) text.append("  ").append(line).append("\n");
  return text;
}

}  // namespace warpscope
