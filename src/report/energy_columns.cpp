#include "report/energy_columns.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/json/optional_json.hpp"
#include "recording/tier_text.hpp"
#include "report/interval_json.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;
using EnergyColumn = TableColumn<ReportedEnergy>;
using EnergyRow = const ReportedEnergy&;

EnergyColumn in_files(const char* key, const char* meaning, const char* unit,
                      std::function<Json(EnergyRow)> value, Places places = kFiles) {
  return EnergyColumn::in_files(key, meaning, unit, places, std::move(value));
}

/// Returns a function that takes a value from a row's kernel. Its result is null for the whole.
template <class Value>
auto of_kernel(Value value) {
  return [value](EnergyRow row) -> Json { return row.kernel == nullptr ? Json() : Json(value(*row.kernel)); };
}
using Kernel = const KernelEnergy&;

double count_of(EnergyRow row) {
  return row.kernel == nullptr ? 1 : static_cast<double>(row.kernel->count);
}

std::string joules_cell(const std::optional<double>& joules) {
  return joules ? fmt::format("{:.4g}", *joules) : std::string();
}

/// Returns the half-width of one launch in % of its energy; an empty text if there is no energy.
std::string percent_cell_of(EnergyRow row) {
  constexpr double kMost = 999.9;
  const auto joules = row.timed->each_j();
  if (!joules) return {};
  const double share = 100 * joules->half_width / std::abs(joules->value);
  return share <= kMost ? fmt::format("{:.1f}", share) : fmt::format(">{:.0f}", kMost);
}

std::vector<EnergyColumn> identity_columns() {
  return {in_files("name", "name of the kernel", "",
                   [](EnergyRow row) { return row.kernel == nullptr ? "(whole)" : row.kernel->name; }),
          in_files(
              "short_name",
              "short name of the kernel, at most 60 bytes; different from those of the other kernels in "
              "this report",
              "", [](EnergyRow row) { return row.names->short_name(row.kernel->name); }, Place::json),
          in_files("tier", "origin of the kernel", "",
                   of_kernel([](Kernel kernel) { return tier_json(kernel.tier); })),
          EnergyColumn::number("count", "count", "launches of the kernel in one iteration", "launches",
                               kScreenAndFiles, of_kernel([](Kernel kernel) { return kernel.count; }), 0, 6),
          in_files(
              "measured", "whether the kernel's energy was measured", "",
              [](EnergyRow row) { return row.timed->each_j().has_value(); }, Place::json)};
}

std::vector<EnergyColumn> window_columns() {
  return {
      in_files(
          "start_timestamp",
          "begin of the kernel's window, as the timing file states it; empty if the kernel was not replayed",
          "", [](EnergyRow row) { return row.timed->start_timestamp; }),
      in_files(
          "end_timestamp",
          "end of the kernel's window, as the timing file states it; empty if the kernel was not replayed",
          "", [](EnergyRow row) { return row.timed->end_timestamp; }),
      in_files("window_seconds", "length of the window", "s",
               [](EnergyRow row) { return row.timed->energy.window.seconds(); }),
      in_files("num_power_samples", "number of the log's readings inside the window", "readings",
               [](EnergyRow row) { return row.timed->energy.samples; }),
      in_files(
          "runs", "runs in the window", "runs", [](EnergyRow row) { return or_null(row.timed->runs); },
          Place::csv),
      in_files(
          "benchmark_runs", "number of launches in the window; null if the kernel was not replayed",
          "launches", [](EnergyRow row) { return or_null(row.timed->runs); }, Place::json),
      in_files(
          "silent_seconds",
          "sum of the lengths of all gaps in the log; null if the log does not cover the window", "s",
          [](EnergyRow row) { return silent_seconds(row.timed->energy); }, Place::json),
      in_files(
          "bridged_seconds",
          "time at both ends of the window that the log does not reach, for which its first or last reading "
          "was used; the interval contains the energy of this time; null if there is no energy",
          "s",
          [](EnergyRow row) { return row.timed->energy.joules ? Json(row.timed->energy.bridged_s) : Json(); },
          Place::json),
      in_files(
          "busy_share_percent",
          "share of the window in which the kernel's launches ran; null if unknown or if there is no energy",
          "%", of_kernel([](Kernel kernel) {
            const auto share = kernel.busy_share();
            return share ? Json(100 * *share) : Json();
          }),
          Place::json),
      in_files(
          "average_watts", "mean power in the window", "W",
          [](EnergyRow row) { return row.timed->energy.joules ? Json(row.timed->energy.average_w) : Json(); },
          Place::csv),
      in_files(
          "average_watts",
          "mean power in the window; if the energy is a difference of iterations, mean power of the "
          "launches; "
          "null if there is no energy",
          "W", [](EnergyRow row) { return row.timed->each_j() ? Json(row.timed->energy.average_w) : Json(); },
          Place::json),
      in_files(
          "energy_joules", "energy of all runs in the window", "J",
          [](EnergyRow row) { return value_json(row.timed->energy.joules); }, Place::csv),
      in_files(
          "half_width_joules", "half-width of the 95 % interval of energy_joules", "J",
          [](EnergyRow row) { return half_width_json(row.timed->energy.joules); }, Place::csv)};
}

