#include "power/meters/nvml_samples.hpp"

#include <fmt/format.h>

#include "power/instant.hpp"
#include "power/meters/nvml.hpp"

namespace kjoule {

namespace {

enum class Way { samples, instant, average, none };

constexpr double kSamplePeriod_s = 0.02;
constexpr double kInstantPeriod_s = 0.1;  // the longest sensor interval of any known board
constexpr double kAverage_s = 1;
constexpr double kMilliwatt = 1e-3;

/// Returns the first of the ways of reading power that the board supports.
Way way_of(const Nvml& nvml, const NvmlDevice& gpu) {
  if (nvml.power_samples(gpu, 0)) return Way::samples;
  if (nvml.instant_w(gpu)) return Way::instant;
  return nvml.average_w(gpu) ? Way::average : Way::none;
}

MeterFacts facts_of(const NvmlDevice& gpu, Way way) {
  MeterFacts facts{.source = "nvml",
                   .name = fmt::format("gpu {}", gpu.index),
                   .scope = Scope::gpu,
                   .quantity = Quantity::power_w,
                   .tick_s = kSamplePeriod_s,
                   .averaging_s = kSamplePeriod_s,
                   .duty = {},
                   .resolution = kMilliwatt,
                   .looks_hz = looks_hz_of(gpu.name)};
  if (way == Way::samples) return facts;
  facts.tick_s = kInstantPeriod_s;
  facts.averaging_s = way == Way::average ? kAverage_s : kInstantPeriod_s;
  return facts;
}

class PowerMeter final : public Meter {
 public:
  PowerMeter(std::shared_ptr<Nvml> nvml, NvmlDevice gpu, Way way)
      : Meter(facts_of(gpu, way)),
        nvml_(std::move(nvml)),
        gpu_(std::move(gpu)),
        way_(way),
        last_unix_ns_(instant_now().unix_ns) {}
  std::optional<DeviceState> state() override { return nvml_->state(gpu_); }

 private:
  std::vector<Reading> fetch() override {
    if (way_ == Way::samples) return fetch_samples();
    const auto watts = way_ == Way::instant ? nvml_->instant_w(gpu_) : nvml_->average_w(gpu_);
    const Instant after = instant_now();
    if (!watts) return {};
    return {{after.steady_ns, after.unix_ns, *watts}};
  }

  std::vector<Reading> fetch_samples() {
    const auto samples = nvml_->power_samples(gpu_, last_unix_ns_);
    std::vector<Reading> readings;
    for (const NvmlSample& sample : samples.value_or(std::vector<NvmlSample>())) {
      readings.push_back({instant_of_unix(sample.unix_ns).steady_ns, sample.unix_ns, sample.watts});
      last_unix_ns_ = sample.unix_ns;
    }
    return readings;
  }

  std::shared_ptr<Nvml> nvml_;
  NvmlDevice gpu_;
  Way way_;
  int64_t last_unix_ns_;  ///< time of the newest sample; samples from before the opening are ignored
};

class SamplesSource final : public PowerSource {
 public:
  std::string name() const override { return "nvml"; }
  std::string help() const override { return "the GPU's power samples"; }
  std::vector<FoundMeter> find() override {
    const auto nvml = Nvml::open();
    std::vector<FoundMeter> found;
    for (const NvmlDevice& gpu : nvml->devices()) {
      const Way way = way_of(*nvml, gpu);
      FoundMeter meter{.id = gpu.uuid, .device = gpu.name, .facts = facts_of(gpu, way)};
      if (way == Way::none) {
        meter.lack = "this board does not report its power (N/A)";
        meter.remedy = "use a meter at the socket: --source wattsup";
      }
      found.push_back(std::move(meter));
    }
    return found;
  }
  std::unique_ptr<Meter> open(const FoundMeter& found) override {
    if (!found.lack.empty()) throw Error(found.facts.name + ": " + found.lack, found.remedy);
    auto nvml = Nvml::open();
    NvmlDevice gpu = nvml->device(found.id);
    const Way way = way_of(*nvml, gpu);
    return std::make_unique<PowerMeter>(std::move(nvml), std::move(gpu), way);
  }
};

}  // namespace

std::unique_ptr<PowerSource> nvml_samples_source() {
  return std::make_unique<SamplesSource>();
}

}  // namespace kjoule
