#include "importers/joined_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/error.hpp"
#include "base/text/counted.hpp"

namespace kjoule {

namespace {

std::string gpu_text(const std::optional<int64_t>& device) {
  return device ? fmt::format("GPU {}", *device) : "unknown GPU";
}

std::string iterations_text(const ImportedTable& table) {
  return table.iterations.known() ? counted(table.iterations.number, "iteration") : "no known iterations";
}

}  // namespace

ImportedTable join_devices(std::vector<ImportedTable> tables, const std::string& file) {
  if (tables.size() == 1) return std::move(tables.front());
  ImportedTable all = std::move(tables.front());
  for (std::string& warning : all.warnings) warning = gpu_text(all.gpu) + ": " + warning;
  for (size_t t = 1; t < tables.size(); ++t) {
    ImportedTable& other = tables[t];
    const ImportedIterations& added = other.iterations;
    if (all.iterations.number != added.number)
      throw Error(
          fmt::format("{}: the launches of {} form {}, but those of {} form {}", file, gpu_text(all.gpu),
                      iterations_text(all), gpu_text(other.gpu), iterations_text(other)),
          "choose one with --gpu N, or give the number of iterations with --iterations N");
    all.iterations.left_out += added.left_out;
    all.iterations.warm_up = std::max(all.iterations.warm_up, added.warm_up);
    if (added.repetition && (!all.iterations.repetition ||
                             added.repetition->covered_share() < all.iterations.repetition->covered_share()))
      all.iterations.repetition = added.repetition;
    for (const std::string& warning : other.warnings)
      all.warnings.push_back(gpu_text(other.gpu) + ": " + warning);
    for (ImportedActivity& activity : other.timeline) {
      activity.kernel += all.kernels.size();
      all.timeline.push_back(activity);
    }
    std::ranges::move(other.kernels, std::back_inserter(all.kernels));
  }
  all.gpu.reset();
  return all;
}

}  // namespace kjoule
