#pragma once
// Tests that try everything there is do so in the release build; a sanitizer takes ten times as long, and
// sees enough in every so-manieth case.
#include <cstddef>
#include <cstdlib>
#include <string_view>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WARPSCOPE_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WARPSCOPE_SANITIZED
#endif

namespace warpscope {

/// The step through all cases: 1, under a sanitizer 7 (odd, as tests take another kind of case for every second seed), unless
/// WARPSCOPE_TEST_KERNELS=all, as in scripts/test --long sanitizers.
#ifdef WARPSCOPE_SANITIZED
inline const std::size_t kCaseStep = [] {
  const char* const wanted = std::getenv("WARPSCOPE_TEST_KERNELS");
  return wanted != nullptr && std::string_view(wanted) == "all" ? 1 : 7;
}();
#else
inline constexpr std::size_t kCaseStep = 1;
#endif

}  // namespace warpscope
