#pragma once
// Signals that end a program.
namespace warpscope {

/// From here on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU first remove unfinished output files (traces/files/output_file.h), and
/// then end the process as they did before. One that is ignored stays so.
void tidy_up_on_signals();

}  // namespace warpscope
