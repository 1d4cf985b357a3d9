#include "cli/compare/comparison_screen.hpp"

#include "base/process/terminal.hpp"
#include "compare/judgement/findings.hpp"
#include "report/console.hpp"
#include "report/first_screen.hpp"
#include "report/kernel_table.hpp"

namespace kjoule {

void ComparisonScreen::print_times(const Comparison& comparison) {
  verdict_ = verdict_screen(comparison);
  print_text(times_screen(comparison) + verdict_);
}

void ComparisonScreen::print_energy(const Comparison& comparison) {
  has_energy_ = true;
  print_text(energy_screen(comparison));
}

void ComparisonScreen::print_rest(const Comparison& comparison) {
  if (verdict_.empty()) print_times(comparison);
  if (!has_energy_) print_energy(comparison);
  std::string text;
  // The verdict changes if the loop's iterations turn out to differ after the times were printed.
  if (verdict_screen(comparison) != verdict_) text += verdict_ = verdict_screen(comparison);
  Comparison named = comparison;
  named.findings = findings_of(comparison, options_.style);
  text += notes_screen(named);
  if (options_.has_details)
    text += "\n" + comparison_text(named, options_.most_details, options_.style);
  else if (named.ranks.empty())
    text += largest_kernels(named, options_.most_kernels, options_.style);
  print_text(text);
}

}  // namespace kjoule
