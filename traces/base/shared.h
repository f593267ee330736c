#pragma once
// Values that many launches have in common, held once.
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpscope {

/// A value that copies share. Reading is as through a pointer, which is never null; edit() changes one copy
/// alone.
template <class T>
class Shared {
 public:
  Shared() : value_(none()) {}
  Shared(T value) : value_(std::make_shared<T>(std::move(value))) {}
  template <class From, class = std::enable_if_t<!std::is_same_v<std::remove_cvref_t<From>, Shared> &&
                                                 !std::is_same_v<std::remove_cvref_t<From>, T> &&
                                                 std::is_convertible_v<From, T>>>
  Shared(From&& value) : Shared(T(std::forward<From>(value))) {}
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  operator const T&() const { return *value_; }
  [[nodiscard]] T& edit() {
    if (value_.use_count() != 1) value_ = std::make_shared<T>(*value_);
    return *value_;
  }
  /// Whether both are the same object: no comparison of their content.
  [[nodiscard]] bool is(const Shared& other) const { return value_ == other.value_; }
  [[nodiscard]] const void* identity() const { return value_.get(); }

 private:
  /// Never destroyed: threads of a traced program go on while the process ends.
  static const std::shared_ptr<T>& none() {
    static const auto* const value = new std::shared_ptr<T>(std::make_shared<T>());
    return *value;
  }
  std::shared_ptr<T> value_;
};

/// A vector that copies share; for reading it is one.
template <class T>
class SharedList {
 public:
  using value_type = T;
  using const_iterator = const T*;
  using iterator = const T*;
  SharedList() = default;
  SharedList(std::vector<T> values) : values_(std::move(values)) {}
  SharedList(std::initializer_list<T> values) : values_(std::vector<T>(values)) {}

  [[nodiscard]] const T* begin() const { return values_->data(); }
  [[nodiscard]] const T* end() const { return values_->data() + values_->size(); }
  [[nodiscard]] const T* data() const { return values_->data(); }
  [[nodiscard]] std::size_t size() const { return values_->size(); }
  [[nodiscard]] bool empty() const { return values_->empty(); }
  const T& operator[](std::size_t i) const { return (*values_)[i]; }
  [[nodiscard]] const T& front() const { return values_->front(); }
  [[nodiscard]] const T& back() const { return values_->back(); }
  operator const std::vector<T>&() const { return *values_; }

  void push_back(T value) { values_.edit().push_back(std::move(value)); }
  void clear() { *this = SharedList(); }
  /// For changes of single elements.
  [[nodiscard]] std::vector<T>& edit() { return values_.edit(); }

 private:
  Shared<std::vector<T>> values_;
};

}  // namespace warpscope
