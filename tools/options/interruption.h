#pragma once
// Signals that end a program.
#include <string>

namespace warpscope {

/// From here on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU first remove unfinished output files (traces/files/output_file.h), and
/// then end the process as they did before. One that is ignored stays so.
void tidy_up_on_signals();
/// What such a signal says on standard error, one line. Once, after tidy_up_on_signals().
void say_when_interrupted(const std::string& line);

}  // namespace warpscope
