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
#include "device/ranks.hpp"
#include "device/sample_protocol.hpp"
#include "device/waiting_program.hpp"
#include "power/meters/meter.hpp"
#include "recording/replay_call.hpp"

namespace kjoule {

/// The user's options for the work to measure and its device. The work is a model, or a CUDA program that
/// kjoule starts or to which it attaches.
struct SubjectOptions {
  std::string model;
  /// Models of ranks 1, 2, ..., which run in step with `model`, rank 0, on the CPU; empty if there is one
  /// rank.
  std::vector<std::string> other_ranks;
  /// File of a recording (--recording); empty if none was given. The launches of the work must be those of
  /// this recording. Options that the user did not give, except model and program, are read from this file.
  std::string recording;
  std::string device = "auto";
  std::optional<int64_t> seq_len;
  std::optional<int64_t> batch;
  std::vector<std::string> inputs;
  uint64_t seed = 0;
  bool fuses_operators = true;  ///< of the model (ModelWork)
  int threads = 0;
  std::vector<std::string> allowed_operators;  ///< operators that files may name in addition (RunnerWork)
  std::vector<std::string> program;            ///< command line of a program, instead of a model
  WantedProgram attach;                        ///< running program, instead of a model
  InjectionOptions injection;
  ProgramStreams streams;  ///< standard input and output of the program

  /// Returns whether a program is measured, not a model.
  bool is_program() const { return !program.empty() || attach.is_given(); }
};

/// A program or model on its device, which can be recorded and measured.
struct Subject {
  std::unique_ptr<Device> device;
  Ranks* ranks = nullptr;        ///< `device` if the program or model may have several ranks, otherwise null
  const Clock* clock = nullptr;  ///< clock of the measurements; valid as long as the device
  /// Sets a virtual clock to the given time in ns, at which an interrupted run ended. Does nothing if the
  /// clock is real.
  std::function<void(int64_t)> continue_at = [](int64_t) {};
  /// Sets a device in virtual time back to the time `now_ns`, and begins `round` as on a new device, so that
  /// all later measurements are repeated bit by bit. Empty for devices in real time.
  std::function<void(int64_t now_ns, int round)> restart{};
  /// Waits for the given number of seconds, in which the device is idle.
  std::function<void(double)> let_pass = [](double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  };
  /// Description that identifies the program. A run can only be resumed if its description is equal.
  nlohmann::json program;
  std::string title;  ///< program and device, for reports
  /// Number of CPU threads that the program uses; 0 if the load of the machine's CPU does not influence the
  /// results.
  int threads = 0;
  std::optional<Recording> expected;  ///< recording that the user gave with --recording
  /// Returns the meters that belong to the device. Only a simulated device has such meters; for any other
  /// device, the function is empty.
  std::function<std::vector<std::unique_ptr<Meter>>()> own_meters{};
  /// Releases the device, waits until the user's program has ended by itself, and returns its exit code.
  std::function<int()> run_to_end = [] { return 0; };
  /// Releases the device and waits up to the given number of seconds for the end of the user's program.
  /// Returns its exit code; nothing if it still runs.
  std::function<std::optional<int>(double)> run_for = [](double) { return 0; };

  /// Returns whether the iteration was recorded in a program with ranks.
  bool has_ranks() const { return ranks != nullptr && !ranks->ranks().empty(); }
  /// Returns whether it has ranks, each of which may have a meter of its own.
  bool has_metered_ranks() const { return has_ranks() && !ranks->share_a_meter(); }
  /// Closes the device and ends the program, so that later work does not share the device with it.
  void close() {
    device.reset();
    ranks = nullptr;
    run_to_end = [] { return 0; };
    run_for = [](double) { return 0; };
  }
};

/// Opens the program or model on its device. Throws Error if the model is missing, the device is unknown, the
/// process cannot be started, or the program ends before it uses CUDA.
Subject open_subject(SubjectOptions options);

/// Like open_subject(), for a command that needs the launches. If the launches cannot be recorded, throws the
/// device's Error now, before anything is measured or an older results folder is renamed.
Subject open_recordable_subject(SubjectOptions options);

/// Throws Error if the model is not a file.
void need_model_file(const SubjectOptions& options);
/// Returns the device on which kjoule-torch runs, "cpu" or "cuda". For the option "auto", returns "cuda" if
/// CUDA is available, otherwise "cpu". Throws Error for any other device.
std::string device_for_runner(const SubjectOptions& options);
/// Returns the description of calls in a run's rows: the device, the threads, `source`, and a hash of the
/// calls.
nlohmann::json describe_calls(const SubjectOptions& options, const std::vector<ReplayCall>& calls,
                              const std::string& source);
/// Opens calls, each of which is made once per iteration, on the CPU or a GPU. `source` is the name of the
/// table that contains them. Throws Error like open_subject().
Subject open_calls(SubjectOptions options, std::vector<ReplayCall> calls, const std::string& source);
/// Opens matrix products, each of which cuBLAS computes once per iteration on a GPU. Throws Error like
/// open_subject().
Subject open_products(SubjectOptions options, std::vector<ReplayCall> products, const std::string& source);
/// Opens sampled operators, each of which runs once per iteration, forward and backward. If
/// `options.injection.gpu` is set, the operators run on the GPU with this number. Throws Error like
/// open_subject().
Subject open_sampled_operators(SubjectOptions options, std::vector<SampleRequest> operators);

}  // namespace kjoule
