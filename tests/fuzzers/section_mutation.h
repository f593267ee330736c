#pragma once
// Mutations of captures, streams and transaction streams that reach what is behind the checksums.
#include <random>
#include <vector>

#include "tests/fuzzers/fuzzer.h"

namespace warpscope::fuzzing {

/// Changes a payload, a header or the order of sections, and makes checksums, sizes and index fit again; now
/// and then one of these instead. Calls libFuzzer's mutator for bytes.
std::vector<std::uint8_t> mutated_sections(Bytes seed, std::minstd_rand& random);

}  // namespace warpscope::fuzzing
