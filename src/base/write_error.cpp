#include "base/write_error.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace kjoule {

namespace fs = std::filesystem;

WriteError::Text WriteError::text_of(const fs::path& path, int error) {
  const std::string cause = path.string() + ": cannot be written: ";
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return {cause + "no space left", "free some space", "choose another folder"};
    case EFBIG:
      return {cause + "the limit on the size of files is reached", "lift it (ulimit -f)", ""};
    case EACCES:
    case EPERM:
    case EROFS:
      return {cause + "not permitted", "", "choose a folder that you may write to"};
    case EMFILE:
    case ENFILE:
      return {cause + "too many files are open", "lift the limit (ulimit -n)", ""};
    case ENAMETOOLONG:
    case ELOOP:
      return {cause + std::strerror(error), "", "choose another name"};
    case EISDIR:
      return {path.string() + ": is a folder", "", "give the path of a file in it"};
    case ENOENT:
    case ENOTDIR:
      break;
    default:
      return {cause + std::strerror(error), "check the disk", "choose another folder"};
  }
  const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code ignored;
  fs::path there = fs::absolute(folder, ignored);
  while (!fs::exists(there, ignored) && there.has_relative_path()) there = there.parent_path();
  if (!fs::is_directory(there, ignored))
    return {cause + there.string() + " is not a folder", "", "choose another folder"};
  // Some file systems (/proc) report that new files do not exist, instead of refusing them.
  const bool exists = there == fs::absolute(folder, ignored);
  if (exists || access(there.c_str(), W_OK | X_OK) != 0)
    return {cause + "not permitted in " + there.string(), "", "choose a folder that you may write to"};
  return {cause + "no such folder", "", "create the folder " + folder.string() + " first"};
}

WriteError::WriteError(Text text)
    : Error(text.cause,
            text.repair + (text.repair.empty() || text.otherwise.empty() ? "" : ", or ") + text.otherwise),
      repair_(std::move(text.repair)) {}

WriteError::WriteError(const fs::path& path, int error) : WriteError(text_of(path, error)) {}

WriteError::WriteError(const fs::path& path, const std::string& why, const std::string& remedy)
    : WriteError(Text{path.string() + ": " + why, "", remedy}) {}

WriteError::WriteError(const WriteError& error, const std::string& way_on)
    : Error(error.what(),
            error.repair_.empty() ? error.remedy() : fmt::format("{}, then {}", error.repair_, way_on)),
      repair_(error.repair_) {}

}  // namespace kjoule
