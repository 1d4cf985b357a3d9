#include "importers/profiler_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/json/parse_json.hpp"
#include "base/text/counted.hpp"
#include "importers/device_choice.hpp"
#include "importers/impossible_times.hpp"
#include "importers/iteration_counts.hpp"
#include "importers/iteration_ranges.hpp"
#include "importers/joined_devices.hpp"
#include "importers/kernel_groups.hpp"
#include "importers/missing_facts.hpp"
#include "importers/repeating_launches.hpp"

namespace kjoule {

namespace {

class TableMaker {
 public:
  /// Makes the table of the operations of `device`, or of the operations without a device if it is nothing.
  TableMaker(const ProfilerTrace& trace, const LaunchLinks& links, const ImportChoice& choice,
             std::optional<int64_t> device, const std::string& file)
      : trace_(trace), choice_(choice), file_(file), links_(links) {
    table_.source = file;
    table_.format = format_of(trace.tool);
    table_.rank = trace.rank;
    table_.ranks = trace.ranks;
    table_.gpu = device;
    if (!trace.device_properties.empty()) table_.device = parse_json(trace.device_properties, file);
    if (table_.device.is_discarded()) table_.device = nullptr;
    for (uint32_t i = 0; i < trace_.operations.size(); ++i)
      if (trace_.operations[i].device == device) operations_.push_back(i);
    check_times();
  }

  ImportedTable make() {
    groups_ = group_kernels(trace_, links_, operations_, file_);
    if (choice_.iterations)
      count_by_option();
    else if (!count_by_ranges())
      count_by_launches();
    sum_launches();
    warn_about_missing_facts();
    for (ImportedKernel& kernel : table_.kernels) kernel.gpu = table_.gpu;
    return std::move(table_);
  }

 private:
  static const char* format_of(TraceTool tool) {
    switch (tool) {
      case TraceTool::nsys:
        return kNsysFormat;
      case TraceTool::xla:
        return kXlaFormat;
      default:
        return kProfilerFormat;
    }
  }

  /// Finds launches with faulty times, and leaves out the impossible ones if the user chose so.
  void check_times() {
    faulty_ = find_faulty_times(trace_, links_, operations_);
    if (!choice_.omit_impossible_times) return;
    std::set<uint32_t> omitted;
    for (const FaultyTime& fault : faulty_)
      if (fault.is_impossible()) omitted.insert(fault.operation);
    if (omitted.size() == operations_.size())
      throw Error(file_ + ": all launches have impossible times", "profile again");
    std::erase_if(operations_, [&](uint32_t operation) { return omitted.contains(operation); });
  }

  /// Counts all launches, as equal iterations whose number is that of --iterations.
  void count_by_option() {
    warn_about_other_number();
    table_.iterations = {IterationSource::option, *choice_.iterations, 0, 0};
    for (size_t i = 0; i < operations_.size(); ++i) launches_.push_back({groups_.kernel_of[i], 0});
  }

  /// Adds a warning if the trace has another number of ProfilerSteps than --iterations.
  void warn_about_other_number() {
    uint32_t steps = 0;
    try {
      assign_iterations(find_profiler_steps(trace_, file_));
      steps = drop_empty(launches_);
    } catch (const Error&) {  // steps overlap, so they are not iterations
    }
    launches_.clear();
    if (steps > 0 && steps != *choice_.iterations)
      table_.warnings.push_back(
          fmt::format("the number of iterations is {}, as given with --iterations, although the trace has {} "
                      "with launches",
                      *choice_.iterations, counted(steps, "ProfilerStep")));
  }

  /// Assigns each launch to the range in which it was called.
  void assign_iterations(const IterationRanges& ranges) {
    for (size_t i = 0; i < operations_.size(); ++i) {
      const auto call = links_.call[operations_[i]];
      launches_.push_back(
          {groups_.kernel_of[i], call ? ranges.at(trace_.calls[*call].begin_ns) : std::nullopt});
    }
  }

  /// Counts by the trace's ranges. Returns false if the trace has no ranges that could be iterations.
  bool count_by_ranges() {
    const IterationRanges ranges = choice_.annotation
                                       ? find_annotated_ranges(trace_, *choice_.annotation, file_)
                                       : find_profiler_steps(trace_, file_);
    if (ranges.empty()) return false;
    return count_in_ranges(
        ranges, choice_.annotation ? "annotation" : "ProfilerStep",
        choice_.annotation ? IterationSource::annotation : IterationSource::profiler_steps);
  }

