#include "prediction/models_folder.hpp"

#include <cstdlib>

#include "base/error.hpp"
#include "base/private_folder.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

/// Returns the folder that an environment variable names; empty if it names none, or a relative one, which
/// would depend on the current folder.
fs::path folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  const fs::path folder = value == nullptr ? "" : value;
  return folder.is_absolute() ? folder : fs::path();
}

fs::path cache_folder() {
  if (fs::path cache = folder_in("XDG_CACHE_HOME"); !cache.empty()) return cache;
  const fs::path home = folder_in("HOME");
  return home.empty() ? fs::path() : home / ".cache";
}

}  // namespace

ModelsFolder private_models_folder(const std::string& name) {
  const fs::path cache = cache_folder();
  if (cache.empty()) return {{}, "HOME is not set; set it, or name a folder with --models"};
  fs::path folder = cache / "kjoule" / "models" / name;
  try {
    make_private_folder(folder);
  } catch (const Error& error) {
    return {{}, error.line()};
  }
  if (const std::string why = why_not_private(folder); !why.empty())
    return {{}, why + "; remove it, or name a folder with --models"};
  return {std::move(folder), {}};
}

}  // namespace kjoule
