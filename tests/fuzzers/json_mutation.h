#pragma once
// Mutations of a JSON document that leave it well-formed.
#include <random>
#include <string>

namespace warpscope::fuzzing {

/// Replaces, removes, copies or nests one value of the document. Nothing changes if `text` is not JSON.
/// Returns whether something did.
bool mutate_json(std::string& text, std::minstd_rand& random);

}  // namespace warpscope::fuzzing
