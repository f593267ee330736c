#include "cachesim/result/result_json.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "cachesim/result/context_json.h"
#include "cachesim/result/counts_json.h"
#include "cachesim/result/profiler_counters.h"
#include "cachesim/simulate/preset_cache.h"
#include "gpus/carveout.h"
#include "traces/program/buffer_names.h"
#include "traces/program/layout.h"

namespace warpscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

Json profiler_of(const Counts& counts, const ResultContext& context, std::optional<std::uint32_t> warps,
                 const Json* timing, nlohmann::json executed) {
  return profiler_json({counts, context.cache, context.stages, context.stages || context.banks, warps, timing,
                        std::move(executed)},
                       context.preset);
}

/// What a schedule says of launches that profilers' counters need.
struct Scheduled {
  explicit Scheduled(const StreamHeader& header) : warps(header), executed(header) {}
  ResidentWarps warps;
  ExecutedCounters executed;
};

Json json_of(Dim3 size) {
  return Json::array({size.x, size.y, size.z});
}

/// The buffers that a launch got, by argument.
Json arguments_of(const LaunchInfo& launch) {
  Json all = Json::array();
  for (std::size_t i = 0; i < launch.arguments.size() && i < launch.kernel->arguments.size(); ++i)
    if (const BufferId id = launch.arguments[i].buffer; id != BufferId(0))
      all.push_back({{"index", i}, {"name", launch.kernel->arguments[i].name}, {"buffer", id.value()}});
  return all;
}

/// Everything that needs the header to name things.
class Writer {
 public:
  Writer(const ResultContext& context, const StreamHeader& header, const SimulationResult& result)
      : context_(context),
        header_(header),
        result_(result),
        layout_(header.buffers, header.layout),
        scheduled_(std::make_shared<const Scheduled>(header)),
        names_(header.buffers, header.launches) {
    for (const BufferInfo& buffer : header.buffers) buffers_[buffer.id] = &buffer;
  }

  Json context() const;
  Json total() const;
  JsonEntries launches();
  [[nodiscard]] JsonEntries groups(const std::shared_ptr<const LaunchGroups>& groups) const;
  Json cores() const;
  Json sites();
  Json buffers() const;
  Json sets() const;
  Json reuse_histogram() const;
  Json sources() const { return sources_; }
  [[nodiscard]] const KernelNames& kernels() const { return *kernels_; }
  /// What local memory has of a memory that it shares with an L1 of this size; null where they do not.
  [[nodiscard]] static Json carveout(const ResultContext& context, std::uint64_t l1_kib) {
    if (!context.l1_of_preset || !context.preset) return nullptr;
    const std::optional<std::uint32_t> kib = carveout_beside(*context.preset, l1_kib);
    return kib ? Json(*kib) : Json(nullptr);
  }

 private:
  Json source_of(const LaunchInfo& launch);
  Json site(const SiteKey& key, const SiteInfo* info, const LaunchInfo* launch);
  /// What the kernel calls a buffer.
  [[nodiscard]] std::string name_in_site(const SiteInfo* info, const LaunchInfo* launch, BufferId id) const {
    if (launch == nullptr) return names_.allocation(id);
    return names_.argument(*launch->kernel, info != nullptr ? info->object : StaticObject{}, id);
  }

  static Json launch_entry(std::size_t i, const ResultContext& context, const LaunchInfo* launch,
                           const std::string& kernel, const LaunchRecord& record, const Json& source,
                           const Scheduled& scheduled);
  /// The kernel's own name, where the result calls it otherwise.
  static void put_own_name(Json& json, const LaunchInfo* launch, const std::string& kernel) {
    if (launch != nullptr && kernel != launch->kernel->name) json["kernel_name"] = launch->kernel->name;
  }
  [[nodiscard]] static bool has_l1(const ResultContext& context) {
    return !context.preset || context.preset->l1_size_kib != 0;
  }
  /// Global memory bypasses the L1 of some generations, and instructions may ask for it.
  [[nodiscard]] bool passes_by(const SiteInfo* info, const LaunchInfo* launch) const {
    const L1Takes takes = context_.preset ? preset_takes(*context_.preset) : L1Takes::Everything;
    if (info == nullptr || launch == nullptr) return !takes_global(takes);
    if (info->space == AddressSpace::Local || info->space == AddressSpace::Constant)
      return info->is_volatile || info->is_bypass || !takes_global(takes);
    const PlannedDestination to = planned_destination(*info, taken_of(*launch->kernel, takes));
    return to.in_private == Destination::Bypass && to.elsewhere == Destination::Bypass;
  }

