#pragma once
#include <filesystem>

namespace kjoule {

/// Returns the user's folder for one kind of file: the one that the environment variable names
/// ("XDG_CACHE_HOME"), otherwise `in_home` (".cache") in the home folder. Empty if neither is an absolute
/// path: a relative one would depend on the current folder.
std::filesystem::path user_folder(const char* variable, const char* in_home);

}  // namespace kjoule
