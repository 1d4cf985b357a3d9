#include "page/method_section.hpp"

#include <fmt/format.h>

#include <string>

#include "base/text/printable.hpp"
#include "report/stop_text.hpp"

namespace kjoule {

namespace {

/// Returns the device with the versions that are known of its software.
std::string device_text(const nlohmann::json& run) {
  const nlohmann::json device = run.value("device", nlohmann::json::object());
  std::string text = device.value("name", "the device");
  if (const int cuda = device.value("cuda_driver_version", 0); cuda > 0)
    text += fmt::format(" (driver for CUDA {}.{})", cuda / 1000, cuda % 1000 / 10);
  if (const std::string torch = device.value("torch", ""); !torch.empty()) text += " with torch " + torch;
  return printable(text);
}

std::string times_method(const Comparison& c) {
  size_t launches = 0;
  for (const KernelResult& kernel : c.kernels) launches += kernel.count;
  return fmt::format(
      "One iteration of the program ({} launches of {} kernels) was recorded and replayed on {} with kjoule "
      "{}. "
      "The time of a kernel is measured at its places in the iteration; the times of all launches are added "
      "up "
      "and compared with the time of the replayed iteration ({} rounds{}). Their difference is {:+.2f} %. "
      "Intervals are 95 % confidence intervals.",
      launches, c.kernels.size(), device_text(c.run), printable(c.run.value("kjoule", "")), c.times.rounds,
      stop_text(c.stopped.by), 100 * (c.times.sum_s.value / c.times.whole_s.value - 1));
}

std::string energy_method(const EnergyResult& energy) {
  const nlohmann::json& meter = energy.meters.front().facts;
  return fmt::format(
      " Energy was measured by {} in {} blocks ({:.0f} s): the iteration with and without each group of "
      "kernels.",
      printable(meter.value("name", meter.value("source", "a meter"))), energy.blocks, energy.seconds);
}

/// Returns the entry of a bibliography (BibTeX) for the version that measured.
std::string citation(const std::string& version) {
  return fmt::format(
      "@software{{kjoule,\n  author  = {{{{The kjoule developers}}}},\n"
      "  title   = {{kjoule: where a GPU program's time and energy go, kernel by kernel}},\n"
      "  version = {{{}}}\n}}\n",
      printable(version));
}

}  // namespace

PageSection method_section(const Comparison& c) {
  PageSection section("method", "How this was measured");
  section.add_paragraph(times_method(c) +
                        (c.energy && c.energy->missing.empty() ? energy_method(*c.energy) : std::string()));
  section.add_screen("Citation", citation(c.run.value("kjoule", "")));
  return section;
}

}  // namespace kjoule
