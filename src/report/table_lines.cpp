#include "report/table_lines.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"

namespace kjoule {

namespace {

constexpr std::array<std::pair<GroupBy, const char*>, 5> kWords = {{{GroupBy::signature, "signature"},
                                                                    {GroupBy::name, "name"},
                                                                    {GroupBy::operator_call, "operator"},
                                                                    {GroupBy::tier, "tier"},
                                                                    {GroupBy::category, "category"}}};

std::string label_of(const ImportedKernel& kernel, GroupBy by) {
  switch (by) {
    case GroupBy::name:
      return kernel.name;
    case GroupBy::operator_call:
      return kernel.launched_by.name.empty() ? "unknown" : kernel.launched_by.name;
    case GroupBy::tier:
      return tier_key(kernel.tier);
    case GroupBy::category:
      return kernel.category;
    case GroupBy::signature:
      break;
  }
  return signature_of(kernel);
}

std::optional<RecordedTimes> joined(const RecordedTimes& a, const RecordedTimes& b) {
  RecordedTimes both;
  if (__builtin_add_overflow(a.total_ns, b.total_ns, &both.total_ns)) return {};
  if (a.min_ns && b.min_ns) both.min_ns = std::min(*a.min_ns, *b.min_ns);
  if (a.max_ns && b.max_ns) both.max_ns = std::max(*a.max_ns, *b.max_ns);
  return both;
}

void add(TableLine& line, const ImportedTable& table, const ImportedKernel& kernel) {
  const bool both = line.times && kernel.times;
  if (line.kernels.empty())
    line.times = kernel.times;
  else
    line.times = both ? joined(*line.times, *kernel.times) : std::nullopt;
  line.kernels.push_back(&kernel);
  ++line.unique_kernels;
  line.launches += kernel.launches;
  line.steady = line.steady && table.steady(kernel);
}

void sort_by_time(std::vector<TableLine>& lines) {
  std::stable_sort(lines.begin(), lines.end(), [](const TableLine& a, const TableLine& b) {
    const int64_t a_ns = a.times ? a.times->total_ns : -1, b_ns = b.times ? b.times->total_ns : -1;
    return std::pair(a_ns, a.launches) > std::pair(b_ns, b.launches);
  });
}

/// Returns the lines of the kernels with the same label on what `gpu_of` returns for each.
template <class GpuOf>
std::vector<TableLine> lines_by(const ImportedTable& table, GroupBy by, const GpuOf& gpu_of) {
  std::vector<TableLine> lines;
  std::map<std::pair<std::optional<int64_t>, std::string>, size_t> places;
  for (const ImportedKernel& kernel : table.kernels) {
    const std::optional<int64_t> gpu = gpu_of(kernel);
    const auto [place, is_new] = places.try_emplace({gpu, label_of(kernel, by)}, lines.size());
    if (is_new) lines.emplace_back().label = place->first.second;
    lines[place->second].gpu = gpu;
    add(lines[place->second], table, kernel);
  }
  sort_by_time(lines);
  return lines;
}

}  // namespace

GroupBy group_by(const std::string& text) {
  for (const auto& [by, word] : kWords)
    if (text == word) return by;
  throw Error("--by " + text + ": not known", "choose signature, name, operator, tier or category");
}

std::string group_by_text(GroupBy by) {
  for (const auto& [known, word] : kWords)
    if (by == known) return word;
  return {};
}

std::vector<TableLine> table_lines(const ImportedTable& table, GroupBy by) {
  return lines_by(table, by, [](const ImportedKernel& kernel) { return kernel.gpu; });
}

std::vector<TableLine> joint_table_lines(const ImportedTable& table, GroupBy by) {
  std::vector<TableLine> lines =
      lines_by(table, by, [](const ImportedKernel&) { return std::optional<int64_t>(); });
  for (TableLine& line : lines) {
    std::set<std::string> signatures;
    for (const ImportedKernel* kernel : line.kernels) signatures.insert(signature_of(*kernel));
    line.unique_kernels = signatures.size();
  }
  return lines;
}

}  // namespace kjoule
