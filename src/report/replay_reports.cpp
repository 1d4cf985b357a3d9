#include "report/replay_reports.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "recording/tier_text.hpp"
#include "report/microseconds.hpp"
#include "report/replay_columns.hpp"
#include "report/replay_reasons.hpp"
#include "report/shortened.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

double total(const ReplayedKernel& kernel) {
  return kernel.count * kernel.each_s.value_or(0);
}

/// Returns how the `kernels` kernels of a tier are replayed, of which `products` are computed by cuBLAS.
std::string method_of(const nlohmann::json& run, Tier tier, size_t kernels, size_t products) {
  const std::string by_cublas = "cuBLAS, with matrices of the stated sizes and types";
  if (products > 0 && products == kernels) return by_cublas;
  if (products > 0) return by_cublas + "; for all other kernels " + method_of(run, tier, kernels, 0);
  const bool cuda = run.value("/device/kind"_json_pointer, "") == "cuda";
  if (tier == Tier::cuda_runtime)
    return cuda ? "cudaMemcpyAsync and cudaMemsetAsync of as many bytes" : "copies within the CPU's memory";
  const std::string operators =
      "the operator that launched it, with inputs of the recorded shapes, strides and types";
  return cuda ? operators + "; the launched kernels are timed in isolation, as nodes of a CUDA graph"
              : operators + ", on the CPU";
}

Json tiers(const nlohmann::json& run, const ReplayedTable& table) {
  Json json;
  const auto sum = table.sum_s();
  for (const Tier tier : {Tier::cuda_runtime, Tier::vendor_library, Tier::framework, Tier::unknown}) {
    size_t unique = 0, summed = 0, products = 0;
    double part = 0;
    for (const ReplayedKernel& kernel : table.kernels) {
      if (kernel.kernel.tier != tier) continue;
      ++unique;
      if (kernel.call.starts_with("cuBLAS ")) ++products;
      if (!may_be_summed(kernel.result)) continue;
      ++summed;
      part += total(kernel);
    }
    json[tier_key(tier)] = {
        {"method", method_of(run, tier, unique, products)},
        {"unique_kernels", unique},
        {"summed_kernels", summed},
        {"total_us", summed > 0 ? Json(us(part)) : Json()},
        {"percentage_of_predicted", summed > 0 && sum.value_or(0) > 0 ? Json(100 * part / *sum) : Json()}};
  }
  return json;
}

KernelNames names_of(const ReplayedTable& table, NameStyle style = NameStyle::shortened) {
  return KernelNames::of_all(
      table.kernels, [](const ReplayedKernel& kernel) { return kernel.kernel.name; }, style);
}

}  // namespace

std::string replay_shares_text(const ReplayedTable& table) {
  std::string text;
  for (const ReplayResult result : kReplayResults) {
    if (result == ReplayResult::not_stated && table.share(result) == 0)
      continue;  // only matrix products can have this result
    text +=
        fmt::format("{}{:.1f} % {}", text.empty() ? "" : ", ", 100 * table.share(result), to_string(result));
  }
  return fmt::format("replayed, as shares of the {}: {}",
                     table.shares_are_of_time() ? "recorded time" : "launches", text);
}

std::string replay_place_text(const ReplayedTable& table) {
  const size_t kernels = table.replayed_off_gpu();
  if (kernels == 0) return {};
  return fmt::format(
      "{} of {} kernels ran on a GPU and were replayed on the CPU, by calling the operators that launched "
      "them, so their times are not those of the GPU",
      kernels, table.kernels.size());
}

