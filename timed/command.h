#pragma once
// `cachesim timed`: the command line of the timed engine.

namespace warpscope::timed {

/// Runs the command; argv[0] is the program, argv[1] the word "timed". Returns the exit status; throws
/// InputError.
int run_command(int argc, char** argv);

}  // namespace warpscope::timed