  const ResultContext& context_;
  const StreamHeader& header_;
  const SimulationResult& result_;
  Layout layout_;
  std::shared_ptr<const Scheduled> scheduled_;
  std::shared_ptr<const KernelNames> kernels_ = std::make_shared<KernelNames>(name_kernels(header_.launches));
  BufferNames names_;
  std::map<BufferId, const BufferInfo*> buffers_;
  Json sources_ = Json::array();
  std::map<std::pair<const void*, const void*>, std::size_t> source_objects_;
  std::map<std::pair<std::string, std::string>, std::size_t> source_texts_;
};

Json Writer::context() const {
  const CacheConfig& cache = context_.cache;
  Json json = context_json({"cachesim", context_.input_name, context_.input_kind, context_.coalescing,
                            context_.preset, context_.cores, context_.seed, context_.partial},
                           header_);
  json["cache"] = {{"size_kib", has_l1(context_) ? cache.size_kib : 0},
                   {"line_bytes", cache.line_bytes},
                   {"sector_bytes", cache.transaction_bytes()},
                   {"ways", cache.ways},
                   {"sets", cache.sets()},
                   {"lines", cache.lines()},
                   {"replacement", cache.replacement},
                   {"write_policy", cache.write_policy},
                   {"private_write_policy", cache.private_writes()},
                   {"set_index", cache.set_index}};
  return json;
}

Json Writer::total() const {
  Json json = Json::object();
  add_counts(json, result_.total(), context_);
  json["profiler"] = profiler_of(result_.total(), context_, scheduled_->warps.of_all(header_.launches),
                                 nullptr, scheduled_->executed.of_all(header_.launches));
  return json;
}

// Launches of one source mostly share the text: it is looked at once.
Json Writer::source_of(const LaunchInfo& launch) {
  if (launch.source->empty()) return nullptr;
  const auto [object, is_new] =
      source_objects_.try_emplace({launch.source_name.identity(), launch.source.identity()}, sources_.size());
  if (is_new) {
    const auto [content, is_other] =
        source_texts_.try_emplace({*launch.source_name, *launch.source}, sources_.size());
    if (is_other) sources_.push_back({{"name", *launch.source_name}, {"text", *launch.source}});
    object->second = content->second;
  }
  return object->second;
}

Json Writer::launch_entry(std::size_t i, const ResultContext& context, const LaunchInfo* launch,
                          const std::string& kernel, const LaunchRecord& record, const Json& source,
                          const Scheduled& scheduled) {
  const Json l1_kib = has_l1(context) ? record.l1_kib : 0;
  const Json carveout_kib = carveout(context, record.l1_kib);
  Json json;
  if (launch != nullptr) {
    json = {{"launch", launch->id.value()},
            {"kernel", kernel},
            {"global", json_of(launch->global)},
            {"local", json_of(launch->local)},
            {"source", source},
            {"arguments", arguments_of(*launch)},
            {"l1_kib", l1_kib},
            {"carveout_kib", carveout_kib}};
    put_own_name(json, launch, kernel);
    if (launch->has_open_local) json["open_local"] = true;
    if (!launch->name->call_site.empty()) json["call_site"] = launch->name->call_site;
    if (!launch->name->range.empty()) json["range"] = launch->name->range;
  } else {
    json = {{"launch", i},      {"kernel", nullptr},           {"global", nullptr},
            {"local", nullptr}, {"source", nullptr},           {"arguments", Json::array()},
            {"l1_kib", l1_kib}, {"carveout_kib", carveout_kib}};
  }
  add_counts(json, record.counts, context);
  if (!record.more.empty()) json.update(Json::parse(record.more));
  const auto timing = json.find("timing");
  json["profiler"] =
      profiler_of(record.counts, context, launch != nullptr ? scheduled.warps.of(*launch) : std::nullopt,
                  timing != json.end() ? &*timing : nullptr,
                  launch != nullptr ? scheduled.executed.of(*launch) : nlohmann::json());
  return json;
}

JsonEntries Writer::launches() {
  auto sources = std::make_shared<std::vector<Json>>();
  if (header_.launches.empty()) sources->emplace_back(nullptr);
  for (const LaunchInfo& launch : header_.launches) sources->push_back(source_of(launch));
  return {result_.launches.size(),
          [context = context_, launches = header_.launches, records = result_.launches, sources,
           scheduled = scheduled_, kernels = kernels_](std::size_t i) {
            const LaunchInfo* launch = i < launches.size() ? &launches[i] : nullptr;
            return launch_entry(i, context, launch, launch != nullptr ? kernels->of(i) : "",
                                records.record(i), sources->at(i), *scheduled);
          }};
}

