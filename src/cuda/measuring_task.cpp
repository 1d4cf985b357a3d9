// The task that records an iteration of the program and replays it for kjoule.

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <memory>
#include <thread>

#include "base/error.hpp"
#include "base/process/fault.hpp"
#include "base/process/local_socket.hpp"
#include "base/process/mutex.hpp"
#include "base/process/quiet_thread.hpp"
#include "cuda/driver/check.hpp"
#include "cuda/driver/nvtx.hpp"
#include "cuda/injected_task.hpp"
#include "cuda/measured_rank.hpp"
#include "cuda/replay/cuda_device.hpp"
#include "cuda/replay/cuda_recorder.hpp"
#include "cuda/session/make_session.hpp"
#include "cuda/watch/program_gpus.hpp"
#include "cuda/watch/run_observer.hpp"
#include "device/serve.hpp"

namespace kjoule::cuda {

namespace {

constexpr auto kReachPatience = std::chrono::seconds(2);
/// Time that the answer to kjoule's last request has after kjoule has ended.
constexpr auto kOrphanPatience = std::chrono::milliseconds(1000);
constexpr auto kServePatience = std::chrono::seconds(10);
constexpr auto kFirstPause = std::chrono::milliseconds(20);
constexpr auto kLongestPause = std::chrono::milliseconds(5000);

class MeasuringTask final : public InjectedTask {
 public:
  explicit MeasuringTask(InjectionOptions options)
      : options_(std::move(options)),
        rank_(options_.rank_board.empty()
                  ? nullptr
                  : std::make_unique<MeasuredRank>(options_.rank_board, RankPosition::Origin::first_launch)),
        monitor_(options_.gpu, rank_ ? &rank_->position : nullptr) {
    if (!rank_) return;
    gpus_ = std::make_unique<ProgramGpus>(
        monitor_, options_.rank_board,
        ProgramGpus::Actions{
            [this] { return make_session(options_); },
            [this](FurtherGpu& gpu) { start_quiet_thread([this, &gpu] { serve_further(gpu); }).detach(); }});
    monitor_.divide_among(*gpus_);
  }

  /// Starts watching and serving kjoule.
  void start() override {
    if (started_.exchange(true)) return;
    try {
      monitor_.subscribe(make_session(options_, rank_ ? &rank_->cut : nullptr));
      start_log();
      listen_to_ranges({[this](std::string_view name) { begin_range(name); },
                        [this](std::string_view name) { end_range(name); }});
    } catch (const Error& error) {
      failure_ = std::make_unique<Error>(error);
    }
    start_quiet_thread([this] {
      serve_kjoule();
      served_.set_value();
    }).detach();
  }

  void begin_range(std::string_view name) {
    if (RunObserver* observer = observer_) observer->begin_range(name);
    monitor_.begin_range(name);
  }
  void end_range(std::string_view name) {
    if (RunObserver* observer = observer_) observer->end_range(name);
    monitor_.end_range(name);
  }

  void program_ends() override {
    if (failure_) return;
    monitor_.end_with_program();
    // kjoule may not have received the recorded iteration yet.
    if (monitor_.is_recorded()) served_.get_future().wait_for(kServePatience);
    if (!monitor_.is_recording()) return;
    finish_log();
    // A short program may end before the connection to kjoule is established.
    if (reached_.get_future().wait_for(kReachPatience) != std::future_status::ready) return;
    const MutexLock lock(ending_);
    if (service_) service_->report_end(monitor_.describe_progress());
    monitor_.stop_searching();
    ends_by_itself_ = true;
  }

 private:
  /// Logs the run until its iteration is recorded, if this is requested. Without the log, kjoule can measure
  /// the iteration, but reports less about a program that ends early.
  void start_log() {
    if (options_.run_log.empty()) return;
    try {
      auto* observer = new RunObserver(log_folder_of_process(options_.run_log));  // never destroyed
      observer_ = observer;
      monitor_.observe_with(*observer);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "kjoule: the launches of the program's run are not logged: %s\n",
                   fault_of(error).line().c_str());
    }
  }

  void finish_log() {
    if (RunObserver* observer = observer_) observer->finish();
  }

