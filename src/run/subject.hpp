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
#include "device/device.hpp"
#include "device/injection_options.hpp"
#include "device/sample_protocol.hpp"
#include "power/meters/meter.hpp"
#include "recording/replay_call.hpp"

namespace kjoule {

/// What to measure, and where: a model, or any program that uses CUDA.
struct SubjectOptions {
  std::string model;
  std::string recording;  ///< instead of a model: the recording names its model, and must come out the same
  std::string device = "auto";
  std::optional<int64_t> seq_len;
  std::optional<int64_t> batch;
  std::vector<std::string> inputs;
  uint64_t seed = 0;
  int threads = 0;
  std::vector<std::string> program;  ///< a command line, instead of a model
  InjectionOptions injection;
};

/// A program on a device, ready to be recorded and measured.
struct Subject {
  std::unique_ptr<Device> device;
  const Clock* clock = nullptr;  ///< lives as long as the device
  /// Sets a clock of virtual time to where a killed run left it; does nothing to a real one.
  std::function<void(int64_t)> continue_at = [](int64_t) {};
  /// Lets that many seconds pass in which the device has nothing to do.
  std::function<void(double)> let_pass = [](double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  };
  nlohmann::json program;  ///< what makes it this program: a run of another one cannot be resumed with it
  std::string title;
  int threads = 0;  ///< that the program runs with; 0 where the machine's load does not matter
  std::optional<Recording> expected;  ///< from --recording
  /// Of a device that brings its own meters.
  std::function<std::vector<std::unique_ptr<Meter>>()> own_meters{};
  /// The device is needed no longer: waits until a user's program ends by itself; its exit code.
  std::function<int()> run_to_end = [] { return 0; };

  /// Ends the program: what follows is not to share the device with it.
  void close() {
    device.reset();
    run_to_end = [] { return 0; };
  }
};

/// Opens the device. Throws Error for a missing model, an unknown device, a child that cannot start, a
/// program that ends before it uses CUDA.
Subject open_subject(SubjectOptions options);

/// The same for a command that needs the program's launches: throws the device's Error now, before anything
/// is measured or an older folder is moved, where they cannot be recorded.
Subject open_recordable_subject(SubjectOptions options);

/// Throws Error when there is no such file as the model.
void need_model_file(const SubjectOptions& options);
/// "cpu" or "cuda", where kjoule-torch is to run. Throws Error for other devices.
std::string device_for_runner(const SubjectOptions& options);
/// These calls, each once an iteration, on the CPU or a GPU; `source` is the table that they are of. Throws
/// Error as open_subject does.
Subject open_calls(SubjectOptions options, std::vector<ReplayCall> calls, const std::string& source);
/// These operators, likewise: each once an iteration, forward and backward. On the GPU of that number where
/// `options.injection.gpu` is set.
Subject open_sampled_operators(SubjectOptions options, std::vector<SampleRequest> operators);

}  // namespace kjoule
