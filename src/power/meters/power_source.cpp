#include "power/meters/power_source.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "power/meters/csv_source.hpp"
#include "power/meters/gpu_names.hpp"
#include "power/meters/nvidia_smi.hpp"
#include "power/meters/nvml_counter.hpp"
#include "power/meters/nvml_samples.hpp"
#include "power/meters/rapl.hpp"
#include "power/meters/source_name.hpp"
#include "power/meters/wattsup.hpp"

namespace kjoule {

namespace {

/// A source restricted to the meters of some GPUs.
class ChosenGpus final : public PowerSource {
 public:
  ChosenGpus(std::unique_ptr<PowerSource> source, std::vector<std::string> gpus)
      : source_(std::move(source)), gpus_(std::move(gpus)) {}
  std::string name() const override { return source_->name(); }
  std::string help() const override { return source_->help(); }
  std::vector<FoundMeter> find() override { return meters_of_gpus(source_->find(), gpus_); }
  std::unique_ptr<Meter> open(const FoundMeter& found) override { return source_->open(found); }
  double patience_s() const override { return source_->patience_s(); }

 private:
  std::unique_ptr<PowerSource> source_;
  std::vector<std::string> gpus_;
};

std::unique_ptr<PowerSource> choose_gpus(std::unique_ptr<PowerSource> source,
                                         const std::vector<std::string>& gpus) {
  if (gpus.empty()) return source;
  return std::make_unique<ChosenGpus>(std::move(source), gpus);
}

/// Returns the meter of a log that names the GPU `asked` in another way (index, UUID, bus ID or board).
/// Returns the end of `found` if the log has no such meter.
std::vector<FoundMeter>::const_iterator find_renamed(const std::vector<FoundMeter>& found,
                                                     const std::string& asked) {
  const std::vector<GpuNames> gpus = list_gpu_names();
  const auto gpu = std::find_if(gpus.begin(), gpus.end(),
                                [&](const GpuNames& one) { return names_gpu(asked, one, gpus); });
  if (gpu == gpus.end()) return found.end();
  return std::find_if(found.begin(), found.end(),
                      [&](const FoundMeter& meter) { return names_gpu(meter.gpu, *gpu, gpus); });
}

}  // namespace

std::vector<std::unique_ptr<PowerSource>> power_sources(const PowerSourceOptions& options) {
  std::vector<std::unique_ptr<PowerSource>> all;
  all.push_back(nvml_samples_source());
  all.push_back(nvml_counter_source());
  all.push_back(nvidia_smi_source(options.interval_s));
  all.push_back(rapl_source(options.powercap));
  all.push_back(wattsup_source(options));
  return all;
}

std::vector<FoundMeter> meters_of_gpus(const std::vector<FoundMeter>& found,
                                       const std::vector<std::string>& gpus) {
  if (gpus.empty()) return found;
  std::vector<FoundMeter> chosen;
  for (const std::string& gpu : gpus) {
    auto it = std::find_if(found.begin(), found.end(), [&](const FoundMeter& meter) {
      return meter.id == gpu || meter.facts.name == "gpu " + gpu || is_same_gpu_name(meter.gpu, gpu);
    });
    if (it == found.end()) it = find_renamed(found, gpu);
    if (it == found.end())
      throw Error("the power source has no GPU " + gpu, "choose a GPU that kjoule power devices lists");
    chosen.push_back(*it);
  }
  return chosen;
}

std::unique_ptr<PowerSource> power_source(const std::string& name, PowerSourceOptions options) {
  const SourceName asked = read_source_name(name, std::move(options));
  if (asked.name == "csv") return choose_gpus(csv_source(asked.options), asked.options.gpus);
  for (auto& source : power_sources(asked.options))
    if (source->name() == asked.name) return choose_gpus(std::move(source), asked.options.gpus);
  throw Error(asked.name + ": no such power source",
              "choose nvml, nvml-counter, nvidia-smi, wattsup, rapl or csv:FILE");
}

}  // namespace kjoule
