#pragma once
// What --set of cachesim timed takes in addition to the keys of a GPU: how the engine models, not what a GPU has.
#include <optional>
#include <string>
#include <vector>

#include "gpus/preset.h"
#include "timed/request.h"

namespace warpscope::timed {

/// "\nKeys of the model, for --set:" and a line each, for --help.
std::string model_keys_help();

class ModelSettings {
 public:
  /// Takes the keys of the model out of `changes`; the others are the GPU's. Throws InputError for a value that a key does not take.
  explicit ModelSettings(std::vector<PresetChange>& changes);
  [[nodiscard]] std::optional<L1Stages> stages() const;
  /// What else they say, of a request that has its GPU.
  void apply(TimedRequest& request) const;

 private:
  /// What was said last of a key.
  [[nodiscard]] std::optional<std::string> value_of(const char* key) const;
  std::vector<PresetChange> said_;
};

}  // namespace warpscope::timed
