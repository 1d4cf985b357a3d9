#include "cuda/driver/cupti.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "base/error.hpp"

namespace kjoule::cuda {

namespace {

/// The file name of CUPTI for the major version of cuda.h.
const std::string kName = "libcupti.so." + std::to_string(CUDA_VERSION / 1000);

/// Adds the folder of a library that the program has loaded, and the folders of CUPTI relative to it in
/// Python packages.
int add_folders(dl_phdr_info* info, size_t, void* out) {
  auto& folders = *static_cast<std::vector<std::string>*>(out);
  const std::filesystem::path folder = std::filesystem::path(info->dlpi_name).parent_path();
  if (folder.empty()) return 0;
  folders.push_back(folder);
  folders.push_back(folder / "../../cuda_cupti/lib");
  folders.push_back(folder / "../../nvidia/cuda_cupti/lib");
  folders.push_back(folder / "../../nvidia/cu13/lib");
  return 0;
}

std::vector<std::string> candidates() {
  std::vector<std::string> paths;
  if (const char* named = std::getenv("KJOULE_CUPTI")) return {named};
  paths.push_back(kName);
  std::vector<std::string> folders;
  dl_iterate_phdr(add_folders, &folders);
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(variable)) {
      folders.push_back(std::string(home) + "/extras/CUPTI/lib64");
      folders.push_back(std::string(home) + "/lib64");
    }
  folders.insert(folders.end(), {"/usr/local/cuda/extras/CUPTI/lib64", "/usr/local/cuda/lib64"});
  for (const std::string& name : folders)
    if (const auto file = std::filesystem::path(name) / kName; std::filesystem::exists(file))
      paths.push_back(file);
  return paths;
}

void* load(std::string& path) {
  if (void* loaded = dlopen(kName.c_str(), RTLD_NOW | RTLD_NOLOAD)) {
    path = "the program's own " + kName;
    return loaded;
  }
  for (const std::string& candidate : candidates())
    if (void* loaded = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) {
      path = candidate;
      return loaded;
    }
  throw Error("NVIDIA's profiling library CUPTI (" + kName + ") was not found",
              "install the CUDA toolkit or the Python package nvidia-cuda-cupti, or set the environment "
              "variable KJOULE_CUPTI to the library's path");
}

}  // namespace

Cupti::Cupti(CUpti_CallbackFunc callback, void* user) {
  library_ = load(path_);
  subscribe_ = find<decltype(cuptiSubscribe)>("cuptiSubscribe");
  enable_callback_ = find<decltype(cuptiEnableCallback)>("cuptiEnableCallback");
  enable_domain_ = find<decltype(cuptiEnableDomain)>("cuptiEnableDomain");
  finalize_ = find<decltype(cuptiFinalize)>("cuptiFinalize");
  result_string_ = find<decltype(cuptiGetResultString)>("cuptiGetResultString");
  stream_id_ = find<decltype(cuptiGetStreamIdEx)>("cuptiGetStreamIdEx");
  const CUptiResult result = subscribe_(&subscriber_, callback, user);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED || result == CUPTI_ERROR_MAX_LIMIT_REACHED)
    throw Error("another profiler in the program uses NVIDIA's profiling library CUPTI",
                "disable the program's own profiler");
  check(result, "cuptiSubscribe");
}

void* Cupti::symbol(const char* name) const {
  if (void* found = dlsym(library_, name)) return found;
  throw Error("the CUPTI library (" + path_ + ") lacks the function " + name,
              "use a CUPTI library of CUDA 12 or later");
}

void Cupti::enable(CUpti_CallbackDomain domain, CUpti_CallbackId id, bool on) {
  check(enable_callback_(on ? 1 : 0, subscriber_, domain, id), "cuptiEnableCallback");
}

void Cupti::enable_if_known(CUpti_CallbackId driver_call, bool on) {
  enable_callback_(on ? 1 : 0, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, driver_call);
}

void Cupti::enable_all(CUpti_CallbackDomain domain, bool on) {
  check(enable_domain_(on ? 1 : 0, subscriber_, domain), "cuptiEnableDomain");
}

uint32_t Cupti::stream_id(CUcontext context, CUstream stream) const {
  const bool is_own = stream == CU_STREAM_PER_THREAD;
  uint32_t id = 0;
  check(stream_id_(context, is_own ? nullptr : stream, is_own ? 1 : 0, &id), "cuptiGetStreamIdEx");
  return id;
}

void Cupti::check(CUptiResult result, const char* call) const {
  if (result == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  result_string_(result, &text);
  throw Error(std::string(call) + ": " + (text != nullptr ? text : "unknown error"),
              "check that the GPU driver is not older than the CUPTI library (" + path_ + ")");
}

}  // namespace kjoule::cuda
