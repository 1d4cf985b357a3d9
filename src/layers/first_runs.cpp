#include "layers/first_runs.hpp"

#include <algorithm>
#include <numeric>

#include "base/process/terminal.hpp"
#include "base/write_error.hpp"
#include "layers/expected_cost.hpp"
#include "run/tried_calls.hpp"

namespace kjoule {

namespace {

std::vector<ReplayCall> calls_of(const Network& network) {
  std::vector<ReplayCall> calls;
  for (const Layer& layer : network.layers) calls.emplace_back(layer.call);
  return calls;
}

}  // namespace

FirstRuns::FirstRuns(const Network& network, const SubjectOptions& subject, const std::string& source,
                     RestartedRunner runner, const RunOptions& folder)
    : network_(network),
      calls_(calls_of(network)),
      runner_(std::move(runner)),
      lock_(folder.claim()),
      rows_(folder.open_rows()) {
  begin_rows(
      rows_,
      {{"kind", "first_runs"}, {"command", "layers"}, {"program", describe_calls(subject, calls_, source)}},
      {"command", "program"});
}

MeasuredRoof FirstRuns::roof(const std::string& type, std::map<std::string, MeasuredRoof>& known) {
  if (const auto row = rows_.rows().first<MeasuredRoof>()) return *row;
  const auto found = known.find(type);
  const MeasuredRoof measured = found == known.end() ? measure_roof(type) : found->second;
  if (measured.roof) known[type] = measured;
  rows_.append(stored_row(measured));
  return measured;
}

MeasuredRoof FirstRuns::measure_roof(const std::string& type) {
  MeasuredRoof measured;
  try {
    measured.roof = runner_.ready().roof(type);
  } catch (const WriteError&) {
    throw;
  } catch (const Error& error) {
    measured.error = error.line();
  }
  return measured;
}

void FirstRuns::run(const std::optional<Roof>& roof) {
  const std::vector<double> shares = layer_shares(network_, roof);
  double done = 0;
  const auto progress = make_progress();
  progress->stage("running each layer once");
  for (size_t i = 0; i < calls_.size(); ++i) {
    done += shares[i];
    if (i < rows_.rows().count<FirstRun>()) continue;
    TriedCall tried = try_call(runner_, calls_[i]);
    rows_.append(stored_row(FirstRun{i, network_.layers[i].name, tried.seconds, std::move(tried.error)}));
    progress->update(done);
  }
  progress->finish();
}

std::map<size_t, std::string> FirstRuns::refused() const {
  std::map<size_t, std::string> refused;
  for (const FirstRun& run : rows_.rows().all<FirstRun>())
    if (!run.seconds) refused[run.layer] = run.error;
  return refused;
}

double FirstRuns::iteration_s() const {
  double sum_s = 0;
  for (const FirstRun& run : rows_.rows().all<FirstRun>()) sum_s += run.seconds.value_or(0);
  return sum_s;
}

}  // namespace kjoule
