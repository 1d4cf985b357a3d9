#pragma once
#include <stdexcept>
#include <string>

namespace kjoule {

/// Something the user can act on: one line that names the cause, one that names the remedy.
/// Caught once, in main, which prints both on one line to stderr and exits with 1.
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

/// A command line that cannot be followed, whatever the machine and the files are like; main exits with 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace kjoule
