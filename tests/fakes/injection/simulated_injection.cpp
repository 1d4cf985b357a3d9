// A stand-in for the injected library: loaded by a program's stand-in for cuInit, it serves a simulated
// device.
//
// TEST_DEVICE   the simulated device, as after --device simulated:
// TEST_FAULT    HOW:ROUND, the fault at the beginning of a round of measurements: "crash" is a segmentation
//               fault, "hang" blocks forever
// TEST_UUID     UUID of the device; none by default
// TEST_RECORDS  "never": no iteration is found
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/process/local_socket.hpp"
#include "device/injection_options.hpp"
#include "device/serve.hpp"
#include "simulated/device.hpp"
#include "simulated/spec.hpp"

namespace {

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

[[noreturn]] void sleep_for_ever() {
  while (true) pause();
}

/// Returns the times of the iterations before the recorded one, as the injected library reports them: the
/// first takes 1 ms, the second 2 ms, and so on.
nlohmann::json seen(int64_t iterations) {
  const int64_t begin_ns = 1'000'000'000;
  int64_t end_ns = begin_ns;
  std::vector<double> iteration_s;
  for (int64_t i = 1; i <= iterations; ++i) {
    iteration_s.push_back(static_cast<double>(i) * 1e-3);
    end_ns += i * 1'000'000;
  }
  return {{"iteration_s", iteration_s}, {"begin_ns", begin_ns}, {"end_ns", end_ns}};
}

/// A simulated device with faults. As in the real library, only the program itself runs its iterations.
class FaultyDevice final : public kjoule::Device {
 public:
  explicit FaultyDevice(const kjoule::InjectionOptions& options)
      : device_(kjoule::parse_simulated_spec(setting("TEST_DEVICE"))),
        info_(device_.info()),
        iterations_(options.iteration_launches ? options.skip_iterations
                                               : options.skip_iterations + options.timed_iterations) {
    info_.runs_program = false;
    if (const std::string uuid = setting("TEST_UUID"); !uuid.empty()) info_.description["uuid"] = uuid;
  }
  const kjoule::DeviceInfo& info() const override { return info_; }
  kjoule::Recording record() override {
    if (setting("TEST_RECORDS") == "never") sleep_for_ever();
    kjoule::Recording recording = device_.record();
    recording.program["seen"] = seen(iterations_);
    return recording;
  }
  kjoule::Verification verify() override { return device_.verify(); }
  std::unique_ptr<kjoule::Track> open(const kjoule::TrackSpec& spec) override { return device_.open(spec); }
  std::optional<kjoule::Observation> observe() override { return device_.observe(); }
  void begin_round(int round) override {
    const std::string fault = setting("TEST_FAULT");
    if (fault == "crash:" + std::to_string(round)) raise(SIGSEGV);
    if (fault == "hang:" + std::to_string(round)) sleep_for_ever();
    device_.begin_round(round);
  }

 private:
  kjoule::SimulatedDevice device_;
  kjoule::DeviceInfo info_;
  int64_t iterations_;
};

/// Exists until the process ends, because the serving thread may outlive everything else.
struct Injected {
  explicit Injected(kjoule::InjectionOptions asked, int socket)
      : options(std::move(asked)), service(socket), thread([this] { serve(); }) {}

  void serve() {
    const kjoule::ServiceEnd farewell = service.run([this] {
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return launches > 0; });
      return std::make_unique<FaultyDevice>(options);
    });
    if (farewell == kjoule::ServiceEnd::quit) _exit(0);
    if (farewell == kjoule::ServiceEnd::refused) std::fprintf(stderr, "process was refused\n");
    const std::lock_guard lock(mutex);
    over = true;
    changed.notify_all();
  }

  /// Makes a launch, which gives the process its device. A launch that is paused for measuring does not
  /// return.
  void launch() {
    std::unique_lock lock(mutex);
    ++launches;
    changed.notify_all();
    if (options.after == kjoule::InjectionOptions::After::run_on || setting("TEST_RECORDS") == "never")
      return;
    changed.wait(lock, [this] { return over; });
  }

  /// Ends the program; a requested recording is still made.
  void end() {
    std::unique_lock lock(mutex);
    if (launches > 0 && setting("TEST_RECORDS") != "never")
      changed.wait_for(lock, std::chrono::seconds(10), [this] { return over; });
    service.report_end(std::to_string(launches) + " launches seen, none repeated");
  }

  kjoule::InjectionOptions options;
  kjoule::Service service;
  std::mutex mutex;
  std::condition_variable changed;
  int launches = 0;
  bool over = false;
  std::thread thread;
};

Injected* injected = nullptr;

}  // namespace

extern "C" int InitializeInjection() {
  const auto options = kjoule::InjectionOptions::from_environment();
  if (injected != nullptr || !options || !kjoule::is_measured_rank(*options)) return 1;
  const int socket = kjoule::connect_to(options->socket);
  if (socket < 0) return 1;
  injected = new Injected(*options, socket);
  std::atexit([] { injected->end(); });
  return 1;
}

extern "C" void cuLaunch() {
  if (injected != nullptr) injected->launch();
}
