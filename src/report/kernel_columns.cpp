#include "report/kernel_columns.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/text/printable.hpp"
#include "recording/tier_text.hpp"
#include "report/microseconds.hpp"
#include "report/shown_interval.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;
using KernelColumn = TableColumn<ReportedKernel>;

constexpr Places kScreens = Place::first_screen | Place::details;
/// Number of iterations over which the counts of a recording are taken.
constexpr int kRecordedIterations = 1;

Json finite_json(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

/// Returns a function that converts a kernel's value from seconds to us; its result is null if there is no
/// value.
auto in_us(std::optional<double> (*seconds)(const ReportedKernel&)) {
  return [seconds](const ReportedKernel& row) {
    const auto value = seconds(row);
    return value ? finite_json(us(*value)) : Json();
  };
}

double count_of(const ReportedKernel& row) {
  return static_cast<double>(row.kernel->count);
}

std::optional<double> total_s(const ReportedKernel& row) {
  const auto& time_s = row.kernel->in_context_s;
  return time_s ? std::optional(time_s->value) : std::nullopt;
}
std::optional<double> half_width_s(const ReportedKernel& row) {
  const auto& time_s = row.kernel->in_context_s;
  return time_s ? std::optional(time_s->half_width) : std::nullopt;
}
std::optional<double> each_s(const ReportedKernel& row) {
  const auto total = total_s(row);
  return total ? std::optional(*total / count_of(row)) : std::nullopt;
}
std::optional<double> isolated_s(const ReportedKernel& row) {
  return row.kernel->isolated_s;
}
std::optional<double> timeline_s(const ReportedKernel& row) {
  return row.kernel->timeline_s;
}

std::optional<double> share_of_sum(const ReportedKernel& row) {
  const auto total = total_s(row);
  return total && row.of != nullptr ? std::optional(*total / row.of->times.sum_s.value) : std::nullopt;
}
/// Returns the kernel's share of the whole run, if the share of the iteration's part of the run is known.
std::optional<double> share_of_run(const ReportedKernel& row) {
  const auto share = share_of_sum(row);
  const bool is_known = share && row.of->part && !row.of->part->is_window();
  return is_known ? std::optional(*share * row.of->part->run_share) : std::nullopt;
}
Json percent_json(const std::optional<double>& share) {
  return share ? finite_json(100 * *share) : Json();
}
std::string percent_cell(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f}", 100 * *share) : std::string();
}

/// Returns the time of one launch and its half-width for the screen; nothing if it was not measured.
std::optional<ShownInterval> shown_time(const ReportedKernel& row) {
  const auto& time_s = row.kernel->in_context_s;
  if (!time_s) return {};
  return shown_interval({us(time_s->value) / count_of(row), us(time_s->half_width) / count_of(row)}, 2, "us");
}
/// Returns the energy of `launches` launches; nothing if it was not measured.
std::optional<ShownInterval> shown_energy(const ReportedKernel& row, double launches, int digits) {
  if (!row.kernel->energy) return {};
  const Interval& joules = row.kernel->energy->joules;
  const double factor = 1e3 * launches / count_of(row);
  return shown_interval({factor * joules.value, factor * joules.half_width}, digits, "mJ");
}
std::string value_cell(const std::optional<ShownInterval>& shown) {
  return shown ? shown->value : std::string();
}
std::string half_width_cell(const std::optional<ShownInterval>& shown) {
  return shown ? shown->half_width : std::string();
}

template <class Value>
auto of_energy(Value value) {
  return [value](const ReportedKernel& row) {
    return row.kernel->energy ? finite_json(value(*row.kernel->energy)) : Json();
  };
}

/// Returns a column that appears in files, but not on the screen.
KernelColumn in_files(const char* key, const char* meaning, const char* unit,
                      std::function<Json(const ReportedKernel&)> value, Places places = kFiles) {
  return KernelColumn::in_files(key, meaning, unit, places, std::move(value));
}

std::vector<KernelColumn> class_columns() {
  return {in_files("name", "name of the kernel", "",
                   [](const ReportedKernel& row) { return Json(row.kernel->name); }),
          {"count", "count", "launches of the kernel in one iteration", "launches",
           kFiles | kScreens | Place::listed | Place::isolated,
           [](const ReportedKernel& row) { return std::to_string(row.kernel->count); },
           [](const ReportedKernel& row) { return Json(row.kernel->count); }},
          {"tier", "tier", kTierMeaning, "", kFiles | Place::listed | Place::isolated,
           [](const ReportedKernel& row) { return tier_text(row.kernel->tier); },
           [](const ReportedKernel& row) { return Json(tier_json(row.kernel->tier)); }},
          in_files("family", "family of kernels, by the rules for names", "",
                   [](const ReportedKernel& row) { return text_json(row.kernel->family); }),
          {"category", "category", "what the kernel does, such as gemm or softmax", "",
           kFiles | Place::listed, [](const ReportedKernel& row) { return printable(row.kernel->category); },
           [](const ReportedKernel& row) { return text_json(row.kernel->category); }},
          in_files("dtype", "type of its numbers, by the rules for names", "",
                   [](const ReportedKernel& row) { return text_json(row.kernel->dtype); }),
          in_files("iterations", "number of iterations of which the counts and times are the mean",
                   "iterations", [](const ReportedKernel&) { return Json(kRecordedIterations); })};
}

