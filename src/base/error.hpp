#pragma once
// The module base contains what every other module uses, and depends on no other module. Its root contains
// errors (Error, WriteError) and the clock. The folders text, json, numbers, process and files are described
// in their CMakeLists.txt. Read first: Error, and json/json_fields.hpp, which converts structs to JSON for
// files and messages.

#include <stdexcept>
#include <string>

namespace kjoule {

/// An error that the user can act on, with its cause and its remedy. The function main() prints both on one
/// line of stderr and exits with 1.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& cause, std::string remedy = {})
      : std::runtime_error(cause), remedy_(std::move(remedy)) {}
  const std::string& remedy() const { return remedy_; }
  /// Returns cause and remedy on one line.
  std::string line() const { return remedy_.empty() ? what() : std::string(what()) + "; " + remedy_; }

 private:
  std::string remedy_;
};

/// An error in the command line itself, independent of the machine and of files; main() exits with 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace kjoule