JsonEntries Writer::groups(const std::shared_ptr<const LaunchGroups>& groups) const {
  return {groups->groups().size(), [context = context_, launches = header_.launches,
                                    records = result_.launches, groups, kernels = kernels_](std::size_t i) {
            const LaunchGroups::Group& group = groups->groups()[i];
            const LaunchInfo* launch = group.first < launches.size() ? &launches[group.first] : nullptr;
            const std::string kernel = launch != nullptr ? kernels->of(group.first) : "";
            const LaunchRecord record = records.record(group.first);
            Json json = {{"kernel", launch != nullptr ? Json(kernel) : Json(nullptr)},
                         {"global", launch != nullptr ? json_of(launch->global) : Json(nullptr)},
                         {"local", launch != nullptr ? json_of(launch->local) : Json(nullptr)},
                         {"l1_kib", has_l1(context) ? record.l1_kib : 0},
                         {"carveout_kib", carveout(context, record.l1_kib)},
                         {"count", group.count},
                         {"first", group.launches.first()},
                         {"launches", group.launches.text()}};
            if (launch != nullptr && launch->has_open_local) json["open_local"] = true;
            add_counts(json, scaled(record.counts, group.count), context);
            if (group.timing) json["timing"] = group.timing->json();
            put_own_name(json, launch, kernel);
            return json;
          }};
}

Json Writer::cores() const {
  Json all = Json::array();
  for (const auto& [core, counts] : result_.cores) {
    Json json = {{"core", core.value()}};
    add_counts(json, counts, context_);
    all.push_back(std::move(json));
  }
  return all;
}

Json Writer::site(const SiteKey& key, const SiteInfo* info, const LaunchInfo* launch) {
  const std::string kernel = launch != nullptr ? kernels_->names[key.kernel] : "";
  Json json = {{"kernel", launch != nullptr ? Json(kernel) : Json(nullptr)},
               {"site", key.site.value()},
               {"kind", name_of(key.kind)},
               {"space", name_of(info != nullptr ? info->space : AddressSpace::Global)},
               {"operation", info != nullptr ? info->operation : ""},
               {"width", info != nullptr ? info->width : 0},
               {"alignment", info != nullptr ? info->alignment : 0},
               {"function", info != nullptr ? info->function : ""},
               {"locations", Json::array()},
               {"source", launch != nullptr ? source_of(*launch) : Json(nullptr)},
               {"reaches_l1", info == nullptr || (info->space != AddressSpace::Local &&
                                                  info->space != AddressSpace::Constant)},
               {"bypasses_l1", key.kind == AccessKind::Atomic || passes_by(info, launch)},
               {"buffers", Json::array()}};
  if (info != nullptr)
    for (const SourceLocation& at : info->locations)
      json["locations"].push_back({{"file", at.file}, {"line", at.line}, {"column", at.column}});
  Counts sum;
  for (auto it = result_.sites.lower_bound({key, BufferId(0)});
       it != result_.sites.end() && it->first.first == key; ++it) {
    const Counts& counts = it->second;
    sum += counts;
    std::uint64_t transactions = 0, misses = 0;
    for (const KindCounts& kind : counts.kind) {
      transactions += kind.transactions;
      misses += kind.misses;
    }
    json["buffers"].push_back({{"buffer", it->first.second.value()},
                               {"name", name_in_site(info, launch, it->first.second)},
                               {"transactions", transactions},
                               {"misses", misses}});
  }
  add_counts(json, sum, context_);
  put_own_name(json, launch, kernel);
  if (context_.reuse_histogram) {
    const auto found = result_.site_reuse.find(key);
    json["reuse_histogram"] =
        found == result_.site_reuse.end() ? Json(nullptr) : histogram_json(found->second);
  }
  return json;
}

Json Writer::sites() {
  Json all = Json::array();
  for (std::size_t kernel = 0; kernel < result_.kernels.size(); ++kernel) {
    const LaunchInfo& launch = header_.launches[result_.kernels[kernel]];
    const auto& sites = launch.kernel->sites;
    for (std::size_t i = 0; i < sites.size(); ++i)
      if (has_address(sites[i].kind))
        all.push_back(
            site({kernel, SiteId(static_cast<std::uint32_t>(i)), sites[i].kind}, &sites[i], &launch));
  }
  if (!result_.kernels.empty()) return all;
  std::set<SiteKey> seen;  // text streams: the sites that occurred
  for (const auto& [key, counts] : result_.sites)
    if (seen.insert(key.first).second) all.push_back(site(key.first, nullptr, nullptr));
  return all;
}

