#include "base/files/user_folder.hpp"

#include <cstdlib>

namespace kjoule {

namespace {

namespace fs = std::filesystem;

/// Returns the folder that an environment variable names; empty if it names none, or a relative path.
fs::path folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  const fs::path folder = value == nullptr ? "" : value;
  return folder.is_absolute() ? folder : fs::path();
}

}  // namespace

fs::path user_folder(const char* variable, const char* in_home) {
  if (fs::path folder = folder_in(variable); !folder.empty()) return folder;
  const fs::path home = folder_in("HOME");
  return home.empty() ? fs::path() : home / in_home;
}

}  // namespace kjoule
