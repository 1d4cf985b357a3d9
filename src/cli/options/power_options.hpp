#pragma once
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "power/meters/power_source.hpp"

namespace kjoule {

/// Command-line options that select meters: --source, --port, --gpu, and the columns of a CSV file.
struct PowerOptions {
  std::string source{};  ///< empty: the first source that works
  std::vector<std::string> gpus{};
  PowerSourceOptions places{};

  void declare(CLI::App& app);
};

/// A source and those of its meters that are to be read.
struct ChosenMeters {
  std::unique_ptr<PowerSource> source;
  std::vector<FoundMeter> found;

  /// Opens the meters. Throws Error when one cannot be opened.
  std::vector<std::unique_ptr<Meter>> open() const;
};

/// Returns the meters that the options select. Throws Error when there is no such source or GPU.
ChosenMeters choose_meters(const PowerOptions& options);

}  // namespace kjoule
