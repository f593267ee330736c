#pragma once
// The bytes of arguments: values written as text, and fills of buffers. Deterministic on every machine.
#include <cstdint>
#include <string>
#include <vector>

#include "wrapper/launch/expressions/expression.h"
#include "wrapper/launch/kernel_signatures.h"
#include "wrapper/launch/launch_description.h"

namespace warpscope {

/// A component of `type`, appended in little-endian form. Throws InputError if it does not fit (integers), or
/// if a value with a fraction goes to an integer.
void append_component(std::vector<std::uint8_t>& bytes, const ElementType& type, const Number& value,
                      const std::string& where);

/// `size` bytes of elements of `type`. Random numbers: the i-th component comes from SplitMix64 (Steele, Lea,
/// Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014, doi:10.1145/2660193.2660195) at
/// state seed + i + 1 steps; floats are uniform in [low, end), default [0, 1); integers in [low, end),
/// default [0, 100). Range: START, START + STEP, … up to LAST, then from START again. Throws InputError.
std::vector<std::uint8_t> fill_bytes(const Fill& fill, const ElementType& type, std::uint64_t size,
                                     const NameLookup& lookup, const std::string& where);

}  // namespace warpscope
