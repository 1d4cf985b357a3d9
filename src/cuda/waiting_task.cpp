// The task of a program that is measured later: it waits until kjoule connects, and lets the program continue
// after the measurement.

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "base/process/local_socket.hpp"
#include "base/process/mutex.hpp"
#include "base/process/quiet_thread.hpp"
#include "cuda/driver/check.hpp"
#include "cuda/driver/nvtx.hpp"
#include "cuda/injected_task.hpp"
#include "cuda/measured_rank.hpp"
#include "cuda/memory/image_room.hpp"
#include "cuda/replay/cuda_device.hpp"
#include "cuda/replay/cuda_recorder.hpp"
#include "cuda/session/make_session.hpp"
#include "device/attached_program.hpp"
#include "device/protocol.hpp"
#include "device/serve.hpp"
#include "device/waiting_program.hpp"

namespace kjoule::cuda {

namespace {

constexpr timeval kFirstRequestPatience{2, 0};
/// Longest time without a request of kjoule, which may have been stopped. After it, the program continues.
constexpr timeval kRequestPatience{120, 0};
constexpr int kReportEvery_ms = 10'000;
/// Longest time for which the program waits at its end until replayed work is complete.
constexpr auto kReplayPatience = std::chrono::seconds(10);
/// Longest time for which the program stays paused after kjoule has ended: for the replay in progress, and
/// for ranks that wait for each other. KJOULE_RETURN_PATIENCE sets another number of seconds.
constexpr int64_t kReturnPatience_s = 90;
/// After kjoule has ended, the replay in progress may still take the time of this many iterations.
constexpr int64_t kIterationsOfRequest = 20;
/// The least rate at which the program's memory is restored. The copies may be in a file.
constexpr uint64_t kRestoredBytes_s = 200'000'000;
/// Memory in bytes that kjoule needs in addition to copies of the program's memory.
constexpr uint64_t kOwnBytes = uint64_t{64} << 20;

/// Throws Error if the program, which is not paused yet, could not continue unharmed after a measurement.
void refuse_harm(ProgramMonitor& monitor) {
  const ProgramMonitor::Held held = monitor.held();
  if (held.arrays > 0)
    throw Error("the program uses CUDA arrays, whose contents kjoule cannot restore",
                "let kjoule start the program and end it afterwards: kjoule compare -- PROGRAM");
  if (held.context == nullptr) return;  // it has not allocated anything yet
  KJOULE_CU(cuCtxSetCurrent(held.context));
  const ImageRoom room;
  if (held.device_bytes + kOwnBytes > room.total())
    throw Error(fmt::format("the program has allocated {} of GPU memory, which kjoule must copy, but {}",
                            size_text(held.device_bytes), room.text()),
                "let the program allocate less, or set TMPDIR to a folder on a larger disk");
}

/// Returns the addition " (process N)" to a message. A process that the program does not see, for example
/// from within a container, has the id 0; then the text is empty.
std::string process_text(pid_t process) {
  return process == 0 ? "" : fmt::format(" (process {})", process);
}

/// Returns the longest time for which the program stays paused after kjoule has ended: longer if it has much
/// memory, or long iterations.
std::chrono::seconds return_patience(ProgramMonitor& monitor) {
  const char* given = std::getenv("KJOULE_RETURN_PATIENCE");
  const int64_t least_s = given == nullptr ? kReturnPatience_s : std::strtoll(given, nullptr, 10);
  int64_t longest_ns = 0;
  for (const IterationSpan& span : monitor.passed_iterations())
    longest_ns = std::max(longest_ns, span.end_ns - span.begin_ns);
  return std::chrono::seconds(least_s + static_cast<int64_t>(monitor.held().device_bytes / kRestoredBytes_s) +
                              kIterationsOfRequest * longest_ns / 1'000'000'000);
}

/// Ends the program, which would continue with wrong contents of its memory, or never.
[[noreturn]] void end_program(const std::string& why) {
  std::fprintf(stderr, "kjoule: the program is ended, because it cannot continue after it was measured: %s\n",
               why.c_str());
  std::_Exit(1);
}

void limit_receiving(int socket, const timeval& patience) {
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

class WaitingTask final : public InjectedTask {
 public:
  explicit WaitingTask(const InjectionOptions& options) : name_(options.waits_as), monitor_(options.gpu) {}

  void start() override {
    if (started_.exchange(true)) return;
    try {
      monitor_.stand_by();
      listen_to_ranges({[this](std::string_view name) { monitor_.begin_range(name); },
                        [this](std::string_view name) { monitor_.end_range(name); }});
      listener_.emplace(socket_name(WaitingProgram{name_, getpid()}));
      start_quiet_thread([this] { accept_all(); }).detach();
    } catch (const Error& error) {
      std::fprintf(stderr, "kjoule: the program cannot be measured: %s\n", error.line().c_str());
    }
  }

  void program_ends() override {
    MutexLock lock(mutex_);
    if (!service_) return;
    if (monitor_.is_recording()) service_->report_end(monitor_.describe_progress());
    changed_.wait_for(lock.to_wait(), kReplayPatience,
                      [&]() KJOULE_REQUIRES(mutex_) { return !service_ || !monitor_.is_recorded(); });
  }

 private:
  /// Accepts the connections of kjoule, one at a time.
  void accept_all() {
    ProgramMonitor::exempt_this_thread();
    for (;;) {
      pollfd waiting{listener_->descriptor(), POLLIN, 0};
      if (poll(&waiting, 1, -1) < 0 && errno != EINTR) return;
      if (const ConnectedProcess kjoule = listener_->accept(); kjoule.socket >= 0) answer(kjoule);
    }
  }

  /// Answers the first request of a connection, and starts to serve it.
  void answer(const ConnectedProcess& kjoule) {
    limit_receiving(kjoule.socket, kFirstRequestPatience);
    uint64_t id = 0;
    try {
      const std::optional<nlohmann::json> request = receive_message(kjoule.socket);
      if (!request) throw Error("kjoule connected to the program, but sent no request", "start kjoule again");
      id = request->value("id", uint64_t{0});
      const InjectionOptions options = read_attach_request(*request);
      if (is_measured_)
        throw Error(fmt::format("another kjoule{} is measuring the program", process_text(measured_by_)),
                    "wait until that kjoule has ended");
      refuse_harm(monitor_);
      const nlohmann::json result{{"uses_gpu", monitor_.held().context != nullptr}};
      send_message(kjoule.socket, {{"id", id}, {"result", result}});
      limit_receiving(kjoule.socket, kRequestPatience);
      start_to_serve(kjoule, options);
    } catch (const Error& error) {
      refuse(kjoule, id, error);
    } catch (const std::exception&) {
      refuse(kjoule, id,
             Error("the program could not read kjoule's request",
                   "measure with the build of kjoule whose command kjoule env prepared this program"));
    }
  }

  static void refuse(const ConnectedProcess& kjoule, uint64_t id, const Error& why) {
    try {
      send_message(kjoule.socket, {{"id", id}, {"error", to_message(why)}});
    } catch (const Error&) {  // kjoule has ended
    }
    close(kjoule.socket);
  }

  void start_to_serve(const ConnectedProcess& kjoule, const InjectionOptions& options) {
    measured_by_ = kjoule.pid;
    is_measured_ = true;
    try {
      start_quiet_thread([this, kjoule, options] { serve(kjoule, options); }).detach();
    } catch (const std::exception&) {
      is_measured_ = false;
      throw;
    }
  }

  /// Lets kjoule measure the program until it closes the connection. Then the program continues.
  void serve(const ConnectedProcess& kjoule, const InjectionOptions& options) {
    ProgramMonitor::exempt_this_thread();
    set_released(false);
    const auto service = std::make_shared<Service>(kjoule.socket);
    std::thread watcher;
    std::shared_ptr<CudaDevice> measuring;
    service->run([&]() -> std::shared_ptr<Device> {
      watch(options);
      announce(service);  // before, the end of the program would wait for a replay that has not begun
      watcher = start_quiet_thread([&] { watch_search(kjoule.socket, *service, options); });
      if (options.after == InjectionOptions::After::run_on) return std::make_shared<CudaRecorder>(monitor_);
      return measuring = std::make_shared<CudaDevice>(monitor_, CudaDevice::Program::stays,
                                                      rank_ ? &rank_->position : nullptr);
    });
    release(measuring.get());
    measuring.reset();
    set_released(true);
    shutdown(kjoule.socket, SHUT_RDWR);  // ends the watcher
    if (watcher.joinable()) watcher.join();
    announce(nullptr);
    close(kjoule.socket);
    is_measured_ = false;
  }

  /// Begins to search for an iteration, together with other ranks if kjoule shares a board with this process.
  void watch(const InjectionOptions& options) {
    auto rank = options.rank_board.empty()
                    ? nullptr
                    : std::make_unique<MeasuredRank>(options.rank_board, RankPosition::Origin::attachment);
    monitor_.watch(make_session(options, rank ? &rank->cut : nullptr), rank ? &rank->position : nullptr);
    rank_ = std::move(rank);  // the monitor no longer uses the one of an earlier measurement
  }

  void announce(std::shared_ptr<Service> service) {
    const MutexLock lock(mutex_);
    service_ = std::move(service);
    changed_.notify_all();
  }

  void set_released(bool released) {
    const MutexLock lock(mutex_);
    is_released_ = released;
    changed_.notify_all();
  }

  /// Reports the launches seen so far until an iteration is found. Ends the search if kjoule has closed its
  /// end of the connection; ranks that are measured together then no longer wait for each other, except to
  /// continue.
  void watch_search(int socket, Service& service, const InjectionOptions& options) {
    ProgramMonitor::exempt_this_thread();
    for (int ready = 0; ready == 0 || (ready < 0 && errno == EINTR);) {
      pollfd kjoule{socket, POLLRDHUP, 0};
      ready = poll(&kjoule, 1, kReportEvery_ms);
      if (ready == 0 && !monitor_.is_recorded()) service.report_progress(monitor_.describe_progress());
    }
    // Ranks do not wait for a process that kjoule has left out.
    if (rank_ && rank_->board->is_member(rank_->position.rank())) rank_->board->give_up();
    monitor_.stop_searching();
    if (options.after != InjectionOptions::After::run_on) end_if_stuck();
  }

  /// Ends the program if it does not continue after kjoule has ended, because its GPU never completes the
  /// replayed work: kjoule may have ended for this reason.
  void end_if_stuck() {
    const std::chrono::seconds patience = return_patience(monitor_);
    MutexLock lock(mutex_);
    if (!changed_.wait_for(lock.to_wait(), patience, [&]() KJOULE_REQUIRES(mutex_) { return is_released_; }))
      end_program(fmt::format("the GPU has not completed the replayed work for {} s", patience.count()));
  }

  /// Lets the program continue. If that is impossible, ends the program, which would continue with wrong
  /// contents of its memory.
  void release(CudaDevice* device) {
    std::string why;
    try {
      if (device != nullptr) why = device->release();
    } catch (const Error& error) {
      why = error.what();
    }
    if (!why.empty()) end_program(why);
    monitor_.release();
  }

  const std::string name_;
  ProgramMonitor monitor_;
  std::unique_ptr<MeasuredRank> rank_;  ///< of the last measurement; null if one process was measured
  std::optional<Listener> listener_;
  std::atomic<bool> started_ = false;
  std::atomic<bool> is_measured_ = false;  ///< whether a kjoule measures the program
  pid_t measured_by_ = 0;                  ///< process id of that kjoule; used only by the accepting thread
  Mutex mutex_;
  std::condition_variable changed_;
  /// Whether the program continues after the last measurement.
  bool is_released_ KJOULE_GUARDED_BY(mutex_) = true;
  std::shared_ptr<Service> service_ KJOULE_GUARDED_BY(mutex_);  ///< null if kjoule is not connected
};

}  // namespace

std::unique_ptr<InjectedTask> make_waiting_task(const InjectionOptions& options) {
  return std::make_unique<WaitingTask>(options);
}

}  // namespace kjoule::cuda
