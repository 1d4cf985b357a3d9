#pragma once
#include <filesystem>
#include <string>

namespace kjoule {

/// Returns why another user may have written the folder or the files in it: "FOLDER belongs to another user",
/// "FILE can be written by other users". Returns an empty text if only this user can have written them, or if
/// there is no such folder.
std::string why_not_private(const std::filesystem::path& folder);

/// Creates a folder, and its parent folders, for this user only (mode 0700). Throws Error if that fails.
void make_private_folder(const std::filesystem::path& folder);

}  // namespace kjoule
