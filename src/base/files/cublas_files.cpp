#include "base/files/cublas_files.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

namespace kjoule {

const char* named_cublas() {
  return std::getenv("KJOULE_CUBLAS");
}

std::vector<std::string> cublas_files(const std::string& name, int major) {
  if (const char* named = named_cublas()) {
    std::string path = named;
    const size_t begin = path.rfind("libcublas.");
    if (begin != std::string::npos) path.replace(begin, std::strlen("libcublas"), "lib" + name);
    return {path};
  }
  const std::string file = fmt::format("lib{}.so.{}", name, major);
  return {file, "/usr/local/cuda/lib64/" + file, fmt::format("/usr/local/cuda-{}/lib64/{}", major, file)};
}

}  // namespace kjoule
