#pragma once
// --resume: what is done is kept next to the result, and taken over by the next run of the same command.
#include <memory>
#include <optional>
#include <string>

#include "cachesim/simulate/pieces.h"
#include "tools/options/option_values.h"
#include "traces/stream/stream.h"

namespace warpscope {

constexpr const char* kResumeHelp =
    "keep what is done in FILE.resume, next to the result of --json FILE, and go on from there if it is "
    "there: "
    "again and again, until it is complete; captures only";

constexpr const char* kKeepResumeHelp =
    "--resume: leave FILE.resume there when FILE is complete, for a run that does more than this";

/// Next to which the file is.
struct ResultFile {
  std::optional<std::string> path;       ///< absent, or no regular file: what is done cannot be kept
  const char* expected = "--json FILE";  ///< what would have made it one
};

/// The file of a command with --resume, with null where it is not there. `tool`: for messages. `gpu`: all values of its preset, or
/// null. From here on, a signal that ends the process says how to go on. Throws InputError where nothing can be kept, or the file is
/// of another run.
KeptWork kept_work(const std::string& tool, const OptionValues& values, const ResultFile& result,
                   const nlohmann::json& gpu);
/// The result is complete: the file goes, unless --keep-resume says otherwise.
void end_kept_work(const KeptWork& kept, const OptionValues& values);
/// Throws InputError where `values` has --resume and the input is no capture.
void refuse_to_resume(const OptionValues& values, const std::string& input, FileKind kind);
/// Throws InputError where `values` has --resume and any of `others`, which say what is simulated only while it runs.
void refuse_with_resume(const OptionValues& values, std::initializer_list<const char*> others);

}  // namespace warpscope
