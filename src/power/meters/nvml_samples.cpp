#include "power/meters/nvml_samples.hpp"

#include <fmt/format.h>

#include "power/instant.hpp"
#include "power/meters/nvml_source.hpp"

namespace kjoule {

namespace {

/// The methods of reading power from NVML, the most precise first.
enum class Method { samples, instant, average, none };

constexpr double kSamplePeriod_s = 0.02;
constexpr double kInstantPeriod_s = 0.1;  // the longest sensor interval of any known board
constexpr double kAverage_s = 1;
constexpr double kMilliwatt = 1e-3;
/// Time by which a sample may be later than the wall clock when the sample is requested.
constexpr int64_t kAhead_ns = kNsPerSecond / 5;

/// Returns the first method that the board supports.
Method method_of(const Nvml& nvml, const NvmlDevice& gpu) {
  if (nvml.power_samples(gpu, 0)) return Method::samples;
  if (nvml.instant_w(gpu)) return Method::instant;
  return nvml.average_w(gpu) ? Method::average : Method::none;
}

MeterFacts facts_of(const NvmlDevice& gpu, Method method) {
  MeterFacts facts{.source = "nvml",
                   .name = fmt::format("gpu {}", gpu.index),
                   .scope = Scope::gpu,
                   .quantity = Quantity::power_w,
                   .tick_s = kSamplePeriod_s,
                   .averaging_s = kSamplePeriod_s,
                   .duty = {},
                   .value_step = kMilliwatt,
                   .accuracy = kBoardAccuracy,
                   .accuracy_from = kBoardAccuracyFrom};
  if (method == Method::samples) return facts;
  facts.tick_s = kInstantPeriod_s;
  facts.averaging_s = method == Method::average ? kAverage_s : kInstantPeriod_s;
  return facts;
}

class PowerMeter final : public Meter {
 public:
  PowerMeter(std::shared_ptr<Nvml> nvml, NvmlDevice gpu, Method method)
      : Meter(facts_of(gpu, method)),
        nvml_(std::move(nvml)),
        gpu_(std::move(gpu)),
        method_(method),
        read_(instant_now().unix_ns) {}
  std::optional<DeviceState> state() override { return nvml_->state(gpu_); }

 private:
  std::vector<MeterValue> fetch() override {
    if (method_ == Method::samples) return fetch_samples();
    const auto watts = method_ == Method::instant ? nvml_->instant_w(gpu_) : nvml_->average_w(gpu_);
    const Instant after = instant_now();
    if (!watts) return {};
    return {{after.steady_ns, after.unix_ns, *watts}};
  }

  std::vector<MeterValue> fetch_samples() {
    const int64_t now_ns = instant_now().unix_ns;
    if (read_.begin_again(now_ns))
      note("the wall clock was set back; power samples until then may be missing");
    const auto samples = nvml_->power_samples(gpu_, read_.last_unix_ns());
    std::vector<MeterValue> readings;
    for (const NvmlSample& sample : read_.take(samples.value_or(std::vector<NvmlSample>()), now_ns))
      readings.push_back({instant_of_unix(sample.unix_ns).steady_ns, sample.unix_ns, sample.watts});
    return readings;
  }

  std::shared_ptr<Nvml> nvml_;
  NvmlDevice gpu_;
  Method method_;
  SamplesRead read_;  ///< samples before the opening are ignored
};

class SamplesSource final : public NvmlSource {
 public:
  std::string name() const override { return "nvml"; }
  std::string help() const override { return "the GPU's power samples"; }

 private:
  FoundMeter describe(const Nvml& nvml, const NvmlDevice& gpu) const override {
    const Method method = method_of(nvml, gpu);
    if (method != Method::none) return {.facts = facts_of(gpu, method)};
    return {.facts = facts_of(gpu, method),
            .lack = "this board does not report its power (N/A)",
            .remedy = "use a meter at the socket: --source wattsup"};
  }
  MeterFacts facts_of_unread(const NvmlDevice& gpu) const override { return facts_of(gpu, Method::none); }
  std::unique_ptr<Meter> make_meter(std::shared_ptr<Nvml> nvml, NvmlDevice gpu) const override {
    const Method method = method_of(*nvml, gpu);
    return std::make_unique<PowerMeter>(std::move(nvml), std::move(gpu), method);
  }
};

}  // namespace

bool SamplesRead::begin_again(int64_t now_unix_ns) {
  if (now_unix_ns + kAhead_ns >= last_unix_ns_) return false;
  last_unix_ns_ = now_unix_ns;
  return true;
}

std::vector<NvmlSample> SamplesRead::take(const std::vector<NvmlSample>& samples, int64_t now_unix_ns) {
  std::vector<NvmlSample> fresh;
  for (const NvmlSample& sample : samples) {
    if (sample.unix_ns <= last_unix_ns_) continue;
    if (sample.unix_ns > now_unix_ns + kAhead_ns) break;  // from before the clock was set back
    fresh.push_back(sample);
    last_unix_ns_ = sample.unix_ns;
  }
  return fresh;
}

std::unique_ptr<PowerSource> nvml_samples_source() {
  return std::make_unique<SamplesSource>();
}

}  // namespace kjoule
