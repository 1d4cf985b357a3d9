#include "power/meters/nvml_counter.hpp"

#include <fmt/format.h>

#include "power/instant.hpp"
#include "power/meters/nvml_source.hpp"

namespace kjoule {

namespace {

constexpr double kTick_s = 0.1;
constexpr double kMillijoule = 1e-3;

MeterFacts facts_of(const NvmlDevice& gpu) {
  return {.source = "nvml-counter",
          .name = fmt::format("gpu {}", gpu.index),
          .scope = Scope::gpu,
          .quantity = Quantity::energy_j,
          .tick_s = kTick_s,
          .averaging_s = kTick_s,
          .duty = {},
          .value_step = kMillijoule,
          .accuracy = kBoardAccuracy,
          .accuracy_from = kBoardAccuracyFrom};
}

class CounterMeter final : public Meter {
 public:
  CounterMeter(std::shared_ptr<Nvml> nvml, NvmlDevice gpu)
      : Meter(facts_of(gpu)), nvml_(std::move(nvml)), gpu_(std::move(gpu)) {}
  std::optional<DeviceState> state() override { return nvml_->state(gpu_); }

 private:
  std::vector<MeterValue> fetch() override {
    const int64_t requested_ns = instant_now().steady_ns;
    const auto joules = nvml_->energy_j(gpu_);
    const Instant after = instant_now();  // a read takes milliseconds and returns the value at its end
    if (!joules) return {};
    return {{after.steady_ns, after.unix_ns, *joules, requested_ns}};
  }

  std::shared_ptr<Nvml> nvml_;
  NvmlDevice gpu_;
};

class CounterSource final : public NvmlSource {
 public:
  std::string name() const override { return "nvml-counter"; }
  std::string help() const override { return "the GPU's energy counter"; }

 private:
  FoundMeter describe(const Nvml& nvml, const NvmlDevice& gpu) const override {
    if (nvml.energy_j(gpu)) return {.facts = facts_of(gpu)};
    return {
        .facts = facts_of(gpu), .lack = "this board has no energy counter", .remedy = "use --source nvml"};
  }
  MeterFacts facts_of_unread(const NvmlDevice& gpu) const override { return facts_of(gpu); }
  std::unique_ptr<Meter> make_meter(std::shared_ptr<Nvml> nvml, NvmlDevice gpu) const override {
    return std::make_unique<CounterMeter>(std::move(nvml), std::move(gpu));
  }
};

}  // namespace

std::unique_ptr<PowerSource> nvml_counter_source() {
  return std::make_unique<CounterSource>();
}

}  // namespace kjoule
