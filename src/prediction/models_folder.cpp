#include "prediction/models_folder.hpp"

#include "base/error.hpp"
#include "base/files/private_folder.hpp"
#include "base/files/user_folder.hpp"

namespace kjoule {

ModelsFolder private_models_folder(const std::string& name) {
  const std::filesystem::path cache = user_folder("XDG_CACHE_HOME", ".cache");
  if (cache.empty()) return {{}, "HOME is not set; set HOME, or name a folder with --models"};
  std::filesystem::path folder = cache / "kjoule" / "models" / name;
  try {
    make_private_folder(folder);
  } catch (const Error& error) {
    return {{}, error.line()};
  }
  if (const std::string why = why_not_private(folder); !why.empty())
    return {{}, why + "; remove this folder, or name another one with --models"};
  return {std::move(folder), {}};
}

}  // namespace kjoule
