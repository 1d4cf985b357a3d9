#include "report/replay_reasons.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/text/counted.hpp"
#include "base/text/printable.hpp"
#include "importers/replay_plan.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

/// Largest numbers of reasons, and of names of a reason, on the screen.
constexpr size_t kMostReasons = 6, kMostNames = 4;

/// Collects kernels by their reasons, in the order of each reason's first kernel.
class ReasonList {
 public:
  void add(const std::string& why, const std::string& name) {
    const auto [place, is_new] = places_.try_emplace(why, reasons_.size());
    if (is_new) reasons_.push_back({why, {}});
    reasons_[place->second].names.push_back(name);
  }
  std::vector<ReplayReason> take() { return std::move(reasons_); }

 private:
  std::map<std::string, size_t> places_;
  std::vector<ReplayReason> reasons_;
};

/// Returns "2 kernels (concat half 3d, concat long 2d)".
std::string kernels_text(const ReplayReason& reason, const KernelNames& names) {
  std::vector<std::string> shown;
  for (const std::string& name : reason.names)
    if (std::string text = names.shown(name); std::ranges::find(shown, text) == shown.end())
      shown.push_back(std::move(text));
  const bool are_all = shown.size() <= kMostNames;
  shown.resize(std::min(shown.size(), kMostNames));
  return fmt::format("{} ({}{})", counted(reason.names.size(), "kernel"), fmt::join(shown, ", "),
                     are_all ? "" : ", ..");
}

}  // namespace

std::vector<ReplayReason> reasons_without_call(const ImportedTable& table) {
  const ReplayPlan plan = make_replay_plan(table);
  ReasonList reasons;
  for (size_t k = 0; k < table.kernels.size(); ++k)
    if (!plan.kernels[k].call) reasons.add(plan.kernels[k].why_not, table.kernels[k].name);
  return reasons.take();
}

std::vector<ReplayReason> reasons_of_replay(const ReplayedTable& table) {
  ReasonList reasons;
  for (const ReplayedKernel& kernel : table.kernels)
    if (kernel.result == ReplayResult::not_replayable) reasons.add(kernel.why, kernel.kernel.name);
  return reasons.take();
}

std::string reasons_text(const std::string& title, const std::vector<ReplayReason>& reasons,
                         const KernelNames& names) {
  if (reasons.empty()) return {};
  std::string text = wrapped("", title + ":");
  for (size_t r = 0; r < std::min(reasons.size(), kMostReasons); ++r)
    text += wrapped("- ", fmt::format("{}: {}", kernels_text(reasons[r], names), printable(reasons[r].why)));
  if (reasons.size() > kMostReasons)
    text += wrapped("- ", fmt::format("{}, which --json lists",
                                      counted(reasons.size() - kMostReasons, "further reason")));
  return text;
}

nlohmann::ordered_json reasons_json(const std::vector<ReplayReason>& reasons) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ReplayReason& reason : reasons)
    list.push_back(
        {{"error", reason.why}, {"kernels", reason.names.size()}, {"first", reason.names.front()}});
  return list;
}

size_t number_of_kernels(const std::vector<ReplayReason>& reasons) {
  size_t kernels = 0;
  for (const ReplayReason& reason : reasons) kernels += reason.names.size();
  return kernels;
}

}  // namespace kjoule