  /// Counts each range as an iteration; `noun` names such a range. Returns false if no launch was called
  /// within a range.
  bool count_in_ranges(const IterationRanges& ranges, const char* noun, IterationSource source) {
    assign_iterations(ranges);
    const std::string all_ranges = counted(ranges.size(), noun);
    // The profiler opens another step after the program's last iteration, which contains no launches.
    const uint32_t iterations = drop_empty(launches_);
    if (iterations == 0) {
      launches_.clear();
      table_.warnings.push_back(
          fmt::format("none of the {} launches was called within {}, so these ranges do not mark iterations",
                      operations_.size(), all_ranges));
      return false;
    }
    if (const size_t empty = ranges.size() - iterations; empty > 0)
      table_.warnings.push_back(fmt::format("{} of {} launched nothing and {} not counted", empty, all_ranges,
                                            agreeing(empty, "is", "are")));
    const IterationCounts counts = count_iterations(launches_, iterations, kernel_count());
    table_.iterations = {source, counts.number, counts.warm_up, 0};
    if (source == IterationSource::annotation) table_.iterations.annotation = ranges[0].name;
    take_counts(counts);
    return true;
  }

  /// Counts by annotations of the program that contain all launches, or by the repetition of launches.
  void count_by_launches() {
    const std::optional<Repetition> found = find_repetition_in_order();
    const std::vector<CoveringRanges> covering = find_covering_ranges(trace_, call_times(), file_);
    if (const CoveringRanges* chosen = choose_covering(covering, found)) {
      warn_about_covering(*chosen, found);
      count_in_ranges(chosen->ranges, "annotation", IterationSource::annotation);
      table_.iterations.annotation = chosen->name;
    } else if (!covering.empty()) {
      warn_about_several(covering);
      count_all();
    } else {
      count_by_repetition(found);
    }
  }

  /// Returns the times at which the host called the launches, in ascending order.
  std::vector<int64_t> call_times() const {
    std::vector<int64_t> times;
    for (const uint32_t operation : operations_)
      if (const auto call = links_.call[operation]) times.push_back(trace_.calls[*call].begin_ns);
    std::ranges::sort(times);
    return times;
  }

  /// Returns the annotation that marks the iterations: all have the same number of ranges, or this one has as
  /// many as launches repeat. Returns null if several numbers are possible.
  static const CoveringRanges* choose_covering(const std::vector<CoveringRanges>& covering,
                                               const std::optional<Repetition>& found) {
    if (covering.empty()) return nullptr;
    const auto has = [](size_t number) {
      return [number](const CoveringRanges& one) { return one.with_launches == number; };
    };
    if (std::ranges::all_of(covering, has(covering.front().with_launches))) return &covering.front();
    if (!found || !found->is_iteration()) return nullptr;
    const auto equal = std::ranges::find_if(covering, has(found->times()));
    return equal == covering.end() ? nullptr : &*equal;
  }

  /// Adds a warning if an annotation counts as the iteration although launches repeat within it.
  void warn_about_covering(const CoveringRanges& chosen, const std::optional<Repetition>& found) {
    if (!found || found->times() == chosen.with_launches) return;
    table_.warnings.push_back(fmt::format(
        "all launches were called within {} of the annotation {}, so each range counts as an iteration, "
        "although {} {} {} times; if these are iterations, set their number with --iterations N",
        counted(chosen.with_launches, "range"), chosen.name, counted(found->length, "launch"),
        agreeing(found->length, "repeats", "repeat"), found->times()));
  }

  void warn_about_several(const std::vector<CoveringRanges>& covering) {
    constexpr size_t kListed = 4;
    std::vector<std::string> texts;
    for (size_t i = 0; i < std::min(kListed, covering.size()); ++i)
      texts.push_back(fmt::format("{} ({})", covering[i].name, counted(covering[i].with_launches, "range")));
    table_.warnings.push_back(
        fmt::format("several annotations contain all launches: {}; choose the one that marks the iterations "
                    "with --annotation NAME",
                    fmt::join(texts, ", ")));
  }

  /// Counts all launches, because the iterations are not known.
  void count_all() {
    for (size_t i = 0; i < operations_.size(); ++i) launches_.push_back({groups_.kernel_of[i], 0});
  }

  /// Returns the indices into operations_ in the order in which the host launched them.
  std::vector<uint32_t> launch_order() const {
    std::vector<uint32_t> order(operations_.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [this](uint32_t a, uint32_t b) { return launched_ns(a) < launched_ns(b); });
    return order;
  }

  /// Returns the repetition of launches in the order in which the host launched them.
  std::optional<Repetition> find_repetition_in_order() const {
    const std::vector<uint32_t> names = number_names();
    std::vector<LaunchMoment> moments;
    for (const uint32_t i : launch_order()) {
      const uint32_t kernel = groups_.kernel_of[i];
      const auto call = links_.call[operations_[i]];
      const bool in_graph = call && launches_graph(trace_.calls[*call]);
      moments.push_back({kernel, names[kernel], launched_ns(i), in_graph ? call : std::nullopt,
                         groups_.kernels[kernel].kind == ActivityKind::kernel});
    }
    return find_repetition(moments);
  }

