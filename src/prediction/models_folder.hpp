#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace kjoule {

/// The folder that keeps trained models. Without a folder, models are trained each time.
struct ModelsFolder {
  std::optional<std::filesystem::path> path;
  std::string why_none;  ///< why there is no folder, with a remedy; empty if there is one
};

/// Returns the folder `name` in the user's cache: $XDG_CACHE_HOME or ~/.cache, then kjoule/models. It is made
/// for this user only. There is none without HOME, or if another user may have written to the folder: nobody
/// named it, so it must be private.
ModelsFolder private_models_folder(const std::string& name);

}  // namespace kjoule
