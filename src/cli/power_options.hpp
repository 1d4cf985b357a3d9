#pragma once
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "power/meters/power_source.hpp"

namespace kjoule {

/// Which meters a command reads: --source, --port, --gpu and the columns of a file.
struct PowerOptions {
  std::string source{};  ///< empty for the first that works
  std::vector<std::string> gpus{};
  PowerPlaces places{};

  void declare(CLI::App& app);
};

/// A source and those of its meters that are to be read.
struct ChosenMeters {
  std::unique_ptr<PowerSource> source;
  std::vector<FoundMeter> found;

  /// All of them; throws Error when one cannot be opened.
  std::vector<std::unique_ptr<Meter>> open() const;
};

/// Throws Error when the source is not there, or no GPU is as asked for.
ChosenMeters choose_meters(const PowerOptions& options);

}  // namespace kjoule
