#include "base/files/private_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

std::string why_foreign(const fs::path& path) {
  struct stat link {};
  struct stat target {};
  if (lstat(path.c_str(), &link) != 0) return {};
  // Another user may have created a link to a folder of this user.
  if (link.st_uid != geteuid()) return path.string() + " belongs to another user";
  if (stat(path.c_str(), &target) != 0) return {};
  if (target.st_uid != geteuid()) return path.string() + " belongs to another user";
  if ((target.st_mode & (S_IWGRP | S_IWOTH)) != 0) return path.string() + " can be written by other users";
  return {};
}

}  // namespace

std::string why_not_private(const fs::path& folder) {
  if (std::string why = why_foreign(folder); !why.empty()) return why;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (std::string why = why_foreign(entry.path()); !why.empty()) return why;
  return {};
}

void make_private_folder(const fs::path& folder) {
  fs::path made;
  for (const fs::path& part : folder) {
    made /= part;
    if (fs::is_directory(made)) continue;
    if (mkdir(made.c_str(), S_IRWXU) != 0 && errno != EEXIST)
      throw Error(made.string() + ": the folder cannot be created: " + std::strerror(errno),
                  "check its permissions");
  }
}

}  // namespace kjoule