  /// Counts by the repetition of launches, if it is an iteration; otherwise all launches.
  void count_by_repetition(std::optional<Repetition> found) {
    if (found) warn_about_layers(*found);
    if (!found || !found->is_iteration()) return count_all();
    const std::vector<uint32_t> order = launch_order();
    for (size_t i = 0; i < operations_.size(); ++i) launches_.push_back({groups_.kernel_of[i], std::nullopt});
    for (uint32_t time = 0; time < found->times(); ++time)
      for (size_t place = 0; place < found->length; ++place)
        launches_[order[found->begins[time] + place]].iteration = time;
    const IterationCounts counts =
        count_iterations(launches_, static_cast<uint32_t>(found->times()), kernel_count());
    table_.iterations = {IterationSource::period, counts.number, counts.warm_up, 0, evidence_of(*found)};
    take_counts(counts);
  }

  /// Returns a number for each kernel, which is equal for kernels of the same kind and name.
  std::vector<uint32_t> number_names() const {
    std::map<std::pair<ActivityKind, std::string>, uint32_t> known;
    std::vector<uint32_t> numbers;
    for (const ImportedKernel& kernel : groups_.kernels)
      numbers.push_back(
          known.try_emplace({kernel.kind, kernel.name}, static_cast<uint32_t>(known.size())).first->second);
    return numbers;
  }

  RepetitionEvidence evidence_of(const Repetition& found) const {
    RepetitionEvidence evidence{
        {found.length, found.times(), found.covered()}, operations_.size(), found.by_name, {}};
    if (const auto& next = found.next_best)
      evidence.next_best = RepeatedLaunches{next->length, next->times(), next->launches};
    return evidence;
  }

  /// Adds a warning about repetitions, because launches alone do not distinguish iterations from layers.
  void warn_about_layers(const Repetition& found) {
    const size_t every = found.longer_pause_every, times = found.times();
    const std::string repeats = fmt::format(
        "{} {} {} times{}", counted(found.length, "launch"), agreeing(found.length, "repeats", "repeat"),
        times, found.by_name ? " with equal names, although grids or inputs differ" : "");
    if (found.is_iteration())
      table_.warnings.push_back(repeats +
                                ", and each repetition counts as an iteration; if the repetitions are "
                                "layers, set the number of iterations with --iterations N");
    else if (every > 0)
      table_.warnings.push_back(fmt::format(
          "{0}, with a longer pause of the host before every {1} of them: each repetition may be an "
          "iteration (then set --iterations {2}), or a layer, with {1} layers per iteration (then set "
          "--iterations {3})",
          repeats, every, times, (times + every - 1) / every));
    else
      table_.warnings.push_back(fmt::format(
          "{}, which is {:.1f} % of the trace, {}: each repetition may be an iteration (then set "
          "--iterations {}), or they may be layers of a single iteration (then set --iterations 1)",
          repeats, 100 * static_cast<double>(found.covered()) / static_cast<double>(operations_.size()),
          doubt_text(found.doubt), times));
  }

  static const char* doubt_text(RepetitionDoubt doubt) {
    switch (doubt) {
      case RepetitionDoubt::no_pauses:
        return "without a pause of the host before each repetition";
      case RepetitionDoubt::short_pauses:
        return "with short pauses of the host before each repetition";
      case RepetitionDoubt::others_follow:
        return "with other launches after the last repetition";
      case RepetitionDoubt::graph_pieces:
        return "with CUDA graphs that are only parts of each repetition";
      default:
        return "too little to be sure";
    }
  }

  int64_t launched_ns(uint32_t i) const {
    const auto call = links_.call[operations_[i]];
    return call ? trace_.calls[*call].begin_ns : trace_.operations[operations_[i]].begin_ns;
  }

  void take_counts(const IterationCounts& counts) {
    for (uint32_t k = 0; k < kernel_count(); ++k) {
      groups_.kernels[k].fewest = counts.kernels[k].fewest;
      groups_.kernels[k].most = counts.kernels[k].most;
    }
    for (PlacedLaunch& launch : launches_)
      if (!counts.counts(launch)) {
        ++table_.iterations.left_out;
        launch.iteration.reset();
      }
  }

  uint32_t kernel_count() const { return static_cast<uint32_t>(groups_.kernels.size()); }

