#pragma once
#include <filesystem>
#include <string>

#include "base/error.hpp"

namespace kjoule {

/// A file could not be written, for example because the disk is full. Since the cause is usually temporary,
/// this error is never recorded as the result of a measurement: the command ends, and --resume continues it.
class WriteError : public Error {
 public:
  /// `error` is errno.
  WriteError(const std::filesystem::path& path, int error);
  /// The file `path` cannot be written for the reason `why`, a clause that follows "PATH: ".
  WriteError(const std::filesystem::path& path, const std::string& why, const std::string& remedy);
  /// The same error in a command that can be continued. `way_on` states how the user continues the command.
  /// If the user can remove the cause, the remedy is the repair, ", then " and `way_on`: "free some space,
  /// then repeat the command".
  WriteError(const WriteError& error, const std::string& way_on);

 private:
  struct Text {
    std::string cause;
    /// States how the user removes the cause; empty if the user can only choose another path.
    std::string repair;
    std::string otherwise;  ///< another remedy; may be empty
  };
  explicit WriteError(Text text);
  static Text text_of(const std::filesystem::path& path, int error);

  std::string repair_;
};

}  // namespace kjoule
