#include "cachesim/sweep/sweep_request.h"

#include "cachesim/simulate/preset_cache.h"
#include "cachesim/simulate/request.h"
#include "traces/base/error.h"

namespace warpscope {

void use_gpu(SweepRequest& request, const GpuPreset& gpu) {
  CacheConfig own = preset_cache(gpu);
  own.set_index = set_index(own.set_index).name;
  if (own.sector_bytes == own.line_bytes) own.sector_bytes = 0;
  validate(own);
  request.preset = gpu;
  request.preset_cache = own;
  request.coalescing = gpu.coalescing;
  request.takes = preset_takes(gpu);
}

void check_against_input(const SweepRequest& request, FileKind kind) {
  if (request.sets_cores && kind == FileKind::TextStream)
    throw InputError(
        "--cores: a sweep takes a text stream as one core's, expected a capture, or a stream of warpsched "
        "--format binary");
  require_simulable(request.input, kind);
  if (request.sets_cores && kind != FileKind::Capture) refuse_cores(request.input);
}

}  // namespace warpscope
