#pragma once
#include <filesystem>

namespace kjoule {

/// Returns the user's folder for one kind of file: the folder that the environment variable `variable`
/// ("XDG_CACHE_HOME") names; if the variable is not set, the folder `in_home` (".cache") in the home folder.
/// Relative paths are ignored, because they would depend on the current folder. Returns an empty path if
/// neither folder is known.
std::filesystem::path user_folder(const char* variable, const char* in_home);

}  // namespace kjoule
