#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/process/program.hpp"
#include "device/device.hpp"
#include "device/injection_options.hpp"
#include "device/ranked_device.hpp"
#include "device/sample_protocol.hpp"
#include "device/waiting_program.hpp"
#include "power/meters/meter.hpp"
#include "recording/replay_call.hpp"

namespace kjoule {

/// The program to measure and its device: a model, or any program that uses CUDA, started or running.
struct SubjectOptions {
  std::string model;
  /// File of a recording with which the launches are compared. Options that are not given are taken from it,
  /// but not the model or program.
  std::string recording;
  std::string device = "auto";
  std::optional<int64_t> seq_len;
  std::optional<int64_t> batch;
  std::vector<std::string> inputs;
  uint64_t seed = 0;
  int threads = 0;
  std::vector<std::string> allowed_operators;  ///< beyond those that files may name (RunnerWork)
  std::vector<std::string> program;            ///< command line of a program, instead of a model
  WantedProgram attach;                        ///< running program, instead of a model
  InjectionOptions injection;
  ProgramStreams streams;  ///< of the program

  /// Returns whether a program is measured, not a model.
  bool is_program() const { return !program.empty() || attach.is_given(); }
};

/// A program on a device, which can be recorded and measured.
struct Subject {
  std::unique_ptr<Device> device;
  RankedDevice* ranks = nullptr;  ///< the device, if it is that of a program that may have several ranks
  const Clock* clock = nullptr;   ///< clock of the measurements, which exists as long as the device
  /// Sets a virtual clock to the time at which a killed run ended. It does nothing to a real clock.
  std::function<void(int64_t)> continue_at = [](int64_t) {};
  /// Sets a device in virtual time back to that time and begins this round as on a new device, so that what
  /// follows repeats to the bit. The function is empty for other devices.
  std::function<void(int64_t now_ns, int round)> restart{};
  /// Waits for that many seconds, in which the device is idle.
  std::function<void(double)> let_pass = [](double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  };
  /// Description that identifies the program: a run of another program cannot be resumed with this one.
  nlohmann::json program;
  std::string title;
  /// Number of threads of the program; 0 if the machine's load does not matter.
  int threads = 0;
  std::optional<Recording> expected;  ///< recording that was given with --recording
  /// Returns the meters of a device that has its own (the simulated device). The function is empty for other
  /// devices.
  std::function<std::vector<std::unique_ptr<Meter>>()> own_meters{};
  /// Gives up the device, waits until a user's program ends by itself and returns its exit code.
  std::function<int()> run_to_end = [] { return 0; };
  /// Gives up the device and waits for so many seconds until a user's program ends by itself. Returns its
  /// exit code; nothing if it runs on.
  std::function<std::optional<int>(double)> run_for = [](double) { return 0; };

  /// Returns whether the iteration was recorded by several ranks.
  bool has_ranks() const { return ranks != nullptr && !ranks->ranks().empty(); }
  /// Closes the device and ends the program, so that later work does not share the device with it.
  void close() {
    device.reset();
    ranks = nullptr;
    run_to_end = [] { return 0; };
    run_for = [](double) { return 0; };
  }
};

/// Opens the program on its device. Throws Error for a missing model, an unknown device, a child process that
/// cannot start, and a program that ends before it uses CUDA.
Subject open_subject(SubjectOptions options);

/// Opens the program for a command that needs its launches. If they cannot be recorded, it throws the
/// device's Error now, before anything is measured or an older folder is moved.
Subject open_recordable_subject(SubjectOptions options);

/// Throws Error if the model is not a file.
void need_model_file(const SubjectOptions& options);
/// Returns the device of kjoule-torch, "cpu" or "cuda". Throws Error for other devices.
std::string device_for_runner(const SubjectOptions& options);
/// Opens calls, each of which is made once per iteration, on the CPU or a GPU. `source` is the table that
/// contains them. Throws Error as open_subject() does.
Subject open_calls(SubjectOptions options, std::vector<ReplayCall> calls, const std::string& source);
/// Opens matrix products, each of which cuBLAS computes once per iteration on a GPU. Throws Error as
/// open_subject() does.
Subject open_products(SubjectOptions options, std::vector<ReplayCall> products, const std::string& source);
/// Opens sampled operators, each of which runs once per iteration, forward and backward. If
/// `options.injection.gpu` is set, they run on the GPU of that number. Throws Error as open_subject() does.
Subject open_sampled_operators(SubjectOptions options, std::vector<SampleRequest> operators);

}  // namespace kjoule
