#include "cachesim/simulate/repeat.h"

#include <fmt/format.h>

#include <algorithm>

#include "cachesim/l1/l1_cache.h"
#include "scheduler/assignment.h"
#include "traces/base/error.h"
#include "traces/capture/reader.h"
#include "traces/files/file_io.h"

namespace warpscope {
namespace {

using RepeatJson = nlohmann::ordered_json;
constexpr const char* kRepeatKinds[] = {"load", "store", "atomic"};
constexpr const char* kRepeatLists[] = {"launches", "sites", "buffers"};

void plan_schedule(const SimulationRequest& request, RepeatPlan& plan) {
  const ScheduleOptions& schedule = request.schedule;
  plan.layout = true;
  plan.varied.emplace_back("layout of the buffers");
  if (schedule.cores == 1) {
    plan.fixed.emplace_back("placement", "one core has all work-groups");
  } else if (schedule.assignment != "round-robin" && schedule.assignment != "random") {
    plan.fixed.emplace_back("placement", "--assign names the core of every work-group");
  } else if (sampled_cores_of(CaptureReader(request.input, request.partial).launches())) {
    plan.fixed.emplace_back("placement", kSampledPlacement);
  } else {
    plan.placement = true;
    plan.varied.emplace_back("placement of the work-groups on cores");
  }
  if (schedule.policy == "random") plan.varied.emplace_back("order of the work-items");
}

void plan_text(const SimulationRequest& request, RepeatPlan& plan) {
  plan.fixed.emplace_back("layout", "the stream has addresses, not buffers");
  if (request.cores.value_or(1) > 1)
    plan.varied.emplace_back("choice of the work-groups that the core gets");
  else
    plan.fixed.emplace_back("placement", "one core has all work-groups");
}

/// A number of the counters, loads and stores and atomics apart.
void add_kind_rates(const RepeatJson& counts, const std::string& kind, std::map<std::string, double>& rates) {
  const RepeatJson& of = counts.at(kind);
  const auto number = [&](const char* key) { return of.at(key).get<double>(); };
  const double transactions = number("transactions"), looked_up = transactions - number("bypasses");
  if (transactions == 0) return;
  rates[kind + ".transactions"] = transactions;
  rates[kind + ".misses"] = number("misses") + number("sector_misses");
  rates[kind + ".transactions_per_request"] = transactions / std::max(1.0, number("requests"));
  if (looked_up != 0)
    rates[kind + ".hit_rate_percent"] = 100 * (number("hits") + number("hits_pending")) / looked_up;
}

/// Of `cachesim timed` (docs/tools/timed.md).
void add_timed_rates(const RepeatJson& timing, std::map<std::string, double>& rates) {
  for (const char* name : {"cycles", "warp_instructions_per_cycle", "load_latency_cycles_mean"})
    rates[std::string("timing.") + name] = timing.at(name).get<double>();
  const RepeatJson& memory = timing.at("memory");
  rates["timing.memory.dram_bytes_per_cycle"] = memory.at("dram_bytes_per_cycle").get<double>();
  const double hits =
      memory.at("l2_load_hits").get<double>() + memory.at("l2_load_hits_pending").get<double>();
  const double all = hits + memory.at("l2_load_misses").get<double>();
  if (all != 0) rates["timing.memory.l2_load_hit_rate_percent"] = 100 * hits / all;
}

std::map<std::string, double> rates_of(const RepeatJson& counts) {
  std::map<std::string, double> rates;
  for (const char* kind : kRepeatKinds) add_kind_rates(counts, kind, rates);
  if (counts.contains("timing")) add_timed_rates(counts.at("timing"), rates);
  const RepeatJson& classes = counts.at("miss_classes");
  if (classes.is_null()) return rates;
  std::map<std::string, double> misses;  // of the classes that are in the sum
  double sum = 0;
  for (const auto& [name, heading] : kClassColumns)
    if (*heading != '\0') sum += misses[name] = classes.at(name).get<double>();
  if (sum == 0) return rates;
  for (const auto& [name, count] : misses) rates["misses." + name + "_percent"] = 100 * count / sum;
  return rates;
}

/// Of every place in a result that has counters: its JSON pointer.
std::vector<std::string> places_of(const RepeatJson& result) {
  std::vector<std::string> places = {"/total"};
  for (const char* list : kRepeatLists)
    for (std::size_t i = 0; result.contains(list) && i < result.at(list).size(); ++i)
      places.push_back(fmt::format("/{}/{}", list, i));
  return places;
}

RepeatJson range_json(std::vector<double> values) {
  const std::vector<double> in_order = values;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {{"min", values.front()}, {"median", median}, {"max", values.back()}, {"values", in_order}};
}

}  // namespace

JsonEntries with_spread(std::vector<JsonEntries> repetitions) {
  const std::size_t size = repetitions.front().size;
  return {size, [repetitions = std::move(repetitions)](std::size_t i) {
            RepeatJson first;
            std::map<std::string, std::vector<double>> rates;
            for (const JsonEntries& repetition : repetitions) {
              RepeatJson entry = repetition.entry(i);
              for (const auto& [name, value] : rates_of(entry)) rates[name].push_back(value);
              if (first.is_null()) first = std::move(entry);
            }
            first["spread"] = RepeatJson::object();
            for (const auto& [name, values] : rates) first["spread"][name] = range_json(values);
            return first;
          }};
}

RepeatPlan plan_repetitions(const SimulationRequest& request, FileKind kind) {
  RepeatPlan plan;
  plan.count = request.repeat;
  plan.first_seed = request.simulation.cache.seed;
  if (request.input == "-" || is_special_file(request.input))
    throw InputError("--repeat: the input is read once per repetition, expected a file, not a pipe");
  if (kind == FileKind::Capture) {
    plan_schedule(request, plan);
  } else if (kind == FileKind::TextStream) {
    plan_text(request, plan);
  } else {
    plan.layout = kind == FileKind::BinaryStream;
    if (plan.layout)
      plan.varied.emplace_back("layout of the buffers");
    else
      plan.fixed.emplace_back("layout", "the transactions have addresses, not buffers");
    plan.fixed.emplace_back("placement", "the stream says which core makes each access; a capture does not");
  }
  plan.replacement = replacement_policy(request.simulation.cache.replacement).random;
  if (plan.replacement)
    plan.varied.push_back("seed of " + request.simulation.cache.replacement);
  else
    plan.fixed.emplace_back("replacement", request.simulation.cache.replacement + " draws no random numbers");
  if (plan.varied.empty()) {
    std::string why;
    for (const auto& [what, reason] : plan.fixed) why.append("; ").append(what).append(": ").append(reason);
    throw InputError("--repeat: nothing differs between repetitions" + why + "; expected a capture");
  }
  return plan;
}

SimulationRequest repetition(const SimulationRequest& request, const RepeatPlan& plan, std::uint32_t number) {
  SimulationRequest other = request;
  if (number == 0) return other;
  const std::uint64_t seed = plan.first_seed + number;
  other.simulation.cache.seed = seed;
  other.variation.seed = seed;
  if (plan.layout) other.variation.layout_steps = number;
  other.variation.random_placement = plan.placement;
  return other;
}

void RateRanges::add(const RepeatJson& result) {
  for (const std::string& place : places_of(result))
    for (const auto& [name, value] : rates_of(result.at(RepeatJson::json_pointer(place))))
      rates_[place][name].push_back(value);
}

void RateRanges::write(const RepeatPlan& plan, RepeatJson& result) const {
  for (const std::string& place : places_of(result)) {
    RepeatJson& spread = result.at(RepeatJson::json_pointer(place))["spread"] = RepeatJson::object();
    const auto found = rates_.find(place);
    if (found == rates_.end()) continue;
    for (const auto& [name, values] : found->second) spread[name] = range_json(values);
  }
  RepeatJson fixed = RepeatJson::object();
  for (const auto& [what, why] : plan.fixed) fixed[what] = why;
  result["repeat"] = {
      {"count", plan.count}, {"first_seed", plan.first_seed}, {"varied", plan.varied}, {"fixed", fixed}};
}

}  // namespace warpscope
