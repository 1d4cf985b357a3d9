#include "prediction/models_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "base/process/temporary_folder.hpp"

namespace kjoule {
namespace {

TEST(PrivateModelsFolder, IsInTheUsersCache) {
  const TemporaryFolder home;
  setenv("XDG_CACHE_HOME", home.path().c_str(), 1);
  EXPECT_EQ(private_models_folder("gpu").path, home / "kjoule/models/gpu");
  EXPECT_TRUE(std::filesystem::is_directory(home / "kjoule/models/gpu"));
  setenv("XDG_CACHE_HOME", "relative", 1);
  setenv("HOME", home.path().c_str(), 1);
  EXPECT_EQ(private_models_folder("gpu").path, home / ".cache/kjoule/models/gpu");
}

TEST(PrivateModelsFolder, IsNoneWithoutHome) {
  unsetenv("XDG_CACHE_HOME");
  for (const char* home : {"", "relative"}) {
    setenv("HOME", home, 1);
    const ModelsFolder none = private_models_folder("gpu");
    EXPECT_FALSE(none.path);
    EXPECT_EQ(none.why_none, "HOME is not set; set HOME, or name a folder with --models");
  }
}

TEST(PrivateModelsFolder, IsNoneWhereOthersWrite) {
  const TemporaryFolder cache;
  setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
  const auto folder = cache / "kjoule/models/gpu";
  EXPECT_EQ(private_models_folder("gpu").path, folder);
  chmod(folder.c_str(), 0777);
  EXPECT_FALSE(private_models_folder("gpu").path);
  EXPECT_EQ(private_models_folder("gpu").why_none,
            folder.string() +
                " can be written by other users; remove this folder, or name another one with --models");
}

}  // namespace
}  // namespace kjoule
