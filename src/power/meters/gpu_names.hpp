#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// The names that logs and tools use for one GPU. Names that are not known are empty.
struct GpuNames {
  std::string index;   ///< number of the GPU for NVML and nvidia-smi
  std::string uuid;    ///< "GPU-..."
  std::string bus_id;  ///< PCI bus ID: "00000000:0B:00.0"
  std::string board;   ///< name of the board, which several GPUs may have: "NVIDIA H200"
};

/// Returns the names of all GPUs that NVML lists; none if NVML is not available.
std::vector<GpuNames> list_gpu_names();
/// Returns the names of the GPU with this UUID; only the UUID if it is not in `gpus`.
GpuNames gpu_with_uuid(const std::string& uuid, const std::vector<GpuNames>& gpus);

/// Returns whether two texts name a GPU in the same way: letters may be lower or upper case, a UUID may lack
/// the prefix "GPU-", and a PCI bus ID may have a shorter domain or none.
bool is_same_gpu_name(std::string_view one, std::string_view other);
/// Returns whether the text is a name of this GPU. The name of the board counts only if no other GPU in
/// `gpus` has it.
bool names_gpu(std::string_view text, const GpuNames& gpu, const std::vector<GpuNames>& gpus);

}  // namespace kjoule
