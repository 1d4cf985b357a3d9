#include "sampling/sampled_rows.hpp"

#include <fmt/format.h>

#include <fstream>
#include <optional>

#include "base/error.hpp"
#include "base/program_lines.hpp"
#include "base/temporary_folder.hpp"
#include "run/torch_runner.hpp"

namespace kjoule {

namespace {

/// What processes of kjoule-torch say, one after another.
class Answers {
 public:
  Answers(const std::function<void(const SamplingDevice&)>& take_device, const TakeAnswer& take)
      : take_device_(take_device), take_(take) {}

  size_t next() const { return next_; }
  bool device_known() const { return device_known_; }

  void take(const nlohmann::json& json) {
    if (json.contains("device")) {
      if (!device_known_) take_device_(sampling_device(json));
      device_known_ = true;
    } else if (json.contains("tries")) {
      busy_ = json.at("tries").get<size_t>();
    } else if (json.contains("sample")) {
      answered(json.at("sample").get<size_t>(), sample_answer(json.at("answer")));
    }
  }

  /// The process ended so; throws Error where another one would do no better.
  void ended(const ObjectsEnd& end, size_t began, bool nothing_asked) {
    if (busy_) {
      SampleAnswer answer;
      answer.why = fmt::format("its process ended with it ({}{}{})", end.how, end.other.empty() ? "" : ": ",
                               end.other);
      answered(*busy_, answer);
    } else if (!device_known_ || (next_ == began && !nothing_asked)) {
      throw runner_ended(end.how, end.other);
    }
  }

 private:
  void answered(size_t request, const SampleAnswer& answer) {
    busy_.reset();
    next_ = request + 1;
    take_(request, answer);
  }

  const std::function<void(const SamplingDevice&)>& take_device_;
  const TakeAnswer& take_;
  bool device_known_ = false;
  size_t next_ = 0;             ///< behind the last request that has its answer
  std::optional<size_t> busy_;  ///< the one under way
};

/// Where kjoule-torch reads requests, while others are added.
class RequestFile {
 public:
  explicit RequestFile(const std::vector<SampleRequest>& requests) : requests_(requests), lines_(path()) {}
  std::string path() const { return folder_ / "operators.jsonl"; }

  /// Writes those that are not there yet, and that no more come once all have their answer. Throws Error.
  void add_new(const Answers& answers) {
    for (; written_ < requests_.size(); ++written_) lines_ << to_json(requests_[written_]).dump() << '\n';
    if (answers.device_known() && answers.next() == requests_.size()) lines_ << kEndOfRequests << '\n';
    if (!lines_.flush()) throw Error(path() + ": cannot be written", "is the disk full?");
  }

 private:
  const std::vector<SampleRequest>& requests_;
  TemporaryFolder folder_;
  std::ofstream lines_;
  size_t written_ = 0;
};

}  // namespace

void sample_requests(const std::vector<std::string>& runner, std::vector<SampleRequest>& requests,
                     const std::function<void(const SamplingDevice&)>& take_device, const TakeAnswer& take) {
  Answers answers(take_device, take);
  RequestFile file(requests);
  do {
    file.add_new(answers);
    const size_t began = answers.next();
    std::vector<std::string> command = runner;
    command.insert(command.end(), {"--operators", file.path(), "--sample", std::to_string(began)});
    const ObjectsEnd end = run_for_objects(command, [&](const nlohmann::json& json) {
      answers.take(json);
      file.add_new(answers);
    });
    if (answers.next() < requests.size() || requests.empty()) answers.ended(end, began, requests.empty());
  } while (answers.next() < requests.size());
}

}  // namespace kjoule
