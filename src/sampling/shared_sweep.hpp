#pragma once
#include <string>
#include <vector>

#include "sampling/chosen_gpus.hpp"
#include "sampling/sweep_part.hpp"

namespace kjoule {

/// Measures the samples of a part as sample_sweep() does, but on several GPUs, which share the samples
/// (SampleQueue). A process of `worker_command` runs on each GPU and calls serve_queue(); "{fd}" in the
/// command is replaced by the descriptor of its socket. Only this process writes files.
///
/// If a GPU cannot be used, or no longer, the others measure its samples; GpuShare::lack has the reason.
/// Throws Error if the GPUs are of different kinds, or if no GPU is left; the rows that were complete are
/// kept.
SweepOutcome sample_on_gpus(const SamplingConfiguration& configuration, const SamplingOptions& options,
                            const std::vector<ChosenGpu>& gpus,
                            const std::vector<std::string>& worker_command);

}  // namespace kjoule
