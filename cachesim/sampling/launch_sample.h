#pragma once
// A program whose launches are simulated in part: which ones, and what all would count.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cachesim/counters/launch_records.h"
#include "cachesim/sampling/launch_features.h"
#include "cachesim/simulate/launch_count.h"
#include "scheduler/schedule.h"
#include "traces/capture/reader.h"
#include "traces/program/launch_selection.h"

namespace warpscope {

/// The launches of a capture that can be drawn.
class LaunchPopulation {
 public:
  /// Those that options.launches chooses and that fit the GPU. Looks at each. `capture` outlives this. Throws Refused where none
  /// fits. For cycles launches that meet a cold L2 are a kind of their own.
  LaunchPopulation(const CaptureReader& capture, const ScheduleOptions& options,
                   LookFor look = LookFor::Counts);
  [[nodiscard]] const std::vector<const LaunchInfo*>& launches() const { return launches_; }
  [[nodiscard]] const std::vector<LaunchFeatures>& features() const { return features_; }
  /// Per launch the number of its kind: kernel, work-group size, and LaunchFeatures::reads_new.
  [[nodiscard]] const std::vector<std::size_t>& kinds() const { return kinds_; }
  /// What totals are in proportion to.
  [[nodiscard]] double size_of(std::size_t position) const { return features_[position].transactions; }
  [[nodiscard]] double all_sizes() const;
  /// Of `count` launches that are drawn.
  [[nodiscard]] double expected_size(std::size_t count) const;
  /// How many work-groups the capture has of it.
  [[nodiscard]] std::uint64_t groups_of(std::size_t position) const {
    return capture_.groups(launches_[position]->id).size();
  }
  /// Launches that the GPU cannot run, as skip_misfits() says it.
  [[nodiscard]] const nlohmann::json& skipped() const { return skipped_; }
  [[nodiscard]] const std::string& kernel_text() const { return kernel_text_; }

 private:
  const CaptureReader& capture_;
  std::vector<const LaunchInfo*> launches_;
  std::vector<LaunchFeatures> features_;
  std::vector<std::size_t> kinds_;
  std::string kernel_text_;
  nlohmann::json skipped_ = nlohmann::json::array();
};

/// Those that were drawn.
class LaunchSample {
 public:
  struct Stratum {
    std::vector<std::size_t> members;  ///< positions in the population, ascending
    std::vector<std::size_t> drawn;    ///< the drawn launches, ascending
  };

  /// `population` outlives this. Throws InputError, which begins with --sample-launches, where there are fewer launches.
  LaunchSample(const LaunchPopulation& population, const LaunchCount& count, std::uint64_t seed);

  [[nodiscard]] const LaunchPopulation& population() const { return population_; }
  [[nodiscard]] const std::vector<Stratum>& strata() const { return strata_; }
  /// What a simulation takes in place of the whole population.
  [[nodiscard]] LaunchSelection selection() const;
  /// `sampled_launches` of a result's context (RESULT.md).
  [[nodiscard]] nlohmann::ordered_json json() const;
  /// `estimate` of `total`: `records` are those of the drawn launches, ascending.
  [[nodiscard]] nlohmann::ordered_json estimate(const LaunchRecords& records) const;

 private:
  [[nodiscard]] std::vector<std::size_t> drawn() const;

  const LaunchPopulation& population_;
  std::vector<Stratum> strata_;
  std::uint64_t seed_;
};

/// Throws InputError, which begins with --sample-launches, for a capture of cores that were drawn.
void require_all_cores(const CaptureReader& capture);

/// Says in a result of the drawn launches which were drawn, of which, and what all would count.
void put_sample(nlohmann::ordered_json& result, const LaunchSample& sample, const LaunchRecords& records);

}  // namespace warpscope
