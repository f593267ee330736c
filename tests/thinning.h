#pragma once
// Tests that try everything there is do so in the release build; a sanitizer takes ten times as long, and
// sees enough in every so-manieth case.
#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WARPSCOPE_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WARPSCOPE_SANITIZED
#endif

namespace warpscope {

/// The step through all cases: 1, under a sanitizer 6.
#ifdef WARPSCOPE_SANITIZED
inline constexpr std::size_t kCaseStep = 6;
#else
inline constexpr std::size_t kCaseStep = 1;
#endif

}  // namespace warpscope
