#include "sampling/shared_sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"
#include "base/json/json_fields.hpp"
#include "base/process/process.hpp"
#include "base/process/signal_handler.hpp"
#include "base/process/terminal.hpp"
#include "base/text/counted.hpp"
#include "device/protocol.hpp"
#include "sampling/sample_queue.hpp"
#include "sampling/sweep_run.hpp"

namespace kjoule {

namespace {

/// Fewest samples that a GPU takes at once if energy is measured, unless its share is smaller: starting the
/// processes that time samples and replay their kernels takes as long as several samples.
constexpr size_t kFewestForReplay = 16;
/// Number of samples that end a process of one GPU, but none of another GPU, until the GPU is not used any
/// more.
constexpr size_t kMostNeedlessEnds = 3;

/// The process that measures on one GPU (serve_queue()).
struct GpuWorker {
  GpuShare share;
  std::unique_ptr<ChildProcess> process;  ///< null once it is not used any more
  bool is_mig = false;                    ///< whether it uses a part of a GPU
  std::optional<SamplingDevice> device{};
  bool waits = false;  ///< whether it waits for samples

  /// Returns whether the UUID distinguishes it from other workers. Parts of a GPU may have the same UUID.
  bool has_uuid() const { return !is_mig && !share.uuid.empty(); }
};

GpuWorker start_worker(const ChosenGpu& gpu, const std::vector<std::string>& command) {
  return {{.number = gpu.number},
          std::make_unique<ChildProcess>(command, Environment{{"CUDA_VISIBLE_DEVICES", gpu.visible}}),
          gpu.visible.starts_with("MIG-")};
}

class SharedSweep {
 public:
  SharedSweep(const SamplingConfiguration& configuration, const SamplingOptions& options,
              const std::vector<ChosenGpu>& gpus, const std::vector<std::string>& command)
      : configuration_(configuration), options_(options) {
    for (const ChosenGpu& gpu : gpus) workers_.push_back(start_worker(gpu, command));
  }

  SweepOutcome run() {
    while (std::ranges::any_of(workers_, [](const auto& one) { return one.process && !one.device; }))
      receive();
    check_kinds();
    for (size_t worker = 0; worker < workers_.size(); ++worker) send(worker, {{"begin", true}});
    while (is_any_left() && !(queue_ && queue_->left() == 0)) {
      receive();
      assign();
    }
    return finish();
  }

 private:
  bool is_any_left() const {
    return std::ranges::any_of(workers_, [](const auto& one) { return one.process != nullptr; });
  }

  /// Throws Error if the GPUs are of different kinds, whose rows belong to different tables. Does not use a
  /// GPU that is also used under another number.
  void check_kinds() {
    const GpuWorker* first = nullptr;
    for (size_t worker = 0; worker < workers_.size(); ++worker) {
      GpuWorker& one = workers_[worker];
      if (!one.process) continue;
      if (first == nullptr) first = &one;
      if (one.device->name != first->device->name)
        throw Error(fmt::format("GPUs {} and {} are of different kinds: {} and {}", first->share.number,
                                one.share.number, first->device->name, one.device->name),
                    "name GPUs of one kind with --gpus; each kind has files of its own");
      for (size_t other = 0; other < worker; ++other)
        if (workers_[other].process && one.has_uuid() && one.share.uuid == workers_[other].share.uuid) {
          drop(worker, fmt::format("it is the same as GPU {}", workers_[other].share.number));
          break;
        }
    }
  }

  /// Waits for messages and handles one of each worker that has sent any.
  void receive() {
    std::vector<pollfd> sockets;
    std::vector<size_t> polled;
    for (size_t worker = 0; worker < workers_.size(); ++worker) {
      if (!workers_[worker].process) continue;
      sockets.push_back({.fd = workers_[worker].process->socket(), .events = POLLIN, .revents = 0});
      polled.push_back(worker);
    }
    if (poll(sockets.data(), sockets.size(), -1) <= 0) return;
    for (size_t i = 0; i < polled.size(); ++i)
      if (sockets[i].revents != 0 && workers_[polled[i]].process) receive_from(polled[i]);
  }

