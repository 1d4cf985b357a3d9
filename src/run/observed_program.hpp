#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "device/injection_options.hpp"
#include "recording/loop_iterations.hpp"
#include "recording/recording.hpp"
#include "recording/run_log.hpp"
#include "run/run_energy.hpp"

namespace kjoule {

/// A program that ran to its end while it was observed.
struct ObservedProgram {
  int exit_code = 0;           ///< the program's own, or 128 + signal
  RunLog log;                  ///< of the process with the most device operations
  size_t other_processes = 0;  ///< further processes that used CUDA; they are not in the log
  RunEnergy energy;            ///< of the GPU of the log, over the run
};

/// Reads what the injected library logged of a program in the folder InjectionOptions::run_log; nothing if no
/// process used CUDA. Of `options`, `gpu` selects the device whose operations are kept. `meter` was stopped
/// after the program had ended. The exit code is not set.
std::optional<ObservedProgram> read_observed_program(const std::filesystem::path& folder,
                                                     const InjectionOptions& options,
                                                     const RunEnergyMeter& meter);

/// Reads what the injected library has logged so far of a program that may still run, in the folder
/// InjectionOptions::run_log. `gpu` selects the device whose operations are kept. Returns nothing if no
/// operation of the device was logged yet.
std::optional<RunLog> read_log_so_far(const std::filesystem::path& folder, std::optional<int> gpu);

/// Returns how much the iterations differ of the loop that a recorded program was in, as far as the injected
/// library has logged them so far (read_log_so_far()); nothing if the iteration was not found by its
/// repetition, or if the log is larger than 512 MiB. If several ranks were recorded, the log of the one that
/// the recording names is read.
std::optional<IterationSpread> read_iteration_spread(const std::filesystem::path& folder,
                                                     std::optional<int> gpu, const Recording& recording);

/// Runs a program to its end and returns what it did on the device. The program is never paused, and its
/// input and output are this process's. Of `options`, `rank` selects a process, and `gpu` the device whose
/// operations are kept. Throws Error if it cannot be started, or used no CUDA.
ObservedProgram observe_program(const std::vector<std::string>& command, InjectionOptions options);

}  // namespace kjoule
