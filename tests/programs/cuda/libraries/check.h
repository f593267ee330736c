#pragma once
// What the programs of this folder share: memory that host and device read, numbers, and comparisons.
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

static int wrong = 0;

inline void expect(const char* what, double got, double expected, double error = 0) {
  if (std::fabs(got - expected) <= error || (std::isnan(got) && std::isnan(expected))) return;
  if (++wrong <= 20) std::printf("%s: %.9g, expected %.9g\n", what, got, expected);
}

/// Managed memory with a guard of NaN behind it: a matrix or vector of `count` elements.
template <class T>
struct Array {
  T* data = nullptr;
  int count;
  explicit Array(int count_) : count(count_) { cudaMallocManaged(&data, (count + 1) * sizeof(T)); }
  Array(int count_, T value) : Array(count_) {
    for (int i = 0; i < count; ++i) data[i] = value;
  }
  Array(const Array& other) : Array(other.count) {
    for (int i = 0; i < count; ++i) data[i] = other.data[i];
  }
  Array& operator=(const Array&) = delete;
  ~Array() { cudaFree(data); }
  T& operator[](int i) { return data[i]; }
  const T& operator[](int i) const { return data[i]; }
  operator T*() const { return data; }
};

/// Small numbers that differ, the same in every run.
template <class T>
Array<T> some(int count, int seed) {
  Array<T> result(count);
  unsigned state = 12345u + static_cast<unsigned>(seed);
  for (int i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    result[i] = static_cast<T>(static_cast<int>(state >> 24) - 128) / static_cast<T>(64);
  }
  return result;
}
