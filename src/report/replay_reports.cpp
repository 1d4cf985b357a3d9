#include "report/replay_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/files/csv.hpp"
#include "recording/tier_text.hpp"
#include "report/microseconds.hpp"
#include "report/shortened.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

using Json = nlohmann::ordered_json;

std::string shown(const std::optional<double>& seconds) {
  return seconds ? fmt::format("{:.2f}", us(*seconds)) : "-";
}

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
      if (!may_be_summed(kernel.replayed)) continue;
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

/// Returns a whole number without decimals, so that fractional counts stand out.
Json whole_or_fraction(double count) {
  return count == std::floor(count) ? Json(static_cast<uint64_t>(count)) : Json(count);
}

KernelNames names_of(const ReplayedTable& table, NameStyle style = NameStyle::shortened) {
  return KernelNames::of_all(
      table.kernels, [](const ReplayedKernel& kernel) { return kernel.kernel.name; }, style);
}

Json kernel_json(const ReplayedKernel& kernel, const KernelNames& names) {
  Json json{{"name", kernel.kernel.name},
            {"short_name", names.short_name(kernel.kernel.name)},
            {"tier", tier_json(kernel.kernel.tier)},
            {"category", kernel.kernel.category},
            {"invocation_count", whole_or_fraction(kernel.count)},
            {"replayed", replayed_text(kernel.replayed)}};
  if (!kernel.call.empty()) json["call"] = kernel.call;
  if (kernel.is_inferred) json["inferred"] = true;
  if (!kernel.ran.empty()) json["ran"] = kernel.ran;
  if (kernel.each_s) {
    json["benchmark_runs"] = kernel.runs;
    json["single_time_us"] = us(*kernel.each_s);
    json["total_time_us"] = us(total(kernel));
    if (!kernel.start_timestamp.empty()) {
      json["start_timestamp"] = kernel.start_timestamp;
      json["end_timestamp"] = kernel.end_timestamp;
    }
  }
  json["recorded_time_us"] = optional_us(kernel.recorded_s());
  json["signature"] = signature_of(kernel.kernel);
  if (!kernel.why.empty()) json["error"] = kernel.why;
  return json;
}

/// Returns the reasons why kernels could not be replayed, each with its number of kernels.
Json reasons(const ReplayedTable& table) {
  Json list = Json::array();
  std::map<std::string, size_t> places;
  for (const ReplayedKernel& kernel : table.kernels) {
    if (kernel.replayed != Replayed::not_replayable) continue;
    const auto [place, is_new] = places.try_emplace(kernel.why, list.size());
    if (is_new) list.push_back({{"error", kernel.why}, {"kernels", 0}, {"first", kernel.kernel.name}});
    Json& kernels = list[place->second]["kernels"];
    kernels = kernels.get<size_t>() + 1;
  }
  return list;
}

}  // namespace

std::string replay_shares_text(const ReplayedTable& table) {
  std::string text;
  for (const Replayed replayed : kReplayed) {
    if (replayed == Replayed::not_stated && table.share(replayed) == 0)
      continue;  // only matrix products can have this result
    text += fmt::format("{}{:.1f} % {}", text.empty() ? "" : ", ", 100 * table.share(replayed),
                        replayed_text(replayed));
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
  std::string text = fmt::format("kernel\n{:>11} {:>12} {:>8} {:>12} {:>8}  {}\n", "each us", "recorded us",
                                 "count", "total us", "tier", "replayed");
  std::vector<const ReplayedKernel*> order;
  for (const ReplayedKernel& kernel : table.kernels) order.push_back(&kernel);
  const auto weight = [](const ReplayedKernel* kernel) {
    return std::max(total(*kernel), kernel->count * kernel->recorded_s().value_or(0));
  };
  std::stable_sort(order.begin(), order.end(), [&](auto* a, auto* b) { return weight(a) > weight(b); });
  for (size_t k = 0; k < std::min(top, order.size()); ++k) {
    const ReplayedKernel& kernel = *order[k];
    const std::string called =
        kernel.call.empty() ? ""
                            : " by " + shortened(kernel.call, 60) + (kernel.is_inferred ? " (inferred)" : "");
    text += names.row("", kernel.kernel.name,
                      called + (kernel.why.empty() ? "" : ": " + shortened(kernel.why, 200)));
    text += fmt::format("{:>11} {:>12} {:>8.6g} {:>12} {:>8}  {}\n", shown(kernel.each_s),
                        shown(kernel.recorded_s()), kernel.count,
                        kernel.each_s ? fmt::format("{:.1f}", us(total(kernel))) : "-",
                        tier_text(kernel.kernel.tier), replayed_text(kernel.replayed));
  }
  if (order.size() > top) text += fmt::format("and {} more kernels (--top N)\n", order.size() - top);
  return text + replay_notes_text(table);
}

std::string replay_csv(const ReplayedTable& table) {
  std::string text = csv_line({"name", "tier", "category", "count", "iterations", "replayed", "replayed_on",
                               "call", "inferred", "ran", "each_us", "total_us", "recorded_each_us",
                               "signature", "error", "short_name"}) +
                     "\n";
  const KernelNames names = names_of(table);
  const std::string iterations = table.iterations ? std::to_string(*table.iterations) : "";
  for (const ReplayedKernel& kernel : table.kernels)
    text +=
        csv_line({kernel.kernel.name, tier_text(kernel.kernel.tier), kernel.kernel.category,
                  number_cell(kernel.count), iterations, replayed_text(kernel.replayed), kernel.replayed_on,
                  kernel.call, kernel.is_inferred ? "true" : "", kernel.ran, us_cell(kernel.each_s),
                  kernel.each_s ? number_cell(us(total(kernel))) : "", us_cell(kernel.recorded_s()),
                  signature_of(kernel.kernel), kernel.why, names.short_name(kernel.kernel.name)}) +
        "\n";
  return text;
}

Json replay_summary(const nlohmann::json& run, const ReplayedTable& table) {
  Json shares;
  for (const Replayed replayed : kReplayed) {
    std::string key = replayed_text(replayed);
    std::replace(key.begin(), key.end(), ' ', '_');
    shares[key + "_percent"] = 100 * table.share(replayed);
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
  json["not_replayable"] = reasons(table);
  json["tier_breakdown"] = tiers(run, table);
  return json;
}

Json replay_timing(const nlohmann::json& run, const ReplayedTable& table) {
  Json json = replay_summary(run, table);
  json["kernels"] = Json::array();
  const KernelNames names = names_of(table);
  for (const ReplayedKernel& kernel : table.kernels) json["kernels"].push_back(kernel_json(kernel, names));
  json["run"] = run;
  return json;
}

}  // namespace kjoule
