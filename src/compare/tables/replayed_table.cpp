#include "compare/tables/replayed_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kjoule {

const char* to_string(ReplayResult result) {
  switch (result) {
    case ReplayResult::same:
      return "same";
    case ReplayResult::same_family:
      return "same family";
    case ReplayResult::not_stated:
      return "kernel not stated";
    case ReplayResult::different:
      return "different";
    case ReplayResult::not_replayable:
      break;
  }
  return "not replayable";
}

std::string ReplayedTable::replayed_on() const {
  const auto any = [&](const char* device) {
    return std::ranges::find(kernels, device, &ReplayedKernel::replayed_on) != kernels.end();
  };
  if (any("cpu")) return any("cuda") ? "cpu and cuda" : "cpu";
  return any("cuda") ? "cuda" : "";
}

size_t ReplayedTable::replayed_off_gpu() const {
  return static_cast<size_t>(std::ranges::count_if(kernels, [](const ReplayedKernel& kernel) {
    return kernel.replayed_on == "cpu" && kernel.each_s && kernel.of_gpu();
  }));
}

std::optional<double> ReplayedTable::sum_s() const {
  std::optional<double> sum;
  for (const ReplayedKernel& kernel : kernels)
    if (may_be_summed(kernel.result) && kernel.each_s) sum = sum.value_or(0) + kernel.count * *kernel.each_s;
  return sum;
}

std::optional<double> ReplayedTable::recorded_sum_s() const {
  double sum = 0;
  for (const ReplayedKernel& kernel : kernels) {
    const auto each = kernel.recorded_s();
    if (!each) return {};
    sum += kernel.count * *each;
  }
  return sum;
}

double ReplayedTable::share(ReplayResult result) const {
  const bool of_time = shares_are_of_time();
  double part = 0, all = 0;
  for (const ReplayedKernel& kernel : kernels) {
    const double weight = kernel.count * (of_time ? *kernel.recorded_s() : 1);
    all += weight;
    if (kernel.result == result) part += weight;
  }
  return all > 0 ? part / all : 0;
}

ReplayedTable unreplayed_table(const ImportedTable& table, const ReplayPlan& plan, const std::string& why) {
  ReplayedTable replayed;
  replayed.source = table.source;
  replayed.format = table.format;
  replayed.iterations_missing = table.iterations_missing();
  if (table.iterations.known()) replayed.iterations = table.iterations.number;
  for (size_t k = 0; k < table.kernels.size(); ++k) {
    ReplayedKernel& kernel = replayed.kernels.emplace_back();
    kernel.kernel = table.kernels[k];
    kernel.count = table.count(kernel.kernel).value_or(static_cast<double>(kernel.kernel.launches));
    kernel.why = plan.kernels[k].why_not.empty() ? why : plan.kernels[k].why_not;
    if (const auto call = plan.kernels[k].call) kernel.call = call_name(plan.calls[*call]);
    kernel.is_inferred = plan.kernels[k].is_inferred;
  }
  return replayed;
}

std::string not_replayed_text(const ReplayedTable& table) {
  const auto failed = std::count_if(table.kernels.begin(), table.kernels.end(), [](const auto& kernel) {
    return kernel.result == ReplayResult::not_replayable;
  });
  if (failed == 0) return {};
  if (static_cast<size_t>(failed) == table.kernels.size())
    return fmt::format(
        "none of the {} kernels of {} could be replayed, so there is no sum of their times; reason for the "
        "first kernel, {}: {}",
        failed, table.source, table.kernels.front().kernel.name, table.kernels.front().why);
  return fmt::format(
      "{}: {} of {} kernels could not be replayed, so the sum of the replayed kernels lacks them",
      table.source, failed, table.kernels.size());
}

}  // namespace kjoule