  /// Adds up the launches and times in counted iterations. Omits kernels that only other launches belong to.
  void sum_launches() {
    for (size_t i = 0; i < launches_.size(); ++i) {
      if (!launches_[i].iteration) continue;
      ImportedKernel& kernel = groups_.kernels[launches_[i].kernel];
      const int64_t ns = trace_.operations[operations_[i]].duration_ns;
      if (!kernel.times) kernel.times = RecordedTimes{0, ns, ns};
      RecordedTimes& times = *kernel.times;
      if (__builtin_add_overflow(times.total_ns, ns, &times.total_ns))
        throw Error(fmt::format("{}: durations add up to more than 292 years", file_),
                    "the trace is damaged: profile again");
      times.min_ns = std::min(*times.min_ns, ns);
      times.max_ns = std::max(*times.max_ns, ns);
      ++kernel.launches;
    }
    std::vector<size_t> places;  // for each group, its index in the table
    for (ImportedKernel& kernel : groups_.kernels) {
      places.push_back(table_.kernels.size());
      if (kernel.launches > 0) table_.kernels.push_back(std::move(kernel));
    }
    make_timeline(places);
  }

  void make_timeline(const std::vector<size_t>& places) {
    std::optional<uint32_t> first;
    for (const PlacedLaunch& launch : launches_)
      if (launch.iteration && (!first || *launch.iteration < *first)) first = launch.iteration;
    for (size_t i = 0; i < launches_.size(); ++i) {
      if (!first || launches_[i].iteration != first) continue;
      const ProfilerOperation& operation = trace_.operations[operations_[i]];
      ImportedActivity ran{places[launches_[i].kernel], static_cast<uint64_t>(operation.stream.value_or(0)),
                           operation.begin_ns, 0};
      if (__builtin_add_overflow(ran.begin_ns, operation.duration_ns, &ran.end_ns)) ran.end_ns = INT64_MAX;
      table_.timeline.push_back(ran);
    }
  }

  void warn_about_missing_facts() {
    const auto add = [this](std::vector<std::string> warnings) {
      std::ranges::move(warnings, std::back_inserter(table_.warnings));
    };
    add(faulty_time_warnings(trace_, faulty_, choice_.omit_impossible_times));
    add(missing_facts(trace_, links_, operations_));
    if (table_.iterations.left_out > 0)
      table_.warnings.push_back(fmt::format(
          "{} outside the counted iterations {} ignored{}", counted(table_.iterations.left_out, "launch"),
          agreeing(table_.iterations.left_out, "is", "are"),
          table_.iterations.warm_up > 0
              ? fmt::format(" ({} {} from the rest)", counted(table_.iterations.warm_up, "warm-up iteration"),
                            agreeing(table_.iterations.warm_up, "differs", "differ"))
              : ""));
  }

  const ProfilerTrace& trace_;
  const ImportChoice& choice_;
  const std::string& file_;
  const LaunchLinks& links_;
  std::vector<uint32_t> operations_;  ///< operations of the chosen device
  KernelGroups groups_;
  std::vector<PlacedLaunch> launches_;  ///< one for each of operations_
  std::vector<FaultyTime> faulty_;
  ImportedTable table_;
};

using Device = std::optional<int64_t>;

/// Returns the devices whose operations are imported. Throws Error if there are no operations, or none of the
/// chosen device.
std::set<Device> imported_devices(const ProfilerTrace& trace, const ImportChoice& choice,
                                  const std::string& file) {
  if (trace.operations.empty()) fail_without_operations(trace, file);
  std::set<Device> devices;
  std::set<int64_t> known;
  for (const ProfilerOperation& operation : trace.operations) {
    devices.insert(operation.device);
    if (operation.device) known.insert(*operation.device);
  }
  if (!choice.gpu) return devices;
  if (!known.contains(*choice.gpu)) fail_without_device(known, *choice.gpu, file);
  return {choice.gpu};
}

}  // namespace

ImportedTable make_profiler_table(const ProfilerTrace& trace, const ImportChoice& choice,
                                  const std::string& file) {
  const std::set<Device> devices = imported_devices(trace, choice, file);
  const LaunchLinks links = link_launches(trace, file);
  std::vector<ImportedTable> tables;
  for (const Device& device : devices)
    tables.push_back(TableMaker(trace, links, choice, device, file).make());
  ImportedTable table = join_devices(std::move(tables), file);
  std::ranges::move(unread_work_warnings(trace), std::back_inserter(table.warnings));
  if (links.sharing > 0)
    table.warnings.push_back(
        fmt::format("{} {} the correlation id of another one, although a call launches only one kernel: "
                    "counts, operators and iterations may be wrong; profile again",
                    counted(links.sharing, "launch"), agreeing(links.sharing, "has", "have")));
  return table;
}

}  // namespace kjoule
