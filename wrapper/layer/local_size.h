#pragma once
// The local size that the device chooses when the application leaves it open.
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "traces/base/types.h"
#include "wrapper/layer/api.h"

namespace warpscope::layer {

class LocalSizes {
 public:
  /// Asks the device itself: a small kernel of the same global size says what it got. Nothing if that fails.
  std::optional<Dim3> chosen(cl_context context, cl_device_id device, cl_uint dimensions, const Dim3& global);

 private:
  using Key = std::tuple<cl_device_id, cl_uint, std::uint64_t, std::uint64_t, std::uint64_t>;
  std::mutex mutex_;
  std::map<Key, Dim3> known_;
};

}  // namespace warpscope::layer
