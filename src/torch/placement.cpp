#include "torch/placement.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/error.hpp"

namespace kjoule::runner {

namespace {

constexpr const char* kCudaHalf = "libtorch_cuda.so";

int note_torch(dl_phdr_info* library, size_t, void* found) {
  const std::filesystem::path path = library->dlpi_name;
  if (path.filename() != "libtorch_cpu.so") return 0;
  *static_cast<std::filesystem::path*>(found) = path.parent_path();
  return 1;
}

/// Returns the folder of the torch library that this process has loaded.
std::filesystem::path torch_library_folder() {
  std::filesystem::path found;
  dl_iterate_phdr(note_torch, &found);
  return found;
}

/// Loads torch's CUDA library, whose kernels and hooks register themselves. Its symbols are global, because
/// the compiled code of packages searches for them.
void load_cuda_half() {
  const std::filesystem::path folder = torch_library_folder();
  if (!std::filesystem::exists(folder / kCudaHalf))
    throw Error(fmt::format("the torch package in {} was built without CUDA", folder.string()),
                "use --device cpu, or set KJOULE_TORCH to a torch package with CUDA and build kjoule again");
  if (dlopen((folder / kCudaHalf).c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
    throw Error(fmt::format("torch's CUDA library cannot be loaded: {}", dlerror()),
                "check that python3 -c 'import torch; torch.cuda.init()' works");
}

}  // namespace

c10::Device open_device(const std::string& name) {
  if (name == "cpu") return at::kCPU;
  int number = 0;
  const auto numbered =
      std::from_chars(name.data() + std::min<size_t>(5, name.size()), name.data() + name.size(), number);
  const bool has_number = name.starts_with("cuda:") && numbered.ec == std::errc() &&
                          numbered.ptr == name.data() + name.size() && number >= 0;
  if (name != "cuda" && !has_number)
    throw Error("--device " + name + ": not known", "use cpu, cuda, or cuda:N for GPU N");
  load_cuda_half();
  const c10::impl::VirtualGuardImpl cuda(at::kCUDA);
  const c10::DeviceIndex devices = cuda.deviceCount();
  if (devices == 0)
    throw Error("torch finds no GPU on this machine",
                "use --device cpu; kjoule doctor reports what is missing");
  if (number >= devices)
    throw Error(fmt::format("--device {}: torch finds {} GPUs", name, int{devices}),
                "give the number of a GPU, counted from 0");
  const c10::Device device(at::kCUDA, static_cast<c10::DeviceIndex>(number));
  if (number > 0) cuda.setDevice(device);
  return device;
}

void synchronize(c10::Device device) {
  if (!device.is_cpu()) c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
}

bool is_device_usable(c10::Device device) {
  try {
    synchronize(device);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

std::string backend_name(c10::Device device) {
  return device.is_cpu() ? "the CPU" : "CUDA";
}

}  // namespace kjoule::runner
