#include "cli/compare/compare_arguments.hpp"

#include "cli/options/allowed_operators.hpp"
#include "cli/options/numbers.hpp"
#include "cli/options/share.hpp"

namespace kjoule {

namespace {

/// Defaults of --top: kernels on the first screen, and with -v and in JSON.
constexpr int kOnFirstScreen = 5, kInDetails = 20;

}  // namespace

void CompareArguments::declare(CLI::App& app) {
  // A loop of less than 5 s may be one of several loops that alternate.
  subject.injection.loop_s = 5;
  subject.declare(app);
  subject.declare_other_ranks(app);
  run.declare_runs(app);
  run.declare_items(app);
  run.declare_folder(app);
  app.add_option(
         "--within", within,
         "largest difference between the kernels' summed time and the iteration's time, as a share of the "
         "latter: the verdict is 'adds up' if the 95 % interval of the difference is within this share")
      ->capture_default_str();
  app.add_option("--precision", precision,
                 "measure until the half-width of the sum's 95 % interval is below this share of the "
                 "iteration's time, "
                 "but no longer than --time-limit")
      ->capture_default_str();
  app.add_option(
         "--time-limit", rounds.time_limit_s,
         "longest time in seconds for measuring the kernels within the iteration; default: 10 on a CPU, "
         "8 to 15 on a GPU (longer for longer iterations). If the program ends before an iteration is "
         "found: longest time for all phases (loops and single passes) of its run together; default: 30, "
         "of which the rounds of each phase get at most 8 s plus the time of 800 of its iterations")
      ->check(duration());
  const CLI::Option* search =
      app.add_option(
             "--search-seconds", search_s,
             "longest time in seconds, from the program's first launch, of the search for a loop that fills "
             "80 % of the program's time; seconds in which the program launches nothing (it compiles or "
             "loads data) are not counted, up to three times this time; if there is no such loop, windows of "
             "launches are measured while the program runs, with pauses of at most --time-limit seconds in "
             "total (default: 30)")
          ->capture_default_str()
          ->check(duration());
  subject.for_programs.push_back(search);
  for_started.push_back(search);
  declare_starts(app);
  app.add_flag("--check", check,
               "exit with code 3 if the sum of the kernels does not add up to the iteration's time, with 4 "
               "if the result is inconclusive, and with 5 if the program ended before an "
               "iteration was found and less than 95 % of its GPU time was replayed");
  app.add_option("--top", top, "number of kernels to show; default: 5, or 20 with -v and in JSON")
      ->check(whole_number(0, kMostShown));
  app.add_flag("-v,--verbose", verbose, "also print all checks, and tables of times and energies by kernel");
  full_names.declare(app);
  timeline.declare(app);
  page.declare(app);
  replay.declare(app);
  declare_allowed_operators(app, subject.allowed_operators)->needs(app.get_option("--kernels"));
  rules.declare(app);
  energy.declare(app);
  energy.of_sums.push_back(app.add_option("--energy-within", energy_within,
                                          "largest difference between the kernels' summed energy and the "
                                          "iteration's energy, as a share of the latter (see --within)")
                               ->group("Energy")
                               ->capture_default_str()
                               ->excludes(app.get_option("--no-energy")));
  energy.declare_block(app,
                       "shortest time in seconds for which the whole iteration and each of the largest "
                       "kernels (on a CPU also the other kernels together) are repeated, so that a power log "
                       "has enough readings; default: 10 readings of the meter that --power-source or "
                       "--power-log names; without a meter, they are not repeated");
  energy.declare_block_kernels(app);
  energy.declare_align(app);
  printed.declare(app, "print comparison_report.json instead of the table",
                  "print the kernels as CSV instead of the table");
  for_started.push_back(app.get_option("--kernels"));
}

void CompareArguments::declare_starts(CLI::App& app) {
  const CLI::Option* several = app.add_option("--starts", starts,
                                              "number of times the program is started; the sum of the "
                                              "kernels in the first start is compared with the "
                                              "time of the iteration in every other start")
                                   ->capture_default_str()
                                   ->check(whole_number(1, kMostStarts));
  const CLI::Option* only_once = app.add_flag(
      "--once", once,
      "start the program only once: if it ends before an iteration is "
      "found, do not start it again to measure the phases of its run (its loops and single passes)");
  const CLI::Option* with_energy =
      app.add_option("--energy-phases", energy_phases,
                     "number of phases whose kernels' energy is measured, if the program ends before an "
                     "iteration is found; the longest phases come first")
          ->capture_default_str()
          ->check(whole_number(0, kMostShown));
  subject.for_programs.insert(subject.for_programs.end(), {only_once, with_energy});
  for_started.insert(for_started.end(), {several, only_once, with_energy});
}

size_t CompareArguments::most_details() const {
  return static_cast<size_t>(top.value_or(kInDetails));
}

ComparisonScreen CompareArguments::new_screen() const {
  return ComparisonScreen(
      {static_cast<size_t>(top.value_or(kOnFirstScreen)), most_details(), verbose, full_names.style()});
}

EnergyOptions CompareArguments::energy_options() const {
  return {share(energy.precision, "--energy-precision"), energy.time_limit_s};
}

RequestedAgreement CompareArguments::requested() const {
  return {share(within, "--within"), share(energy_within, "--energy-within")};
}

bool CompareArguments::may_measure_windows() const {
  return !subject.program.empty() && !subject.selects_iteration() && subject.recording.empty() &&
         run.resume.empty() && starts == 1 && !replay.asked();
}

WindowLimits CompareArguments::window_limits() const {
  WindowLimits limits;
  limits.search_s = search_s;
  if (rounds.time_limit_s > 0) limits.paused_s = rounds.time_limit_s;
  return limits;
}

PhaseBudget CompareArguments::phase_budget() const {
  PhaseBudget budget;
  if (rounds.time_limit_s > 0) budget.time_limit_s = rounds.time_limit_s;
  return budget;
}

}  // namespace kjoule
