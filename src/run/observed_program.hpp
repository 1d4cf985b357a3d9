#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/process/program.hpp"
#include "device/injection_options.hpp"
#include "recording/loop_iterations.hpp"
#include "recording/recording.hpp"
#include "recording/run_log.hpp"
#include "run/run_energy.hpp"

namespace kjoule {

/// A program that ran to its end while it was observed.
struct ObservedProgram {
  int exit_code = 0;           ///< exit code of the program, or 128 + number of the signal that ended it
  RunLog log;                  ///< log of the process with the most device operations
  size_t other_processes = 0;  ///< number of further processes that used CUDA; they are not in the log
  RunEnergy energy;            ///< energy of the log's GPU during the run
};

/// The log of one process of a program that has ended, and the energy of its GPU during the run.
struct ObservedProcess {
  RunLog log;
  RunEnergy energy;
};

/// A program that ran to its end while all of its processes were observed.
struct ObservedProcesses {
  int exit_code = 0;  ///< exit code of the program, or 128 + number of the signal that ended it
  /// The processes with device operations, in order of rank, then of process id. If no process has any, the
  /// one that wrote its log first. At least one.
  std::vector<ObservedProcess> processes;
  size_t others = 0;  ///< number of further processes that used CUDA
};

/// Reads the log of a program that has ended, which the injected library wrote to `folder`
/// (InjectionOptions::run_log); returns nothing if no process used CUDA. `options.gpu` selects the device
/// whose operations are kept. `meter` must have been stopped after the end of the program. The exit code is
/// not set.
std::optional<ObservedProgram> read_observed_program(const std::filesystem::path& folder,
                                                     const InjectionOptions& options,
                                                     const RunEnergyMeter& meter);

/// Reads the log of a program that may still run, as far as the injected library has written it to `folder`
/// (InjectionOptions::run_log). `gpu` selects the device whose operations are kept. Returns nothing if the
/// log has no operation of this device yet.
std::optional<RunLog> read_log_so_far(const std::filesystem::path& folder, std::optional<int> gpu);

/// Returns the spread of the iterations of the loop in which a program was recorded, from the log so far
/// (read_log_so_far()). If several ranks were recorded, reads the log of the rank of `recording`. Returns
/// nothing if the iteration was not found as a loop, or if the log is larger than 512 MiB.
std::optional<IterationSpread> read_iteration_spread(const std::filesystem::path& folder,
                                                     std::optional<int> gpu, const Recording& recording);

/// Runs a program with these standard streams to its end, and returns the logs of its processes' device
/// operations. The program is never paused. Only the operations of the process `options.rank` and
/// the device `options.gpu` are kept. Throws Error if the program cannot be started, or did not use CUDA.
ObservedProcesses observe_program(const std::vector<std::string>& command, InjectionOptions options,
                                  ProgramStreams streams);

}  // namespace kjoule
