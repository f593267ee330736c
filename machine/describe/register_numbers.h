#pragma once
// Registers, uniform registers, predicates and uniform predicates, each with one number.
#include <cstdint>

#include "machine/isa/effects.h"

namespace warpscope::machine {

constexpr std::uint32_t kFirstUniform = 256, kFirstPredicate = 320, kFirstUniformPredicate = 328;
constexpr std::uint32_t kRegisterNumbers = 336;

template <class F>
void for_each_register(const RegisterSets& sets, F f) {
  if (sets.registers.any())
    for (std::uint32_t number = 0; number < kFirstUniform; ++number)
      if (sets.registers[number]) f(number);
  if (sets.uniform.any())
    for (std::uint32_t number = 0; number < sets.uniform.size(); ++number)
      if (sets.uniform[number]) f(kFirstUniform + number);
  for (std::uint32_t number = 0; number < 8; ++number) {
    if ((sets.predicates >> number & 1) != 0) f(kFirstPredicate + number);
    if ((sets.uniform_predicates >> number & 1) != 0) f(kFirstUniformPredicate + number);
  }
}

inline bool has_register(const RegisterSets& sets, std::uint32_t number) {
  if (number < kFirstUniform) return sets.registers[number];
  if (number < kFirstPredicate) return sets.uniform[number - kFirstUniform];
  if (number < kFirstUniformPredicate) return (sets.predicates >> (number - kFirstPredicate) & 1) != 0;
  return (sets.uniform_predicates >> (number - kFirstUniformPredicate) & 1) != 0;
}

}  // namespace warpscope::machine
