// Ranges of rates over repetitions, by hand.
#include "cachesim/simulate/repeat.h"

#include <gtest/gtest.h>

#include "traces/base/error.h"

namespace warpscope {
namespace {

nlohmann::ordered_json counts(std::uint64_t hits, std::uint64_t misses, std::uint64_t cold) {
  const nlohmann::ordered_json none = {{"requests", 0},     {"transactions", 0}, {"hits", 0},
                                       {"hits_pending", 0}, {"misses", 0},       {"sector_misses", 0},
                                       {"bypasses", 0}};
  nlohmann::ordered_json load = none;
  load["requests"] = 10;
  load["transactions"] = hits + misses + 5;
  load["hits"] = hits;
  load["misses"] = misses;
  load["bypasses"] = 5;
  return {
      {"load", load},
      {"store", none},
      {"atomic", none},
      {"miss_classes", {{"cold", cold}, {"invalidated", 0}, {"capacity", misses - cold}, {"conflict", 0}}}};
}

nlohmann::ordered_json result(std::uint64_t hits, std::uint64_t misses, std::uint64_t cold) {
  const nlohmann::ordered_json here = counts(hits, misses, cold);
  return {
      {"total", here}, {"launches", {here}}, {"sites", {here}}, {"buffers", nlohmann::ordered_json::array()}};
}

TEST(RateRanges, AreMinimumMedianAndMaximum) {
  RateRanges ranges;
  for (const auto& [hits, misses] : {std::pair{75u, 25u}, {50u, 50u}, {90u, 10u}, {80u, 20u}})
    ranges.add(result(hits, misses, 5));
  auto shown = result(75, 25, 5);
  RepeatPlan plan;
  plan.count = 4;
  plan.varied = {"x"};
  plan.fixed = {{"placement", "one core"}};
  ranges.write(plan, shown);
  for (const char* place : {"/total", "/launches/0", "/sites/0"}) {
    const auto& spread = shown.at(nlohmann::ordered_json::json_pointer(place)).at("spread");
    EXPECT_EQ(spread.at("load.hit_rate_percent"),
              (nlohmann::ordered_json{
                  {"min", 50.0}, {"median", 77.5}, {"max", 90.0}, {"values", {75.0, 50.0, 90.0, 80.0}}}));
    EXPECT_EQ(spread.at("load.transactions_per_request").at("min"), 10.5);
    EXPECT_EQ(spread.at("misses.cold_percent").at("max"), 50.0);
    EXPECT_EQ(spread.at("misses.cold_percent").at("min"), 10.0);
    EXPECT_EQ(spread.at("load.misses").at("median"), 22.5);
    EXPECT_FALSE(spread.contains("store.hit_rate_percent")) << "no stores, no rate";
  }
  EXPECT_EQ(shown.at("repeat").at("count"), 4);
  EXPECT_EQ(shown.at("repeat").at("fixed").at("placement"), "one core");
}

TEST(Repetitions, TheFirstIsTheRunAsAskedFor) {
  SimulationRequest request;
  request.simulation.cache.seed = 7;
  RepeatPlan plan;
  plan.count = 3;
  plan.first_seed = 7;
  plan.layout = plan.placement = true;
  ScheduleOptions schedule;
  schedule.layout.seed = 2;
  repetition(request, plan, 0).variation.apply(schedule);
  EXPECT_EQ(schedule.assignment, "round-robin");
  EXPECT_EQ(schedule.seed, 1u);
  EXPECT_EQ(schedule.layout.seed, 2u);
  const SimulationRequest other = repetition(request, plan, 2);
  EXPECT_EQ(other.simulation.cache.seed, 9u);
  other.variation.apply(schedule);
  EXPECT_EQ(schedule.assignment, "random");
  EXPECT_EQ(schedule.seed, 9u);
  EXPECT_EQ(schedule.layout.seed, 4u);
}

TEST(Repetitions, AreRefusedWhereNothingCanDiffer) {
  SimulationRequest request;
  request.input = "x.wtxn";
  request.repeat = 3;
  EXPECT_THROW(plan_repetitions(request, FileKind::TransactionStream), InputError);
  EXPECT_THROW(plan_repetitions(request, FileKind::TextStream), InputError);
  EXPECT_EQ(plan_repetitions(request, FileKind::BinaryStream).varied.size(), 1u);
  request.simulation.cache.replacement = "Rand";
  EXPECT_EQ(plan_repetitions(request, FileKind::TransactionStream).varied.size(), 1u);
  request.input = "-";
  EXPECT_THROW(plan_repetitions(request, FileKind::BinaryStream), InputError);
}

}  // namespace
}  // namespace warpscope