Json Writer::buffers() const {
  std::map<BufferId, Counts> sums;
  for (const BufferInfo& buffer : header_.buffers) sums[buffer.id];
  for (const auto& [key, counts] : result_.sites) sums[key.second] += counts;
  Json all = Json::array();
  for (const auto& [id, counts] : sums) {
    const auto found = buffers_.find(id);
    const BufferInfo* info = found == buffers_.end() ? nullptr : found->second;
    Json json = {{"buffer", id.value()},
                 {"name", names_.allocation(id)},
                 {"space", name_of(info != nullptr ? info->space : AddressSpace::Global)},
                 {"size", info != nullptr ? info->size : 0},
                 {"flags", info != nullptr ? info->flags : ""},
                 {"address", layout_.base(id).value()}};
    add_counts(json, counts, context_);
    all.push_back(std::move(json));
  }
  return all;
}

Json Writer::sets() const {
  Json transactions = Json::array(), misses = Json::array();
  for (const SetCounts& set : result_.sets) {
    transactions.push_back(set.transactions);
    misses.push_back(set.misses);
  }
  return {{"transactions", transactions}, {"misses", misses}};
}

Json Writer::reuse_histogram() const {
  if (!context_.reuse_histogram) return nullptr;
  return histogram_json(result_.reuse);
}

Json runs_json(const std::optional<RunStatistics>& runs) {
  if (!runs) return nullptr;
  Json metrics = Json::object();
  for (const RunMetric& metric : runs->metrics)
    metrics[metric.name] = {
        {"median", metric.median()},
        {"relative_standard_deviation_percent", metric.relative_standard_deviation_percent()},
        {"values", metric.values}};
  return {{"count", runs->metrics.front().values.size()},
          {"first_seed", runs->first_seed},
          {"shown", runs->shown},
          {"work_groups", runs->work_groups ? Json(*runs->work_groups) : Json(nullptr)},
          {"metrics", metrics}};
}

}  // namespace

ResultJson make_result(const ResultContext& context, const StreamHeader& header,
                       const SimulationResult& result, const std::optional<RunStatistics>& runs,
                       bool lists_launches) {
  Writer writer(context, header, result);
  const auto groups =
      std::make_shared<const LaunchGroups>(header.launches, result.launches, writer.kernels());
  ResultJson made{{{"schema", kSchema}, {"context", writer.context()}, {"total", writer.total()}}, {}, {}};
  Json& json = made.json;
  json["context"]["l1_kib"] = {{"least", groups->least_l1_kib()}, {"most", groups->most_l1_kib()}};
  // The smallest L1 is next to the largest carve-out.
  const Json least = Writer::carveout(context, groups->most_l1_kib()),
             most = Writer::carveout(context, groups->least_l1_kib());
  json["context"]["carveout_kib"] =
      least.is_null() || most.is_null() ? Json(nullptr) : Json{{"least", least}, {"most", most}};
  made.launches = writer.launches();
  made.groups = writer.groups(groups);
  if (lists_launches) json["launches"] = nullptr;
  json["launch_groups"] = nullptr;
  json["cores"] = writer.cores();
  json["sites"] = writer.sites();
  json["buffers"] = writer.buffers();
  json["sets"] = writer.sets();
  json["reuse_histogram"] = writer.reuse_histogram();
  json["runs"] = runs_json(runs);
  json["sources"] = writer.sources();
  return made;
}

void set_total_timing(ResultJson& made, const ResultContext& context, const StreamHeader& header,
                      const Counts& total, nlohmann::ordered_json timing) {
  Json& json = made.json["total"];
  json["timing"] = std::move(timing);
  const Scheduled scheduled(header);
  json["profiler"] = profiler_of(total, context, scheduled.warps.of_all(header.launches), &json["timing"],
                                 scheduled.executed.of_all(header.launches));
}

nlohmann::ordered_json result_json(const ResultContext& context, const StreamHeader& header,
                                   const SimulationResult& result, const std::optional<RunStatistics>& runs) {
  return make_result(context, header, result, runs).whole();
}

}  // namespace warpscope