std::vector<KernelColumn> time_columns() {
  return {
      {"each us", "each_us", "mean time of one launch in context, at its place in the unbroken iteration",
       "us", kScreens | kFiles, [](const ReportedKernel& row) { return value_cell(shown_time(row)); },
       in_us(each_s)},
      {"+-",
       "",
       "half-width of the 95 % interval of each us",
       "",
       Place::details,
       [](const ReportedKernel& row) { return half_width_cell(shown_time(row)); },
       {}},
      {"all us", "total_us", "time in context of all launches in one iteration: count x each us", "us",
       kScreens | kFiles,
       [](const ReportedKernel& row) {
         const auto total = total_s(row);
         return total ? fmt::format("{:.1f}", us(*total)) : std::string();
       },
       in_us(total_s)},
      in_files("half_width_us", "half-width of the 95 % interval of total_us", "us", in_us(half_width_s)),
      {"% of sum", "share_percent", "share of the sum of all kernels' times", "%", kScreens | kFiles,
       [](const ReportedKernel& row) { return percent_cell(share_of_sum(row)); },
       [](const ReportedKernel& row) { return percent_json(share_of_sum(row)); }},
      {"% of run", "share_of_run_percent",
       "share of the GPU time of the whole run, if the iteration's part of the run is known", "%",
       kFiles | Place::details, [](const ReportedKernel& row) { return percent_cell(share_of_run(row)); },
       [](const ReportedKernel& row) { return percent_json(share_of_run(row)); }},
      {"isolated us", "isolated_each_us", "mean time of one launch that is repeated back to back", "us",
       kFiles | Place::details | Place::isolated,
       [](const ReportedKernel& row) {
         return row.kernel->isolated_s ? fmt::format("{:.2f}", us(*row.kernel->isolated_s)) : std::string();
       },
       in_us(isolated_s)},
      {"total us",
       "",
       "count x isolated us",
       "",
       Place::isolated,
       [](const ReportedKernel& row) {
         return row.kernel->isolated_s ? fmt::format("{:.1f}", us(*row.kernel->isolated_s) * count_of(row))
                                       : std::string();
       },
       {}},
      in_files(
          "timeline_total_us",
          "time of all launches in the replayed whole, by the device's timeline (on a CPU by the rounds)",
          "us", in_us(timeline_s)),
      {"MB", "bytes_moved", "bytes that one launch moves, if it is a copy or a memset", "bytes",
       kFiles | Place::details,
       [](const ReportedKernel& row) {
         return row.kernel->bytes_moved
                    ? fmt::format("{:.3g}", 1e-6 * static_cast<double>(*row.kernel->bytes_moved))
                    : std::string();
       },
       [](const ReportedKernel& row) {
         return row.kernel->bytes_moved ? Json(*row.kernel->bytes_moved) : Json();
       }}};
}

std::vector<KernelColumn> energy_columns_of_kernels() {
  constexpr Places kCsv = Place::csv;  // JSON reports have an object of energies
  return {
      {"all mJ", "energy_joules", "energy of all launches in one iteration", "J", kScreens | Place::csv,
       [](const ReportedKernel& row) { return value_cell(shown_energy(row, count_of(row), 2)); },
       of_energy([](const KernelJoules& energy) { return energy.joules.value; })},
      {"+- mJ", "energy_half_width_joules", "half-width of the 95 % interval of all mJ", "J",
       kCsv | Place::details,
       [](const ReportedKernel& row) { return half_width_cell(shown_energy(row, count_of(row), 2)); },
       of_energy([](const KernelJoules& energy) { return energy.joules.half_width; })},
      in_files("energy_attributed_joules", "energy_joules, scaled so that all kernels add up to the whole",
               "J", of_energy([](const KernelJoules& energy) { return energy.attributed_j; }), kCsv),
      {"W", "average_watts", "mean power during the launches", "W", kCsv | Place::details,
       [](const ReportedKernel& row) {
         const auto watts = row.kernel->energy ? row.kernel->energy->watts() : std::nullopt;
         return watts ? fmt::format("{:.0f}", *watts) : std::string();
       },
       of_energy([](const KernelJoules& energy) { return energy.watts().value_or(std::nan("")); })}};
}

std::vector<KernelColumn> last_columns() {
  return {
      in_files("signature", "signature of the kernel: launches that share it are one kernel", "",
               [](const ReportedKernel& row) { return Json(row.kernel->signature); }),
      in_files("error", "why the kernel is missing from the sum", "",
               [](const ReportedKernel& row) { return text_json(row.kernel->error); }),
      in_files("short_name",
               "short name of the kernel, at most 60 bytes; different from those of the other kernels", "",
               [](const ReportedKernel& row) { return Json(row.names->short_name(row.kernel->name)); })};
}

}  // namespace

const std::vector<KernelColumn>& kernel_columns() {
  static const std::vector<KernelColumn> columns =
      joined({class_columns(), time_columns(), energy_columns_of_kernels(), last_columns()});
  return columns;
}

std::vector<ReportedKernel> kernel_rows(const std::vector<KernelResult>& kernels, const KernelNames& names,
                                        const Comparison* of) {
  std::vector<ReportedKernel> rows;
  for (const KernelResult& kernel : kernels) rows.push_back({&kernel, &names, of});
  return rows;
}

}  // namespace kjoule
