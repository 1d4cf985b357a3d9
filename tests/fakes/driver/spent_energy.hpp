#pragma once
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>

namespace stand_in {

/// The virtual time for which a device has worked, and the energy that it consumed in this time. The device's
/// process and the stand-in for NVML map it from a file.
struct SpentEnergy {
  std::atomic<double> ns, nanojoules;
};

/// Maps the file of a device in the folder that FAKE_CUDA_ENERGY names. Returns null if none is named.
inline SpentEnergy* map_spent_energy(int device) {
  const char* folder = std::getenv("FAKE_CUDA_ENERGY");
  if (folder == nullptr || *folder == '\0') return nullptr;
  const int file =
      open((std::string(folder) + "/" + std::to_string(device)).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, sizeof(SpentEnergy)) != 0) std::abort();
  void* memory = mmap(nullptr, sizeof(SpentEnergy), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) std::abort();
  return static_cast<SpentEnergy*>(memory);
}

}  // namespace stand_in
