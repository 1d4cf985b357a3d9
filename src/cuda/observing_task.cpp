// The task that logs the whole run of the program.

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "base/process/fault.hpp"
#include "base/process/mutex.hpp"
#include "cuda/calls/driver_callbacks.hpp"
#include "cuda/driver/forked_copy.hpp"
#include "cuda/driver/nvtx.hpp"
#include "cuda/driver/thread_state.hpp"
#include "cuda/injected_task.hpp"
#include "cuda/watch/run_observer.hpp"

namespace kjoule::cuda {

namespace {

class ObservingTask final : public InjectedTask {
 public:
  explicit ObservingTask(std::filesystem::path folder) : folder_(std::move(folder)) {}

  void start() override {
    if (started_.exchange(true)) return;
    try {
      observer_ = std::make_unique<RunObserver>(log_folder_of_process(folder_));
      cupti_ = std::make_unique<Cupti>(&ObservingTask::on_callback, this);
      DriverCallbacks(*cupti_).set(DriverCallbacks::Extent::launches);
      observer_->start(*cupti_);
      listen_to_ranges({[this](std::string_view name) { observer_->begin_range(name); },
                        [this](std::string_view name) { observer_->end_range(name); }});
    } catch (const std::exception& error) {
      std::fprintf(stderr, "kjoule: %s\n", fault_of(error).line().c_str());
    }
  }

  void program_ends() override {
    if (observer_) observer_->finish();
  }

 private:
  static void CUPTIAPI on_callback(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                   const void* data) {
    ThreadState& thread = thread_state;
    if (is_forked_copy || thread.exempt || domain != CUPTI_CB_DOMAIN_DRIVER_API) return;
    thread.exempt = true;  // driver calls within this callback must not cause callbacks
    static_cast<ObservingTask*>(self)->on_driver_call(id, *static_cast<const CUpti_CallbackData*>(data));
    thread.exempt = false;
  }

  void on_driver_call(CUpti_CallbackId id, const CUpti_CallbackData& data) {
    const MutexLock lock(mutex_);
    if (data.callbackSite == CUPTI_API_ENTER)
      return observer_->on_enter(data, state_.on_enter(id, data), state_);
    if (!has_succeeded(data)) return;
    state_.on_success(id, data);
    observer_->on_success(id, data);
  }

  Mutex mutex_;  ///< also preserves the order of the launches
  ProgramState state_ KJOULE_GUARDED_BY(mutex_);
  std::unique_ptr<RunObserver> observer_;  ///< null until CUDA starts
  std::unique_ptr<Cupti> cupti_;
  std::atomic<bool> started_ = false;
  const std::filesystem::path folder_;
};

}  // namespace

std::unique_ptr<InjectedTask> make_observing_task(const std::filesystem::path& folder) {
  return std::make_unique<ObservingTask>(folder);
}

}  // namespace kjoule::cuda
