#pragma once
// What the programs of this folder share: the status that a call gives, and what it was to change.
#include <cstdio>

static int wrong = 0;

inline void expect(const char* what, bool holds) {
  if (holds) return;
  ++wrong;
  std::printf("%s: does not hold\n", what);
}

/// `Status`: any library's. Left out, success is expected, which is 0 in all of them.
template <class Status>
void status(const char* what, Status got, Status expected = Status()) {
  if (got == expected) return;
  ++wrong;
  std::printf("%s: %d, expected %d\n", what, static_cast<int>(got), static_cast<int>(expected));
}
