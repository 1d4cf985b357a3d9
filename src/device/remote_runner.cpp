#include "device/remote_runner.hpp"

#include <fmt/format.h>

#include "device/connection.hpp"
#include "device/protocol.hpp"
#include "device/remote_device.hpp"

namespace kjoule {

Error runner_end_error(const std::string& how, const std::string& last_line, const std::string& program) {
  const std::string own_words = program + ": ";
  if (last_line.starts_with(own_words)) return Error(last_line.substr(own_words.size()));
  return Error(fmt::format("{} ended ({}){}{}", program, how, last_line.empty() ? "" : ": ", last_line),
               "kjoule doctor reports what this machine lacks");
}

RemoteRunner::RemoteRunner(std::vector<std::string> command, const Environment& more, std::string program)
    : program_(std::move(program)),
      link_(std::make_shared<ChildLink>(std::move(command), more)),
      connection_(std::make_shared<Connection>(link_)) {}

RemoteRunner::~RemoteRunner() = default;

std::unique_ptr<Device> RemoteRunner::start(const RunnerWork& work) {
  try {
    const nlohmann::json info =
        connection_->call("hello", {{"version", kProtocolVersion}, {"work", write_fields(work)}});
    if (info.is_null()) return nullptr;
    return std::make_unique<RemoteDevice>(connection_,
                                          read_fields<DeviceInfo>(info, "the reply of " + program_));
  } catch (const DeviceError& error) {
    if (!error.lost) throw;
    throw runner_end_error(link_->child().how_it_ended(), link_->child().last_line(), program_);
  }
}

double RemoteRunner::try_call(const ReplayCall& call) {
  return ask("try_call", {{"call", write_fields(call)}}).get<double>();
}

SamplingDevice RemoteRunner::sampling_device() {
  return read_fields<SamplingDevice>(ask("sampling_device"), "the reply of kjoule-torch to sampling_device");
}

SampleAnswer RemoteRunner::sample(const SampleRequest& request) {
  return read_fields<SampleAnswer>(ask("sample", {{"request", write_fields(request)}}),
                                   "the reply of kjoule-torch to sample");
}

Roof RemoteRunner::roof(const std::string& type) {
  return read_fields<Roof>(ask("roof", {{"type", type}}), "the reply of kjoule-torch to roof");
}

nlohmann::json RemoteRunner::describe(const ModelWork& model) {
  return ask("describe", {{"model", write_fields(model)}});
}

bool RemoteRunner::is_usable() const {
  return !connection_->is_over();
}

nlohmann::json RemoteRunner::ask(const char* operation, nlohmann::json body) {
  try {
    return connection_->call(operation, std::move(body));
  } catch (const DeviceError& error) {
    if (!error.lost) throw;
    throw DeviceError(fmt::format("the process of {} ended while it ran this ({})", program_, link_->end()),
                      {}, {}, true);
  }
}

}  // namespace kjoule
