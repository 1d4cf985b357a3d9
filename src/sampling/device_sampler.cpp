#include "sampling/device_sampler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "sampling/sample_requests.hpp"

namespace kjoule {

DeviceSampler::DeviceSampler(const SamplingConfiguration& configuration, const SamplingOptions& options)
    : configuration_(configuration), options_(options), runner_(options.start_runner) {}

const SamplingDevice& DeviceSampler::device() {
  if (!device_) {
    device_ = runner_.ready().sampling_device();
    roofs_ = options_.roofs_of(device_->name);
  }
  return *device_;
}

void DeviceSampler::warm_up() {
  if (configuration_.warmup_passes == 0) return;
  SampleRequest request =
      make_sample_request(configuration_, options_.precision, configuration_.warmup_shape);
  request.warmup_passes = 0;
  request.active = 1;
  const SampleAnswer answer = answer_request(request, runner_).answer;
  if (answer.status == SampleStatus::measured) return;
  throw Error(fmt::format("{}: the warm-up with the sizes [{}] in {} failed: {}: {}",
                          configuration_.warmup_place, fmt::join(configuration_.warmup_shape, ", "),
                          options_.precision, status_name(answer.status), answer.why),
              "correct the operator or warmup_shapes, or choose another --device or --precision");
}

void DeviceSampler::measure(const std::vector<SampleTask>& tasks, SampleReceiver& receiver) {
  std::vector<TimedSample> timed;
  for (const SampleTask& task : tasks) {
    if (task.is_timed) {
      timed.push_back({task.request, task.row});
      continue;
    }
    const AnsweredRequest answered = answer_request(task.request, runner_);
    const SampleRow row = check({task.row.sample, task.row.shape, answered.answer});
    if (answered.ended_process) {
      receiver.take_lost(row);
    } else if (options_.replay && row.answer.status == SampleStatus::measured) {
      receiver.take_timed(row);
      timed.push_back({task.request, row});
    } else {
      receiver.take_row(row);
    }
  }
  if (!timed.empty()) replay(timed, receiver);
}

void DeviceSampler::replay(const std::vector<TimedSample>& timed, SampleReceiver& receiver) {
  device();
  runner_ = RestartedRunner(options_.start_runner);  // ends the process, which occupies memory of the device
  replay_samples(timed, *options_.replay, *device_,
                 {[&](SampleRow row) {
                    row.gpu = device_->uuid;
                    receiver.take_row(row);
                  },
                  [&](const std::vector<nlohmann::json>& meters, const std::string& lack) {
                    receiver.take_meters(device_->uuid, meters, lack);
                  },
                  [&](const std::string& note) { receiver.take_note(note); }});
}

SampleRow DeviceSampler::check(SampleRow row) {
  row.gpu = device().uuid;
  if (row.answer.status != SampleStatus::measured || !roofs_) return row;
  const std::vector<std::string> reasons = find_exceeded_roofs(*roofs_, options_.precision, row.answer);
  if (reasons.empty()) return row;
  row.answer.status = SampleStatus::too_fast;
  row.answer.why = fmt::format("{}", fmt::join(reasons, "; "));
  return row;
}

}  // namespace kjoule