namespace {

/// Returns the lines below the table: the replayed shares, and the sums.
std::string replay_notes_text(const ReplayedTable& table) {
  std::string text = wrapped("", replay_shares_text(table));
  if (const std::string place = replay_place_text(table); !place.empty()) text += wrapped("", place);
  const auto sum = table.sum_s();
  std::string sums =
      sum ? fmt::format(
                "sum of the kernels replayed by the same kernel or family, each in isolation: {:.1f} us",
                us(*sum))
          : "no kernel was replayed by the same kernel or family, so there is no sum";
  if (const auto recorded = table.recorded_sum_s())
    sums += fmt::format("; recorded time of all kernels: {:.1f} us", us(*recorded));
  text += wrapped("", sums);
  if (!table.iterations_missing.empty()) text += wrapped("", table.iterations_missing);
  return text;
}

}  // namespace

std::string replay_text(const ReplayedTable& table, size_t top, NameStyle style) {
  const KernelNames names = names_of(table, style);
  std::vector<ReplayedRow> rows = replayed_rows(table, names);
  const auto weight = [](const ReplayedRow& row) {
    return std::max(total(*row.kernel), row.kernel->count * row.kernel->recorded_s().value_or(0));
  };
  std::stable_sort(rows.begin(), rows.end(), [&](auto& a, auto& b) { return weight(a) > weight(b); });
  const size_t more = rows.size() - std::min(top, rows.size());
  rows.resize(rows.size() - more);
  const ShownColumns columns(replayed_columns(), Place::first_screen, rows, ColumnGaps{});
  std::string text = "kernel\n" + columns.heads() + "  replayed\n";
  for (const ReplayedRow& row : rows) {
    const ReplayedKernel& kernel = *row.kernel;
    const std::string called =
        kernel.call.empty() ? ""
                            : " by " + shortened(kernel.call, 60) + (kernel.is_inferred ? " (inferred)" : "");
    text += names.row("", kernel.kernel.name,
                      called + (kernel.why.empty() ? "" : ": " + shortened(kernel.why, 200)));
    text += fmt::format("{}  {}\n", columns.cells(row), to_string(kernel.result));
  }
  if (more > 0) text += fmt::format("and {} more kernels (--top N)\n", more);
  const std::vector<ReplayReason> reasons = reasons_of_replay(table);
  text += reasons_text(
      fmt::format("not replayed: {} of {} kernels", number_of_kernels(reasons), table.kernels.size()),
      reasons, names);
  return text + replay_notes_text(table);
}

std::string replay_csv(const ReplayedTable& table) {
  const KernelNames names = names_of(table);
  return csv_text(replayed_columns(), replayed_rows(table, names));
}

Json replay_summary(const nlohmann::json& run, const ReplayedTable& table) {
  Json shares;
  for (const ReplayResult result : kReplayResults) {
    std::string key = to_string(result);
    std::replace(key.begin(), key.end(), ' ', '_');
    shares[key + "_percent"] = 100 * table.share(result);
  }
  Json json{{"source", table.source},
            {"source_format", table.format},
            {"isolated_sum_us", optional_us(table.sum_s())},
            {"recorded_sum_us", optional_us(table.recorded_sum_s())},
            {"shares_of", table.shares_are_of_time() ? "recorded time" : "launches"},
            {"shares", std::move(shares)},
            {"extra_kernels", table.extra_kernels}};
  json["iterations"] = table.iterations ? Json(*table.iterations) : Json();
  if (!table.iterations_missing.empty()) json["iterations_missing"] = table.iterations_missing;
  if (const std::string on = table.replayed_on(); !on.empty()) json["replayed_on"] = on;
  if (const std::string place = replay_place_text(table); !place.empty()) json["note"] = place;
  json["not_replayable"] = reasons_json(reasons_of_replay(table));
  json["tier_breakdown"] = tiers(run, table);
  return json;
}

Json replay_timing(const nlohmann::json& run, const ReplayedTable& table) {
  Json json = replay_summary(run, table);
  json["kernels"] = Json::array();
  const KernelNames names = names_of(table);
  for (const ReplayedRow& row : replayed_rows(table, names))
    json["kernels"].push_back(json_object(replayed_columns(), row));
  json["run"] = run;
  return json;
}

}  // namespace kjoule