  void serve_kjoule() {
    ProgramMonitor::exempt_this_thread();
    if (!failure_) monitor_.wait_for_context();
    const int socket = connect_to(options_.socket);
    if (socket >= 0) service_ = std::make_unique<Service>(socket);
    reached_.set_value();
    if (!service_) return monitor_.release();
    start_quiet_thread([this] { report_progress_regularly(); }).detach();
    const ServiceEnd end = service_->run([this, socket] {
      auto device = open_device();
      if (options_.after != InjectionOptions::After::run_on)
        start_quiet_thread([this, socket] { end_with_kjoule(socket); }).detach();
      return device;
    });
    is_serving_ = false;
    if (is_left_alone()) return;
    if (end == ServiceEnd::refused || options_.after == InjectionOptions::After::run_on) {
      if (!failure_) monitor_.release();
      return;
    }
    finish_log();  // kjoule reports the log if the iteration could not be recorded
    // The process must not continue, because replay has changed its memory.
    std::_Exit(0);
  }

  /// Returns whether the process continues without kjoule: it was released, or it ends by itself and nothing
  /// was replayed in it. In the latter case its static objects may still write its results.
  bool is_left_alone() {
    const MutexLock lock(ending_);  // kjoule may end as soon as it knows of the program's end
    if (failure_) return false;
    if (ends_by_itself_ && !monitor_.is_recorded()) monitor_.release();
    return monitor_.is_released();
  }

  /// Ends the process if kjoule has ended while a request is being answered: the program would run to its
  /// iteration, or stay paused, for no purpose.
  void end_with_kjoule(int socket) {
    ProgramMonitor::exempt_this_thread();
    pollfd kjoule{socket, POLLRDHUP, 0};
    while (poll(&kjoule, 1, -1) < 0 && errno == EINTR) {
    }
    std::this_thread::sleep_for(kOrphanPatience);
    if (!is_serving_ || is_left_alone()) return;
    finish_log();
    std::_Exit(0);
  }

  /// Reports the progress to kjoule regularly, because a program that is killed cannot report its end. The
  /// first reports follow each other quickly, because many programs are killed early.
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
    if (options_.after == InjectionOptions::After::run_on) return open_recorder();
    return open_device(monitor_, rank_ ? &rank_->position : nullptr);
  }

  /// Opens the recorder of a process that is recorded once. It records the GPU of the first launch.
  std::unique_ptr<Device> open_recorder() {
    auto recorder = std::make_unique<CudaRecorder>(monitor_);
    CUdevice gpu = 0;
    KJOULE_CU(cuCtxGetDevice(&gpu));
    monitor_.measure_only(gpu);
    return recorder;
  }

  std::unique_ptr<Device> open_device(ProgramMonitor& monitor, RankPosition* position) const {
    return std::make_unique<CudaDevice>(monitor,
                                        options_.after == InjectionOptions::After::go_on
                                            ? CudaDevice::Program::goes_on
                                            : CudaDevice::Program::ends,
                                        position);
  }

  /// Answers kjoule's requests for a further GPU. The process ends with the service of the first GPU.
  void serve_further(FurtherGpu& gpu) {
    ProgramMonitor::exempt_this_thread();
    const int socket = connect_to(options_.socket);
    if (socket < 0) return gpu.monitor->release();
    Service service(socket);
    if (service.run([&] { return open_device(*gpu.monitor, &gpu.position); }) == ServiceEnd::refused)
      gpu.monitor->release();
  }

  InjectionOptions options_;
  std::unique_ptr<MeasuredRank> rank_;            ///< null if only one process is measured
  ProgramMonitor monitor_;                        ///< of the GPU on which the process launches first
  std::unique_ptr<ProgramGpus> gpus_;             ///< null if only one GPU is measured
  std::atomic<RunObserver*> observer_ = nullptr;  ///< null if the run is not logged, or not yet
  std::atomic<bool> started_ = false;
  std::unique_ptr<Error> failure_;
  std::unique_ptr<Service> service_;
  std::atomic<bool> is_serving_ = true;  ///< whether requests of kjoule are or will be answered
  Mutex ending_;                         ///< held while the program reports its end
  bool ends_by_itself_ KJOULE_GUARDED_BY(ending_) = false;  ///< whether it has reported its end
  std::promise<void> reached_;  ///< set when kjoule is connected or known to be gone
  std::promise<void> served_;   ///< set when kjoule makes no further requests
};

}  // namespace

std::unique_ptr<InjectedTask> make_measuring_task(InjectionOptions options) {
  return std::make_unique<MeasuringTask>(std::move(options));
}

}  // namespace kjoule::cuda
