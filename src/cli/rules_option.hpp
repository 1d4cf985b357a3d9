#pragma once
#include <CLI/CLI.hpp>

#include <string>

#include "recording/kernel_rules.hpp"

namespace kjoule {

/// The rules by which a command says what kernels are: kjoule's own, behind those in the user's file.
class RulesOption {
 public:
  void declare(CLI::App& app) {
    app.add_option("--rules", file_,
                   "file with rules of your own for tiers and categories (docs/reference/formats.md)");
  }
  /// Throws Error for a file that cannot be read.
  KernelRules read() const { return file_.empty() ? KernelRules() : KernelRules::with(file_); }

 private:
  std::string file_;
};

}  // namespace kjoule
