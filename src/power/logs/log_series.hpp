#pragma once
#include <optional>
#include <string>
#include <vector>

#include "power/calibration.hpp"
#include "power/logs/power_log.hpp"

namespace kjoule {

/// The user's choice among the series of a log.
struct SeriesChoice {
  /// Index or other name of each GPU in the log; "all" for all of them.
  std::vector<std::string> gpus;
  std::vector<std::string> names;  ///< names of series (PowerSeries::name)
};

/// Returns the chosen series, whose powers are to be added. Without a choice, these are all meters of a
/// WattsUp log, or the only GPU or series of another log. Throws Error if a chosen series does not exist or
/// is chosen twice, or if none was chosen and there are several.
std::vector<const PowerSeries*> chosen_series(const PowerLog& log, const SeriesChoice& choice);

/// Properties of the power in a log that follow from the log's format.
struct LogFacts {
  std::string scope;               ///< the part of the machine whose power the log contains
  std::optional<double> accuracy;  ///< systematic error of all readings, as a share; absent if unknown
  std::string accuracy_from;       ///< who states the accuracy
  std::optional<Calibration> calibration{};  ///< of the meter, if the user has calibrated it
};
/// Returns the properties of a log's power.
LogFacts log_facts(const PowerLog& log);

}  // namespace kjoule
