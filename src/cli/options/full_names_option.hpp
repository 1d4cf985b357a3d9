#pragma once
#include <CLI/CLI.hpp>

#include "report/kernel_names.hpp"

namespace kjoule {

/// The option --full-names. JSON and CSV have full and short names in any case.
class FullNamesOption {
 public:
  void declare(CLI::App& app) {
    app.add_flag("--full-names", full_, "show the full names of kernels instead of short ones");
  }
  NameStyle style() const { return full_ ? NameStyle::full : NameStyle::shortened; }

 private:
  bool full_ = false;
};

}  // namespace kjoule
