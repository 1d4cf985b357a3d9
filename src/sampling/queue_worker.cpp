#include "sampling/queue_worker.hpp"

#include "base/error.hpp"
#include "base/json/json_fields.hpp"
#include "device/protocol.hpp"
#include "sampling/device_sampler.hpp"
#include "sampling/sample_requests.hpp"

namespace kjoule {

namespace {

/// Sends everything that is measured to the queue.
class QueueSender final : public SampleReceiver {
 public:
  QueueSender(int socket, const std::vector<std::string>& parameters)
      : socket_(socket), parameters_(parameters) {}
  void take_row(const SampleRow& row) override {
    send_message(socket_, {{"row", to_json(row, parameters_)}});
  }
  void take_timed(const SampleRow& row) override {
    send_message(socket_, {{"timed", to_json(row, parameters_)}});
  }
  void take_lost(const SampleRow& row) override {
    send_message(socket_, {{"lost", to_json(row, parameters_)}});
  }
  void take_meters(const std::string&, const std::vector<nlohmann::json>& meters,
                   const std::string& lack) override {
    send_message(socket_, {{"meters", {{"meters", meters}, {"lack", lack}}}});
  }
  void take_note(const std::string& note) override { send_message(socket_, {{"note", note}}); }

 private:
  int socket_;
  const std::vector<std::string>& parameters_;
};

nlohmann::json receive_answer(int socket) {
  if (auto message = receive_message(socket)) return *message;
  throw Error("the process that assigns the samples ended");
}

SampleTask read_task(const nlohmann::json& task, const SamplingConfiguration& configuration,
                     const std::string& precision) {
  SampleRow row = sample_row(task.at("row"), configuration.parameters);
  SampleRequest request = make_sample_request(configuration, precision, row.shape);
  return {std::move(request), std::move(row), task.at("is_timed").get<bool>()};
}

void measure_for_queue(int socket, const SamplingConfiguration& configuration,
                       const SamplingOptions& options) {
  DeviceSampler sampler(configuration, options);
  QueueSender sender(socket, configuration.parameters);
  SamplingDevice device = sampler.device();
  send_message(socket, {{"device", write_fields(device)}});
  receive_answer(socket);
  sampler.warm_up();
  while (true) {
    send_message(socket, {{"ready", nullptr}});
    const nlohmann::json answer = receive_answer(socket);
    std::vector<SampleTask> tasks;
    for (const auto& task : answer.at("tasks"))
      tasks.push_back(read_task(task, configuration, options.precision));
    if (tasks.empty()) return;
    sampler.measure(tasks, sender);
  }
}

}  // namespace

int serve_queue(int socket, const SamplingConfiguration& configuration, const SamplingOptions& options) {
  try {
    measure_for_queue(socket, configuration, options);
    return 0;
  } catch (const Error& error) {
    send_message(socket, {{"failed", to_message(error)}});
    return 1;
  }
}

}  // namespace kjoule
