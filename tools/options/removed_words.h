#pragma once
// Options that earlier releases had: for one release they are refused with what to write now.
#include <string>
#include <string_view>
#include <vector>

namespace warpscope {

/// Throws InputError "--unroll: …, expected --set unrolled_iterations=N" for the first word that was an option of `command`
/// ("cachesim timed").
void refuse_removed_words(std::string_view command, const std::vector<std::string>& words);

}  // namespace warpscope
