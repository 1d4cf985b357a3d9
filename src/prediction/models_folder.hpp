#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace kjoule {

/// The folder in which trained models are kept. Without a folder, models are trained in each run.
struct ModelsFolder {
  std::optional<std::filesystem::path> path;
  std::string why_none;  ///< why there is no folder, with a remedy; empty if there is one
};

/// Returns the folder kjoule/models/`name` in the user's cache ($XDG_CACHE_HOME or ~/.cache). It is created
/// with access for this user only. There is no folder if the cache is not known (HOME is not set), or if
/// another user may have written to the folder, which kjoule then does not trust.
ModelsFolder private_models_folder(const std::string& name);

}  // namespace kjoule