  void receive_from(size_t worker) {
    std::optional<nlohmann::json> message;
    try {
      message = receive_message(workers_[worker].process->socket());
    } catch (const Error&) {
      message.reset();  // it ended within a message
    }
    if (message)
      handle(worker, message->begin().key(), message->begin().value());
    else
      drop_ended(worker);
  }

  void handle(size_t worker, const std::string& kind, const nlohmann::json& content) {
    GpuWorker& one = workers_[worker];
    if (kind == "device") {
      one.device = read_fields<SamplingDevice>(content, "the message of a worker");
      one.share.uuid = one.device->uuid;
    } else if (kind == "ready") {
      one.waits = true;
      if (!part_) open_part();
    } else if (kind == "row") {
      take_row(worker, read_row(content));
    } else if (kind == "timed") {
      take_timed(read_row(content));
    } else if (kind == "lost") {
      take_lost(worker, read_row(content));
    } else if (kind == "meters") {
      part_->take_meters(one.share.uuid, content.at("meters"), content.at("lack"));
    } else if (kind == "note") {
      part_->take_note(fmt::format("GPU {}: {}", one.share.number, content.get<std::string>()));
    } else if (kind == "failed") {
      drop_failed(worker, content);
    }
  }

  SampleRow read_row(const nlohmann::json& row) const { return sample_row(row, configuration_.parameters); }

  /// Opens the files. The first GPU has run the warm-up shape, so the configuration is right.
  void open_part() {
    std::vector<SamplingDevice> devices;
    std::vector<size_t> numbers;
    for (const GpuWorker& one : workers_) {
      if (!one.process) continue;
      devices.push_back(*one.device);
      numbers.push_back(one.share.number);
    }
    part_.emplace(configuration_, options_, devices,
                  fmt::format("sampling {} in {} on {} {}", configuration_.kernel_name, options_.precision,
                              agreeing(numbers.size(), "GPU", "GPUs"), fmt::join(numbers, ", ")));
    queue_.emplace(part_->tasks().size(), workers_.size());
    for (size_t worker = 0; worker < workers_.size(); ++worker)
      if (!workers_[worker].process) queue_->leave(worker);
    for (size_t task = 0; task < part_->tasks().size(); ++task)
      tasks_[part_->tasks()[task].row.sample] = task;
  }

  void take_row(size_t worker, const SampleRow& row) {
    part_->take_row(row);
    ++workers_[worker].share.samples;
    queue_->complete(worker, tasks_.at(row.sample));
    timed_.erase(tasks_.at(row.sample));
    for (size_t other = 0; other < workers_.size(); ++other)
      if (workers_[other].process && queue_->needless_ends(other) >= kMostNeedlessEnds)
        drop(other, fmt::format("{} samples ended its process, but not that of another GPU",
                                queue_->needless_ends(other)));
  }

  void take_timed(SampleRow row) {
    part_->take_timed(row);
    const size_t task = tasks_.at(row.sample);
    timed_.insert_or_assign(task, std::move(row));
  }

  void take_lost(size_t worker, const SampleRow& row) {
    const UninterruptedStep step;
    if (!queue_->try_again(worker, tasks_.at(row.sample))) return part_->take_row(row);
    part_->take_note(fmt::format("GPU {}: sample {} is tried again: {}", workers_[worker].share.number,
                                 row.sample, row.answer.why));
  }

  /// Gives samples to all workers that wait for them.
  void assign() {
    if (!queue_) return;
    for (size_t worker = 0; worker < workers_.size(); ++worker) {
      if (!workers_[worker].process || !workers_[worker].waits) continue;
      const std::vector<size_t> taken = queue_->take(worker, most_at_once());
      if (taken.empty()) continue;
      nlohmann::json tasks = nlohmann::json::array();
      for (const size_t index : taken) {
        const SampleTask& task = part_->tasks()[index];
        const auto timed = timed_.find(index);  // by a GPU that was lost before it replayed the kernels
        const bool is_timed = task.is_timed || timed != timed_.end();
        const SampleRow& row = timed != timed_.end() ? timed->second : task.row;
        tasks.push_back({{"row", to_json(row, configuration_.parameters)}, {"is_timed", is_timed}});
      }
      workers_[worker].waits = false;
      send(worker, {{"tasks", tasks}});
    }
  }

