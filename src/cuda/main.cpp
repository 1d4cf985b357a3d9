// Entry points of the injected library. The CUDA driver calls InitializeInjection() when it loads the library
// into a program (CUDA_INJECTION64_PATH).

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <thread>

#include "base/error.hpp"
#include "base/local_socket.hpp"
#include "cuda/cuda_device.hpp"
#include "cuda/cuda_recorder.hpp"
#include "cuda/make_session.hpp"
#include "cuda/nvtx.hpp"
#include "device/injection_options.hpp"
#include "device/serve.hpp"

namespace kjoule::cuda {

namespace {

constexpr auto kReachPatience = std::chrono::seconds(2);
constexpr auto kServePatience = std::chrono::seconds(10);
constexpr auto kFirstPause = std::chrono::milliseconds(20);
constexpr auto kLongestPause = std::chrono::milliseconds(5000);

/// The injected library's state. It is never destroyed, because the program's threads may be in a callback
/// until the process ends.
class Injection {
 public:
  explicit Injection(InjectionOptions options)
      : options_(std::move(options)), monitor_(make_session(options_), options_.gpu) {
    listen_to_ranges({[this](std::string_view name) { monitor_.begin_range(name); },
                      [this](std::string_view name) { monitor_.end_range(name); }});
  }

  /// Starts watching and serving kjoule. It is called when CUDA is initialised.
  void start() {
    if (started_.exchange(true)) return;
    try {
      monitor_.subscribe();
    } catch (const Error& error) {
      failure_ = std::make_unique<Error>(error);
    }
    std::thread([this] {
      serve_kjoule();
      served_.set_value();
    }).detach();
  }

  void program_ends() {
    if (getpid() != process_ || failure_) return;
    // kjoule may not have received the recorded iteration yet.
    if (monitor_.is_recorded()) served_.get_future().wait_for(kServePatience);
    if (!monitor_.is_recording()) return;
    // A short program may end before the connection to kjoule is established.
    if (reached_.get_future().wait_for(kReachPatience) != std::future_status::ready) return;
    if (service_) service_->report_end(monitor_.describe_progress());
  }

 private:
  void serve_kjoule() {
    ProgramMonitor::exempt_this_thread();
    if (!failure_) monitor_.wait_for_context();
    const int socket = connect_to(options_.socket);
    if (socket >= 0) service_ = std::make_unique<Service>(socket);
    reached_.set_value();
    if (!service_) return monitor_.release();
    std::thread([this] { report_progress_regularly(); }).detach();
    const ServiceEnd end = service_->run([this] { return open_device(); });
    if (end == ServiceEnd::refused || options_.after == InjectionOptions::After::run_on) {
      if (!failure_) monitor_.release();
      return;
    }
    // The process must not continue, because replay has changed its memory.
    std::_Exit(0);
  }

  /// Reports the progress to kjoule regularly, because a program that is killed cannot report its end. The
  /// reports are frequent at first, since many programs are killed early.
  void report_progress_regularly() {
    ProgramMonitor::exempt_this_thread();
    for (auto pause = kFirstPause; !failure_ && monitor_.is_recording();
         pause = std::min(2 * pause, kLongestPause)) {
      service_->report_progress(monitor_.describe_progress());
      std::this_thread::sleep_for(pause);
    }
  }

  std::unique_ptr<Device> open_device() {
    if (failure_) throw Error(*failure_);
    if (options_.after == InjectionOptions::After::run_on) return std::make_unique<CudaRecorder>(monitor_);
    return std::make_unique<CudaDevice>(monitor_);
  }

  InjectionOptions options_;
  ProgramMonitor monitor_;
  std::atomic<bool> started_ = false;
  std::unique_ptr<Error> failure_;
  std::unique_ptr<Service> service_;
  std::promise<void> reached_;      ///< set when kjoule is connected or known to be gone
  std::promise<void> served_;       ///< set when kjoule needs nothing more
  const pid_t process_ = getpid();  ///< a forked process has none of the threads
};

Injection* make_injection() {
  try {
    const auto options = InjectionOptions::from_environment();
    if (options && is_measured_rank(*options)) return new Injection(*options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kjoule: %s\n", error.what());
  }
  return nullptr;
}

/// Returns the injection, or null when kjoule does not measure this process. CUDA or NVTX may be the first to
/// call it.
Injection* injection() {
  static Injection* const the_one = make_injection();
  return the_one;
}

}  // namespace

}  // namespace kjoule::cuda

extern "C" int InitializeInjection() {
  if (auto* injection = kjoule::cuda::injection()) {
    injection->start();
    static const int at_exit = std::atexit([] { kjoule::cuda::injection()->program_ends(); });
    (void)at_exit;
  }
  return 1;
}

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t export_table) {
  if (kjoule::cuda::injection() != nullptr) kjoule::cuda::hook_ranges(export_table);
  return 1;
}
