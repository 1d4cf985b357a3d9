#include "compare/tables/replayed_table.hpp"

#include <algorithm>

namespace kjoule {

const char* replayed_text(Replayed replayed) {
  switch (replayed) {
    case Replayed::same:
      return "same";
    case Replayed::same_family:
      return "same family";
    case Replayed::not_stated:
      return "kernel not stated";
    case Replayed::different:
      return "different";
    case Replayed::not_replayable:
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
    if (may_be_summed(kernel.replayed) && kernel.each_s)
      sum = sum.value_or(0) + kernel.count * *kernel.each_s;
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

double ReplayedTable::share(Replayed replayed) const {
  const bool of_time = shares_are_of_time();
  double part = 0, all = 0;
  for (const ReplayedKernel& kernel : kernels) {
    const double weight = kernel.count * (of_time ? *kernel.recorded_s() : 1);
    all += weight;
    if (kernel.replayed == replayed) part += weight;
  }
  return all > 0 ? part / all : 0;
}

}  // namespace kjoule
