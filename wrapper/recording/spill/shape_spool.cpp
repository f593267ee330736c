#include "wrapper/recording/spill/shape_spool.h"

#include <new>

#include "traces/base/varint.h"

namespace warpscope {
namespace {

/// Bytes of the file that are read at once.
constexpr std::size_t kShapeStep = 1u << 20;

}  // namespace

ShapeSpool::ShapeSpool() : hash_(XXH3_createState()) {
  if (hash_ == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(hash_.get());
}

void ShapeSpool::add(std::int64_t delta, std::uint64_t repeat) {
  if (repeat == 0) return;
  if (run_.repeat > 0 && run_.delta == delta) {
    run_.repeat += repeat;
    return;
  }
  put_run();
  run_ = {delta, repeat};
}

void ShapeSpool::put_run() {
  if (run_.repeat == 0) return;
  std::vector<std::uint8_t>& out = spool_.waiting();
  const std::size_t before = out.size();
  put_delta_run(out, run_);
  XXH3_128bits_update(hash_.get(), &out[before], out.size() - before);
  spool_.note_growth();
  ++runs_;
  run_ = {};
}

std::uint32_t ShapeSpool::end_shape() {
  put_run();
  const XXH128_hash_t hash = XXH3_128bits_digest(hash_.get());
  const auto [known, is_new] =
      numbers_.try_emplace({hash.high64, hash.low64}, static_cast<std::uint32_t>(shapes_.size()));
  if (is_new)
    shapes_.push_back({spool_.size() - begin_, runs_});
  else
    spool_.cut(begin_);
  begin_ = spool_.size();
  runs_ = 0;
  XXH3_128bits_reset(hash_.get());
  return known->second;
}

void ShapeSpool::put(PayloadParts& out) {
  SpoolReader reader(spool_, 0, spool_.size(), kShapeStep);
  out.add_varint(shapes_.size());
  for (const Shape& shape : shapes_) {
    out.add_varint(shape.runs);
    for (std::uint64_t left = shape.bytes; left > 0;) {
      const auto bytes = reader.bytes(left);
      out.add(bytes);
      left -= bytes.size();
    }
  }
}

void ShapeSpool::clear() {
  spool_.cut(0);
  shapes_.clear();
  numbers_.clear();
  begin_ = 0;
}

}  // namespace warpscope
