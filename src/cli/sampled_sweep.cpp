#include "cli/sampled_sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/progress.hpp"
#include "cli/sampled_rows.hpp"
#include "kjoule_version.hpp"
#include "sample/sample_files.hpp"
#include "sample/sampling_log.hpp"

namespace kjoule {

namespace {

std::string dtype_of(const std::string& precision) {
  if (precision == "fp16") return "Half";
  return precision == "bf16" ? "BFloat16" : "Float";
}

/// The samples of one part, and where their rows go.
class PartOfSweep {
 public:
  PartOfSweep(const SamplingConfiguration& configuration, const SamplingOptions& options,
              const SamplingDevice& device)
      : configuration_(configuration),
        options_(options),
        roof_(options.roof ? options.roof : known_roof(device.name)),
        name_{gpu_in_name(device.name), configuration.kernel_name, options.precision, options.parts,
              options.part},
        files_(options.folder / "sampling_data", name_.text(), configuration.parameters,
               configuration.time_columns) {
    collect();
    begin_run(device);
    log_.emplace(options.folder / "sampling_log" / (name_.text() + ".txt"),
                 configuration.kernel_name + '_' + options.precision, outcome_.samples, outcome_.before,
                 clock_);
  }

  SweepOutcome run() {
    progress_->stage(fmt::format("sampling {}_{}", configuration_.kernel_name, options_.precision));
    for (const SampleRow& row : invalid_) add(row);
    const auto take = [this](size_t request, const SampleAnswer& answer) {
      add({pending_[request].sample, pending_[request].shape, answer});
    };
    if (!requests_.empty())
      sample_requests(
          options_.runner, requests_, [](const SamplingDevice&) {}, take);
    progress_->finish();
    log_->finish();
    outcome_.name = name_;
    outcome_.csv = files_.csv();
    outcome_.jsonl = files_.jsonl();
    outcome_.has_roof = roof_.has_value();
    return outcome_;
  }

 private:
  void collect() {
    const Sweep sweep(configuration_.swept);
    for (size_t sample = 1; sample <= sweep.size(); ++sample) {
      if (part_of_sample(sample, options_.parts) != options_.part) continue;
      ++outcome_.samples;
      SampleShape shape = sweep.shape(sample - 1);
      if (files_.holds(shape))
        ++outcome_.before;
      else
        ask({sample, std::move(shape), {}});
    }
  }

  void ask(SampleRow row) {
    try {
      requests_.push_back(request_for(configuration_, options_.precision, row.shape));
      pending_.push_back(std::move(row));
    } catch (const Error& error) {
      row.answer.status = SampleStatus::invalid;
      row.answer.why = error.what();
      invalid_.push_back(std::move(row));
    }
  }

  void begin_run(const SamplingDevice& device) {
    nlohmann::ordered_json run{{"kjoule", kjoule_version},
                               {"torch", device.torch},
                               {"device", device.name},
                               {"threads", device.threads},
                               {"time", device.time},
                               {"operator", configuration_.function_name},
                               {"precision", options_.precision},
                               {"parts", options_.parts},
                               {"part", options_.part},
                               {"configuration", configuration_.file},
                               {"began", clock_.local_time(clock_.now_ns())}};
    run["roof"] = roof_ ? to_json(*roof_) : nlohmann::json("not known: nothing was checked against it");
    if (!requests_.empty() || !invalid_.empty()) files_.begin_run(run);
  }

  void add(SampleRow row) {
    if (row.answer.status == SampleStatus::measured && roof_) {
      const std::vector<std::string> reasons = above_roof(*roof_, options_.precision, row.answer);
      if (!reasons.empty()) {
        row.answer.status = SampleStatus::too_fast;
        row.answer.why = fmt::format("{}", fmt::join(reasons, "; "));
      }
    }
    files_.add(row);
    log_->sample_done();
    ++outcome_.counts[status_name(row.answer.status)];
    if (row.answer.status != SampleStatus::measured) outcome_.last_error = row.answer.why;
    progress_->update(static_cast<double>(++done_) / static_cast<double>(pending_.size() + invalid_.size()));
  }

  const SamplingConfiguration& configuration_;
  const SamplingOptions& options_;
  std::optional<SamplingRoof> roof_;
  SampleName name_;
  SampleFiles files_;
  SteadyClock clock_;
  std::optional<SamplingLog> log_;
  std::unique_ptr<Progress> progress_ = make_progress();
  std::vector<SampleRequest> requests_;
  std::vector<SampleRow> pending_, invalid_;  ///< one for each request; without one
  SweepOutcome outcome_;
  size_t done_ = 0;
};

}  // namespace

SampleRequest request_for(const SamplingConfiguration& configuration, const std::string& precision,
                          const SampleShape& shape) {
  SampleRequest request;
  request.operator_name = configuration.function_name;
  request.precision = precision;
  request.shape = shape;
  request.warmup_shape = configuration.warmup_shape;
  request.warmup_passes = configuration.warmup_passes;
  request.active = configuration.active;
  request.wants_backward = configuration.time_columns.size() > 1;
  if (configuration.call) {
    request.call = configuration.call_of(shape, dtype_of(precision));
    request.warmup_call = configuration.call_of(configuration.warmup_shape, dtype_of(precision));
  }
  return request;
}

SamplingDevice sampling_device_of(const std::vector<std::string>& runner) {
  std::optional<SamplingDevice> found;
  sample_requests(
      runner, {}, [&](const SamplingDevice& device) { found = device; }, [](size_t, const SampleAnswer&) {});
  return *found;
}

SweepOutcome sample_sweep(const SamplingConfiguration& configuration, const SamplingOptions& options) {
  return PartOfSweep(configuration, options, sampling_device_of(options.runner)).run();
}

}  // namespace kjoule
