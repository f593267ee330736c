#pragma once
// NVTX's C++ interface: ranges as objects. Colours, categories and payloads have no effect.
#include "../nvToolsExt.h"

#include <string>
#include <type_traits>
#include <utility>

namespace nvtx3 {
inline namespace v1 {

struct argb {
  using component_type = uint8_t;
  constexpr argb(component_type, component_type, component_type, component_type) noexcept {}
};
struct rgb {
  using component_type = uint8_t;
  constexpr rgb(component_type, component_type, component_type) noexcept {}
};
struct color {
  using value_type = uint32_t;
  constexpr explicit color(value_type) noexcept {}
  constexpr color(argb) noexcept {}
  constexpr color(rgb) noexcept {}
};
struct category {
  using id_type = uint32_t;
  constexpr explicit category(id_type) noexcept {}
  constexpr category() noexcept = default;
};
template <class Domain>
struct named_category_in : category {
  named_category_in(id_type id, const char *) noexcept : category(id) {}
};
struct payload {
  template <class Number>
  constexpr explicit payload(Number) noexcept {}
};

class message {
 public:
  message(const char *text) : text_(text) {}
  message(const std::string &text) : text_(text) {}
  const char *get() const { return text_.c_str(); }

 private:
  std::string text_;
};

struct domain {
  struct global {};
};

template <class Domain>
class registered_string_in {
 public:
  explicit registered_string_in(const char *text) : text_(text) {}
  explicit registered_string_in(const std::string &text) : text_(text) {}
  template <class Message>
  static const registered_string_in &get() {
    static const registered_string_in text(Message::message);
    return text;
  }
  operator message() const { return message(text_); }

 private:
  std::string text_;
};
using registered_string = registered_string_in<domain::global>;

class event_attributes {
 public:
  event_attributes() noexcept = default;
  template <class First, class... Rest,
            class = std::enable_if_t<!std::is_same_v<std::decay_t<First>, event_attributes>>>
  explicit event_attributes(const First &first, const Rest &...rest) : event_attributes(rest...) {
    take(first);
  }
  const char *name() const { return name_.c_str(); }

 private:
  template <class Part>
  void take(const Part &part) {
    if constexpr (std::is_convertible_v<const Part &, message>)
      name_ = message(part).get();
  }
  std::string name_;
};

namespace warpscope_detail {
template <class Domain>
const char *name_of_domain() {
  if constexpr (std::is_same_v<Domain, domain::global>)
    return nullptr;
  else
    return Domain::name;
}
} // namespace warpscope_detail

template <class Domain = domain::global>
class scoped_range_in {
 public:
  template <class... Parts>
  explicit scoped_range_in(const Parts &...parts)
      : scoped_range_in(event_attributes(parts...)) {}
  explicit scoped_range_in(const event_attributes &attributes) {
    warpscope_nvtx_push(warpscope_detail::name_of_domain<Domain>(), attributes.name());
  }
  ~scoped_range_in() {
    if (warpscopeRangePop)
      warpscopeRangePop(warpscope_detail::name_of_domain<Domain>());
  }
  scoped_range_in(const scoped_range_in &) = delete;
  scoped_range_in &operator=(const scoped_range_in &) = delete;
};
using scoped_range = scoped_range_in<>;

struct range_handle {
  nvtxRangeId_t id = 0;
};
template <class Domain = domain::global, class... Parts>
range_handle start_range_in(const Parts &...parts) {
  return {warpscope_nvtx_start(warpscope_detail::name_of_domain<Domain>(),
                               event_attributes(parts...).name())};
}
template <class... Parts>
range_handle start_range(const Parts &...parts) {
  return start_range_in<>(parts...);
}
inline void end_range(range_handle range) { nvtxRangeEnd(range.id); }
template <class Domain>
void end_range_in(range_handle range) {
  nvtxRangeEnd(range.id);
}

template <class Domain = domain::global>
class unique_range_in {
 public:
  template <class... Parts>
  explicit unique_range_in(const Parts &...parts) : range_(start_range_in<Domain>(parts...)) {}
  unique_range_in(unique_range_in &&other) noexcept : range_(std::exchange(other.range_, {})) {}
  ~unique_range_in() { end_range(range_); }
  unique_range_in(const unique_range_in &) = delete;
  unique_range_in &operator=(const unique_range_in &) = delete;

 private:
  range_handle range_;
};
using unique_range = unique_range_in<>;

template <class Domain = domain::global, class... Parts>
void mark_in(const Parts &...) noexcept {}
template <class... Parts>
void mark(const Parts &...) noexcept {}

} // namespace v1
} // namespace nvtx3

#define NVTX3_V1_FUNC_RANGE_IN(D) const ::nvtx3::v1::scoped_range_in<D> nvtx3_func_range__(__func__)
#define NVTX3_V1_FUNC_RANGE() NVTX3_V1_FUNC_RANGE_IN(::nvtx3::v1::domain::global)
#define NVTX3_FUNC_RANGE_IN(D) NVTX3_V1_FUNC_RANGE_IN(D)
#define NVTX3_FUNC_RANGE() NVTX3_V1_FUNC_RANGE()
