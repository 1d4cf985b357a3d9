#include "compare/judgement/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/microseconds.hpp"
#include "base/text/signed_text.hpp"
#include "compare/judgement/sentence_names.hpp"
#include "compare/tables/replayed_table.hpp"

namespace kjoule {

namespace {

using Lines = std::vector<std::string>;

/// Difference of the undisturbed whole above which there is a finding, as a share of the whole.
constexpr double kOtherWhole = 0.01;
/// Change of the time of empty kernels above which there is a finding, as a share of this time.
constexpr double kDistorted = 0.02;

/// Returns the list in `object` under `key`; an empty list if there is none.
nlohmann::json list_in(const nlohmann::json& object, const char* key) {
  return object.is_object() ? object.value(key, nlohmann::json::array()) : nlohmann::json::array();
}

/// Adds the warnings about the machine's load from each start of the run.
void add_load(const Comparison& c, Lines& lines) {
  for (const nlohmann::json& load : list_in(c.run, "load"))
    for (const nlohmann::json& entry : list_in(load, "warnings")) {
      const auto warning = entry.get<std::string>();
      if (std::find(lines.begin(), lines.end(), warning) == lines.end()) lines.push_back(warning);
    }
}

/// Returns "80 % of them take 300.0 to 500.0 us of GPU time, a range of 50 % of the median".
std::string spread_text(const IterationSpread& spread) {
  return fmt::format("80 % of them take {:.1f} to {:.1f} us of GPU time, a range of {:.0f} % of the median",
                     ns_to_us(spread.low_ns), ns_to_us(spread.high_ns), 100 * spread.share());
}

/// Adds a line if the loop's iterations differ so much that the measured one does not represent all.
void add_loop(const Comparison& c, Lines& lines) {
  if (c.iteration_spread && c.iteration_spread->is_wide())
    lines.push_back(
        fmt::format("the loop's iterations differ: {} (by the profiler); the measured times are those of "
                    "only one iteration",
                    spread_text(*c.iteration_spread)));
  if (!c.part || !c.part->iterations_differ()) return;
  const PartFacts& part = *c.part;
  if (part.samples > 0)
    return lines.push_back(fmt::format(
        "the loop's iterations differ: {}; {} of them are measured; the one of this report takes {:.1f} "
        "us (by the profiler) and represents {} iterations",
        spread_text(*part.spread), part.samples, ns_to_us(part.measured_ns), part.iterations));
  lines.push_back(fmt::format(
      "the loop's iterations differ: {}; the measured iteration takes {:.1f} us, and all {} iterations "
      "together take {:.1f} us of GPU time (by the profiler)",
      spread_text(*part.spread), ns_to_us(part.measured_ns), part.iterations, ns_to_us(part.part_ns)));
}

void add_missing_kernels(const Comparison& c, const SentenceNames& names, Lines& lines) {
  for (const KernelResult& kernel : c.kernels)
    if (!kernel.error.empty())
      lines.push_back(fmt::format("{} (x{}) is missing from the sum: {}", names.of(kernel.name), kernel.count,
                                  kernel.error));
}

void add_not_isolated(const Comparison& c, const SentenceNames& names, Lines& lines) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_error;  // in the order of the kernels
  for (const KernelResult& kernel : c.kernels) {
    if (!kernel.error.empty() || kernel.isolated_error.empty()) continue;
    auto found =
        std::ranges::find(by_error, kernel.isolated_error, [](const auto& pair) { return pair.first; });
    if (found == by_error.end()) found = by_error.insert(found, {kernel.isolated_error, {}});
    found->second.push_back(fmt::format("{} (x{})", names.of(kernel.name), kernel.count));
  }
  for (const auto& [error, kernels] : by_error)
    lines.push_back(kernels.size() == 1
                        ? fmt::format("{} has no time in isolation: {}", kernels.front(), error)
                        : fmt::format("{} kernels have no time in isolation ({} and others): {}",
                                      kernels.size(), kernels.front(), error));
}

/// Adds a line if the program's own iteration time contradicts the GPU time of the recorded launches, so that
/// other launches than the iteration's may have been recorded.
void add_program_time(const Comparison& c, Lines& lines) {
  const auto own_s = c.program_iteration_s();
  if (!own_s || !c.timeline || !c.timeline->totals || c.timeline->has_waited_for_ranks) return;
  if (c.timeline->totals->contradict(*own_s))
    lines.push_back(fmt::format(
        "the program's own iterations take {:.1f} us, but the recorded launches have {:.1f} us of GPU time, "
        "so they may not be an iteration; choose the iteration with --range NAME or --iterations A..B",
        1e6 * *own_s, ns_to_us(c.timeline->totals->busy_ns)));
}

/// Adds a line if the launches were replayed from restored memory only.
void add_restoring(const Comparison& c, Lines& lines) {
  if (c.restores)
    lines.push_back(
        "the launches take another time if they are repeated on their own results, so memory is restored "
        "before each replay; restoring is not part of the times");
}

/// Adds a line if the whole, or the time between launches, changed during the measurement.
void add_distortion(const Comparison& c, Lines& lines) {
  const double apart = c.undisturbed_s ? *c.undisturbed_s / c.times.whole_s.value - 1 : 0;
  if (std::abs(apart) > kOtherWhole)
    lines.push_back(
        fmt::format("the whole took {:.1f} us before the kernels were measured, which differs by {} % from "
                    "the whole while they were measured: the device became faster or slower",
                    1e6 * *c.undisturbed_s, signed_text(100 * apart, 1)));
  if (c.control && std::abs(c.control->slower()) > kDistorted)
    lines.push_back(fmt::format(
        "a chain of empty kernels took {:.1f} us before the measurement and {:.1f} us after it ({} %): the "
        "time that the device needs between launches changed during the measurement",
        1e6 * c.control->before_s, 1e6 * c.control->after_s, signed_text(100 * c.control->slower(), 1)));
}

void add_audit(const Comparison& c, Lines& lines) {
  if (!c.timeline || !c.timeline->error.empty() || c.timeline->audit.equal()) return;
  const Audit& audit = c.timeline->audit;
  lines.push_back(
      fmt::format("the recording differs from the device's own list of activities in {} place{}{}",
                  audit.differences_found, audit.differences_found == 1 ? "" : "s",
                  audit.differences.empty() ? "" : "; the first place: " + audit.differences.front()));
}

/// Returns the name of the kernel whose launch is the first one with other results than in the program.
std::string first_different(const VerifiedReplay& verification, const SentenceNames& names) {
  const auto first = std::ranges::min_element(verification.different_kernels, {}, &KernelShare::first);
  return first == verification.different_kernels.end() ? "unnamed" : names.of(first->name);
}

void add_other_bits(const Comparison& c, const SentenceNames& names, Lines& lines) {
  if (!c.verification) return;
  const size_t different = c.verification->found.different.size();
  const size_t non_finite = c.verification->found.non_finite.size();
  if (different > 0)
    lines.push_back(fmt::format(
        "the replay of {} launch{} (the first is of {}) gave other results than the program's own run{}",
        different, different == 1 ? "" : "es", first_different(*c.verification, names),
        non_finite == 0 ? "" : fmt::format(", with infinities or NaNs in {} of them", non_finite)));
}

/// Adds a line about kernels that use host memory, if the replay gave other results: the host may have
/// changed this memory. If results are equal, there is no line: the address may be in an unused argument.
void add_host_memory(const Comparison& c, const SentenceNames& names, Lines& lines) {
  if (!c.verification || c.verification->found.different.empty()) return;
  std::vector<std::string> kernels;
  for (const KernelResult& kernel : c.kernels)
    if (kernel.uses_host_memory) kernels.push_back(names.of(kernel.name));
  if (kernels.empty()) return;
  constexpr size_t kMostNamed = 3;
  const size_t others = kernels.size() - std::min(kernels.size(), kMostNamed);
  kernels.resize(kernels.size() - others);
  lines.push_back(fmt::format(
      "{}{} host memory, which the host may change within the iteration; each replay begins with its "
      "contents at the beginning of the recorded launches",
      fmt::join(kernels, ", "),
      others > 0            ? fmt::format(" and {} more kernel{} use", others, others == 1 ? "" : "s")
      : kernels.size() == 1 ? " uses"
                            : " use"));
}

void add_energy(const Comparison& c, Lines& lines) {
  if (c.energy && !c.energy->whole && !c.energy->meters.empty() && !c.energy->missing.empty())
    lines.push_back("energy was not measured: " + c.energy->missing);
}

void add_replayed(const Comparison& c, Lines& lines) {
  if (!c.replayed) return;
  if (const std::string lack = not_replayed_text(*c.replayed); !lack.empty()) lines.push_back(lack);
}

}  // namespace

std::vector<std::string> findings_of(const Comparison& comparison, NameStyle style) {
  const SentenceNames names(comparison.kernels, style);
  Lines lines;
  add_load(comparison, lines);
  add_loop(comparison, lines);
  add_program_time(comparison, lines);
  add_missing_kernels(comparison, names, lines);
  add_not_isolated(comparison, names, lines);
  add_restoring(comparison, lines);
  add_distortion(comparison, lines);
  add_audit(comparison, lines);
  add_other_bits(comparison, names, lines);
  add_host_memory(comparison, names, lines);
  add_energy(comparison, lines);
  add_replayed(comparison, lines);
  return lines;
}

}  // namespace kjoule
