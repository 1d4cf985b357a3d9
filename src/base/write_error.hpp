#pragma once
#include <filesystem>
#include <string>

#include "base/error.hpp"

namespace kjoule {

/// A file that could not be written, for example because the disk is full. The cause may pass, so it is never
/// the result of a measurement: the command ends, and --resume measures again what is missing.
class WriteError : public Error {
 public:
  /// `error` is errno.
  WriteError(const std::filesystem::path& path, int error);
  /// The same error of a command that can be continued. Where the place is right but full, its remedy says
  /// how: `way_on` follows "free some space, then ".
  WriteError(const WriteError& error, const std::string& way_on);

 private:
  struct Text {
    std::string cause;
    std::string repair;     ///< what makes room; empty if the place itself is wrong
    std::string otherwise;  ///< another remedy
  };
  explicit WriteError(Text text);
  static Text text_of(const std::filesystem::path& path, int error);

  std::string repair_;
};

}  // namespace kjoule
