// The task that logs the whole run of the program.

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "cuda/injected_task.hpp"
#include "cuda/nvtx.hpp"
#include "cuda/run_observer.hpp"

namespace kjoule::cuda {

namespace {

std::filesystem::path own_folder(const std::filesystem::path& folder) {
  const auto own = folder / std::to_string(getpid());
  std::filesystem::create_directories(own);
  return own;
}

class ObservingTask final : public InjectedTask {
 public:
  explicit ObservingTask(const std::filesystem::path& folder) : observer_(own_folder(folder)) {
    listen_to_ranges({[this](std::string_view name) { observer_.begin_range(name); },
                      [this](std::string_view name) { observer_.end_range(name); }});
  }

  void start() override {
    if (started_.exchange(true)) return;
    try {
      observer_.start();
    } catch (const Error& error) {
      std::fprintf(stderr, "kjoule: %s\n", error.line().c_str());
    }
  }

  void program_ends() override {
    if (getpid() == process_) observer_.finish();
  }

 private:
  RunObserver observer_;
  std::atomic<bool> started_ = false;
  const pid_t process_ = getpid();  ///< a forked process has none of the threads
};

}  // namespace

std::unique_ptr<InjectedTask> make_observing_task(const std::filesystem::path& folder) {
  return std::make_unique<ObservingTask>(folder);
}

}  // namespace kjoule::cuda
