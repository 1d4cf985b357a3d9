#include "base/process/terminal.hpp"
#include "cli/options/baseline_source.hpp"
#include "cli/options/command.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/full_names_option.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/page_file.hpp"
#include "cli/options/printed.hpp"
#include "cli/options/share.hpp"
#include "compare/changes/difference.hpp"
#include "page/difference_page.hpp"
#include "report/difference_columns.hpp"
#include "report/difference_files.hpp"
#include "report/difference_text.hpp"

namespace kjoule {

namespace {

/// Exit codes of --fail-above and --fail-energy-above if the whole rose by more than the limit, and if the
/// intervals are too wide to decide. The exit code is 0 otherwise.
constexpr int kChanged = 3, kInconclusive = 4;

class Diff final : public Command {
 public:
  std::string name() const override { return "diff"; }
  std::string help() const override {
    return "shows what changed between two measurements, in time, energy and power, by kernel and layer";
  }
  std::string example() const override { return "kjoule diff base.json results --fail-above 2%"; }
  std::vector<TableColumns> tables() const override { return {difference_columns()}; }
  void declare(CLI::App& app) override {
    input_file(
        app.add_option("before", before_,
                       "earlier measurement: results folder of kjoule compare or kjoule layers, or file of "
                       "kjoule baseline"))
        ->required();
    input_file(
        app.add_option("after", after_, "later measurement: results folder or file of kjoule baseline"))
        ->required();
    app.add_option("--fail-above", time_limit_,
                   "exit with code 3 if the time of the whole iteration rose by more than this share, such "
                   "as 2%, and with 4 if the confidence intervals are too wide to decide; default: no limit");
    app.add_option("--fail-energy-above", energy_limit_,
                   "the same limit for the energy of the whole iteration, such as 5%; default: no limit");
    app.add_option("--top", top_, "number of changed kernels and layers to show")
        ->capture_default_str()
        ->check(whole_number(0, kMostShown));
    full_names_.declare(app);
    printed_.declare(app, "print a JSON object instead of the tables", "print kernels and layers as CSV");
    app.add_flag("--markdown", markdown_, "print Markdown, for a comment in a code review")
        ->excludes("--json")
        ->excludes("--csv");
    page_.declare(app);
  }
  int run() override {
    const ChangeLimits limits{limit(time_limit_, "--fail-above"),
                              limit(energy_limit_, "--fail-energy-above")};
    const Difference difference =
        compare_baselines(read_baseline_source(before_), read_baseline_source(after_));
    const DifferenceStyle style{static_cast<size_t>(top_), full_names_.style(), limits};
    printed_.print(
        [&] { return difference_json(difference, limits); }, [&] { return difference_csv(difference); },
        [&] {
          return markdown_ ? difference_markdown(difference, style) : difference_text(difference, style);
        });
    if (page_.is_requested()) page_.write(difference_page(difference, limits));
    return limits.are_given() ? exit_code(difference.rose_above(limits)) : 0;
  }

 private:
  static std::optional<double> limit(const std::string& text, const char* option) {
    return text.empty() ? std::nullopt : std::optional(share(text, option));
  }
  static int exit_code(ChangeVerdict verdict) {
    if (verdict == ChangeVerdict::not_changed) return 0;
    return verdict == ChangeVerdict::changed ? kChanged : kInconclusive;
  }

  std::string before_, after_, time_limit_, energy_limit_;
  int top_ = 20;
  FullNamesOption full_names_;
  Printed printed_;
  bool markdown_ = false;
  PageFile page_;
};

}  // namespace

std::unique_ptr<Command> diff_command() {
  return std::make_unique<Diff>();
}

}  // namespace kjoule
