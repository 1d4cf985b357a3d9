#pragma once
#include <string>

namespace stand_in {

/// Power of a device while a kernel waits for other devices, W.
constexpr double kWaiting_w = 150;

/// Returns the power of a device while it runs a kernel, W: "add" 400, "scale" 250, kernels of NCCL 300, all
/// others 200.
double power_of(const std::string& kernel);

/// Wakes the links of the running device to other devices. They sleep after slowness() x 60 us without use.
/// While they are awake, the device consumes FAKE_CUDA_LINKS_W more (0 by default).
void use_links();

/// Adds virtual time with a constant power to the device's energy, which the stand-in for NVML reads. Does
/// nothing unless FAKE_CUDA_ENERGY names a folder.
void spend(double ns, double watts);

}  // namespace stand_in