std::vector<EnergyColumn> joules_columns() {
  return {
      {"each J", "energy_joules_each",
       "energy of one launch, repeated back to back; on a GPU, a kernel with ~ was measured at its place in "
       "the iteration",
       "J", kScreenAndFiles,
       [](EnergyRow row) {
         const auto each = row.timed->each_j();
         return each ? joules_cell(each->value) : std::string();
       },
       [](EnergyRow row) { return value_json(row.timed->each_j()); }, 10},
      {"+- %", "half_width_joules_each", "half-width of the 95 % interval of each J", "J",
       Place::first_screen | Place::csv, percent_cell_of,
       [](EnergyRow row) { return half_width_json(row.timed->each_j()); }, 6},
      in_files(
          "energy_joules_each_interval",
          "95 % interval of energy_joules_each. As [low, high]; an end is null if it is infinite", "J",
          [](EnergyRow row) { return interval_json(row.timed->each_j()); }, Place::json),
      {"total J", "energy_joules_total", "count x each J", "J", kScreenAndFiles,
       [](EnergyRow row) { return joules_cell(total_j(*row.kernel)); },
       [](EnergyRow row) { return value_json(row.timed->each_j(), count_of(row)); }, 10},
      in_files(
          "energy_joules_total_interval",
          "95 % interval of energy_joules_total. As [low, high]; an end is null if it is infinite", "J",
          [](EnergyRow row) { return interval_json(row.timed->each_j(), count_of(row)); }, Place::json),
      {"context J", "energy_in_context_joules_total",
       "energy of all launches of one iteration in context: their power in the log x their time in context; "
       "replaces total J where this time is known",
       "J", Place::first_screen | Place::json,
       [](EnergyRow row) { return joules_cell(in_context_j(*row.kernel)); },
       of_kernel([](Kernel kernel) { return value_json(kernel.in_context_j()); }), 10},
      in_files("energy_in_context_joules_total_interval",
               "95 % interval of energy_in_context_joules_total. As [low, high]; an end is null if it is "
               "infinite",
               "J", of_kernel([](Kernel kernel) { return interval_json(kernel.in_context_j()); }),
               Place::json)};
}

std::vector<EnergyColumn> last_energy_columns() {
  return {
      EnergyColumn::on_screen(
          "samples", "power samples in the kernel's window", Place::first_screen,
          [](EnergyRow row) { return std::to_string(row.timed->energy.samples); }, 7),
      EnergyColumn::on_screen(
          "tier", kTierMeaning, Place::first_screen,
          [](EnergyRow row) { return tier_text(row.kernel->tier); }, 7),
      in_files(
          "flags", "why the energy is doubtful or missing", "",
          [](EnergyRow row) { return flags_text(row.timed->energy); }, Place::csv),
      in_files("signature", "signature of the kernel; empty if the timing file states none", "",
               of_kernel([](Kernel kernel) { return kernel.signature; }), Place::csv),
      in_files(
          "short_name", "short name of the kernel", "",
          [](EnergyRow row) { return row.kernel == nullptr ? "" : row.names->short_name(row.kernel->name); },
          Place::csv),
      EnergyColumn::on_screen(
          "kernel",
          "short name of the kernel, after ~ if its energy was measured together with that of others; in "
          "brackets, the reason why its energy is doubtful or missing",
          Place::first_screen, {})};
}

}  // namespace

const std::vector<EnergyColumn>& logged_energy_columns() {
  static const std::vector<EnergyColumn> columns =
      joined({identity_columns(), window_columns(), joules_columns(), last_energy_columns()});
  return columns;
}

TableColumns energy_columns() {
  return {"the energies of the kernels in a power log",
          explained(logged_energy_columns(), Place::first_screen)};
}

std::optional<double> total_j(const KernelEnergy& kernel) {
  const auto each = kernel.each_j();
  return each ? std::optional(each->value * static_cast<double>(kernel.count)) : std::nullopt;
}

std::optional<double> in_context_j(const KernelEnergy& kernel) {
  const auto joules = kernel.in_context_j();
  return joules ? std::optional(joules->value) : std::nullopt;
}

std::string flags_text(const WindowEnergy& energy) {
  std::string text;
  const auto add = [&text](bool is, const std::string& flag) {
    if (is) text += (text.empty() ? "" : ", ") + flag;
  };
  add(energy.few_samples, "few samples");
  add(energy.frozen, "frozen");
  add(!energy.gaps.empty(), fmt::format("silent for {:.3f} s in {} {}", energy.silent_s(), energy.gaps.size(),
                                        energy.gaps.size() == 1 ? "gap" : "gaps"));
  add(!energy.missing.empty(), energy.missing);
  return text;
}

Json silent_seconds(const WindowEnergy& energy) {
  return energy.joules || !energy.gaps.empty() ? Json(energy.silent_s()) : Json();
}

}  // namespace kjoule
