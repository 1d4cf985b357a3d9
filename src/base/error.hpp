#pragma once
#include <stdexcept>
#include <string>

namespace kjoule {

/// Something the user can act on: one line that names the cause, one that names the remedy.
/// Caught once, in main, which prints both on one line to stderr and exits non-zero.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& cause, std::string remedy = {})
      : std::runtime_error(cause), remedy_(std::move(remedy)) {}
  const std::string& remedy() const { return remedy_; }
  /// Cause and remedy on one line.
  std::string line() const { return remedy_.empty() ? what() : std::string(what()) + "; " + remedy_; }

 private:
  std::string remedy_;
};

}  // namespace kjoule