  /// Returns how many samples a GPU takes at once. If energy is measured, the number falls towards the end,
  /// so that all GPUs end at nearly the same time.
  size_t most_at_once() const {
    if (!options_.replay) return 1;
    const size_t equal_share = (part_->tasks().size() + workers_.size() - 1) / workers_.size();
    return std::clamp(queue_->waiting() / (2 * queue_->gpus()), std::min(equal_share, kFewestForReplay),
                      kTimedBeforeReplay);
  }

  void send(size_t worker, const nlohmann::json& message) {
    if (!workers_[worker].process) return;
    try {
      send_message(workers_[worker].process->socket(), message);
    } catch (const Error&) {
      drop_ended(worker);
    }
  }

  void drop_ended(size_t worker) {
    const UninterruptedStep
        step;  // a signal ends this process before it reports an end that the signal caused
    ChildProcess& process = *workers_[worker].process;
    const std::string how = process.how_it_ended(), last = process.last_line();
    drop(worker, fmt::format("its process ended ({}){}{}", how, last.empty() ? "" : ": ", last));
  }

  void drop_failed(size_t worker, const nlohmann::json& error) {
    const UninterruptedStep step;
    remedy_ = error.at("remedy").get<std::string>();
    drop(worker, error.at("cause").get<std::string>());
  }

  void drop(size_t worker, const std::string& why) {
    GpuWorker& one = workers_[worker];
    one.share.lack = why;
    one.process.reset();
    if (queue_) queue_->leave(worker);
    if (!is_any_left()) return;  // the error states the reasons
    const size_t number = one.share.number;
    print_error("kjoule: {}; the other GPUs measure its samples\n",
                queue_ ? fmt::format("GPU {} is not used any more: {}", number, why)
                       : fmt::format("GPU {} is not used: {}", number, why));
  }

  /// Ends all workers. Throws Error if samples are left.
  SweepOutcome finish() {
    for (size_t worker = 0; worker < workers_.size(); ++worker)
      send(worker, {{"tasks", nlohmann::json::array()}});
    if (!part_) throw Error("no GPU could be used: " + lacks(), remedy_);
    SweepOutcome outcome = part_->finish();
    if (queue_->left() > 0)
      throw Error(fmt::format("no GPU is left, and {} of {} samples have no row: {}", queue_->left(),
                              outcome.samples, lacks()),
                  "repeat the same command to continue; all complete rows are kept");
    for (GpuWorker& one : workers_) {
      if (one.process) one.process->how_it_ended();
      outcome.gpus.push_back(one.share);
    }
    return outcome;
  }

  /// Returns why each GPU is not used.
  std::string lacks() const {
    std::vector<std::string> all;
    for (const GpuWorker& one : workers_)
      all.push_back(fmt::format("GPU {}: {}", one.share.number, one.share.lack));
    return fmt::format("{}", fmt::join(all, "; "));
  }

  const SamplingConfiguration& configuration_;
  const SamplingOptions& options_;
  std::vector<GpuWorker> workers_;
  std::optional<SweepPart> part_;      ///< set when the first GPU can measure
  std::optional<SampleQueue> queue_;   ///< set together with part_
  std::map<size_t, size_t> tasks_;     ///< index of each task by the number of its sample
  std::map<size_t, SampleRow> timed_;  ///< rows that were timed, by the index of the task
  std::string remedy_;                 ///< remedy for the latest failure of a worker
};

}  // namespace

SweepOutcome sample_on_gpus(const SamplingConfiguration& configuration, const SamplingOptions& options,
                            const std::vector<ChosenGpu>& gpus,
                            const std::vector<std::string>& worker_command) {
  return SharedSweep(configuration, options, gpus, worker_command).run();
}

}  // namespace kjoule
