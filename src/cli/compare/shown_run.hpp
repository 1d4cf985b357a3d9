#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "report/run_reports.hpp"
#include "run/observed_program.hpp"

namespace kjoule {

/// Returns an observed program as it is shown, with its command line as the title. `observed` and `summary`
/// must exist as long as the result.
inline ShownRun shown_run(const std::vector<std::string>& command, const ObservedProgram& observed,
                          const RunSummary& summary) {
  return {fmt::format("{}", fmt::join(command, " ")), observed.log, summary, observed.other_processes,
          observed.energy};
}

}  // namespace kjoule
