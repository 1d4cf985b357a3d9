#include "base/process/temporary_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "base/error.hpp"
#include "base/process/run_mark.hpp"
#include "base/process/signal_handler.hpp"
#include "base/write_error.hpp"

namespace kjoule {

TemporaryFolder::TemporaryFolder() {
  const UninterruptedStep step;
  const TemporaryFolders all = temporary_folders();
  if (all.parent.empty())
    throw Error("no folder for temporary files can be used", "set TMPDIR to a folder that you may write to");
  std::string pattern = (all.parent / (all.prefix + "XXXXXX")).string();
  if (mkdtemp(pattern.data()) == nullptr) throw WriteError(pattern, errno);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void TemporaryFolders::remove() const {
  std::error_code ignored;
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(parent, ignored))
    if (entry.path().filename().string().starts_with(prefix)) found.push_back(entry.path());
  for (const auto& folder : found) std::filesystem::remove_all(folder, ignored);
}

TemporaryFolders temporary_folders() {
  std::error_code none;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(none);
  if (none) return {};
  // A forked process has the mark of its parent.
  return {std::filesystem::absolute(parent, none), fmt::format("kjoule-{}-{}-", run_mark(), getpid())};
}

void remove_temporary_folders() {
  if (const TemporaryFolders all = temporary_folders(); !all.parent.empty()) all.remove();
}

}  // namespace kjoule
