#pragma once
#include <optional>
#include <string>
#include <vector>

#include "power/logs/power_log.hpp"

namespace kjoule {

/// Which series of a log are meant.
struct SeriesChoice {
  std::vector<std::string> gpus;   ///< their index, or whatever names them in the log; "all" for every one
  std::vector<std::string> names;  ///< of series, as PowerSeries names them
};

/// The series that are meant; several are to be added up. With nothing chosen: all meters of a WattsUp log,
/// the one GPU of another. Throws Error when there is no such series, or several GPUs to choose from.
std::vector<const PowerSeries*> chosen_series(const PowerLog& log, const SeriesChoice& choice);

/// What stands behind the numbers of a log's format.
struct LogFacts {
  std::string scope;                  ///< whose power it is
  std::optional<double> averaging_s;  ///< over which the meter averages, where that is known
};
LogFacts log_facts(const PowerLog& log);

}  // namespace kjoule
