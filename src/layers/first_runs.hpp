#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file_lock.hpp"
#include "device/roof.hpp"
#include "layers/layer.hpp"
#include "run/measured_roof.hpp"
#include "run/results_folder.hpp"
#include "run/run_rows.hpp"
#include "run/started_runner.hpp"

namespace kjoule {

/// The roof of the device, and the first run of each layer of a network, on data of its own. They show which
/// layers cannot run, and about how long one iteration takes, before the network is measured. Each has a row
/// in the folder `first_runs`, which is written at once. A resumed run repeats none of them.
class FirstRuns {
 public:
  /// Begins or continues the rows in `folder`. `source` is the user's name for the network, which must
  /// outlive the object. Throws Error if the rows are those of another network.
  FirstRuns(const Network& network, const SubjectOptions& subject, const std::string& source,
            RestartedRunner runner, const RunOptions& folder);

  /// Returns the roof, measured with tensors of type `type` ("Half"), or the reason why it was not measured.
  /// `known` has the roofs that this process measured for other networks, by type. They are not measured
  /// again, and a new one is added.
  MeasuredRoof roof(const std::string& type, std::map<std::string, MeasuredRoof>& known);
  /// Runs each layer once. `roof` only serves to estimate the remaining time.
  void run(const std::optional<Roof>& roof);

  /// Return the results of run(): the reasons why layers cannot run, by index of the layer, and the time of
  /// all layers together, s.
  std::map<size_t, std::string> refused() const;
  double iteration_s() const;

 private:
  MeasuredRoof measure_roof(const std::string& type);

  const Network& network_;
  std::vector<ReplayCall> calls_;
  RestartedRunner runner_;
  FileLock lock_;
  ResultRows rows_;
};

}  // namespace kjoule
