#include "power/meters/rapl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.hpp"
#include "base/text/parse_number.hpp"
#include "power/instant.hpp"
#include "power/logs/cells.hpp"

namespace kjoule {

namespace {

namespace fs = std::filesystem;

constexpr double kRaplTick_s = 0.001;
constexpr double kMicrojoule = 1e-6;
/// More than the power of any CPU package. A decrease of the counter that would mean more power was a reset,
/// not an overflow.
constexpr double kMost_w = 5000;

/// Returns the first line of a file of the Linux kernel, or sets errno and returns no value if it cannot be
/// read.
std::optional<std::string> first_line(const fs::path& path) {
  errno = 0;
  std::ifstream file(path);
  std::string line;
  if (std::getline(file, line)) return line;
  return {};
}

std::optional<double> joules_in(const fs::path& path) {
  const auto line = first_line(path);
  const auto microjoules = line ? parse_number(*line) : std::nullopt;
  if (!microjoules) return {};
  return *microjoules * kMicrojoule;
}

/// Returns a domain's name, such as "package-0", or "package-0 dram" for a part of a package.
std::string domain_name(const fs::path& domain) {
  const std::string folder = domain.filename().string();
  std::string name = first_line(domain / "name").value_or(folder);
  const size_t part = folder.rfind(':');
  if (part == folder.find(':')) return name;
  return first_line(domain.parent_path() / folder.substr(0, part) / "name").value_or(folder.substr(0, part)) +
         " " + name;
}

bool is_part_of_package(const std::string& name) {
  return name.find(' ') != std::string::npos;
}

/// Returns whether the domain of this name is used as a meter. Core and uncore are parts of their package,
/// and psys contains the packages, so their energy would be counted twice.
bool counts(const std::string& name) {
  return name.starts_with("package") && (!is_part_of_package(name) || name.ends_with(" dram"));
}

MeterFacts facts_of(const std::string& name) {
  return {.source = "rapl",
          .name = name,
          .scope = Scope::cpu,
          .quantity = Quantity::energy_j,
          .tick_s = kRaplTick_s,
          .averaging_s = kRaplTick_s,
          .duty = 1,
          .value_step = kMicrojoule};
}

class RaplMeter final : public Meter {
 public:
  RaplMeter(fs::path domain, const std::string& name)
      : Meter(facts_of(name)),
        domain_(std::move(domain)),
        range_j_(joules_in(domain_ / "max_energy_range_uj").value_or(0)) {}

 private:
  std::vector<MeterValue> fetch() override {
    const auto raw = joules_in(domain_ / "energy_uj");
    const Instant now = instant_now();
    if (!raw)
      throw Error(fmt::format("{}: {} can no longer be read", facts().name, (domain_ / "energy_uj").string()),
                  "check that the file still exists (ls)");
    if (last_raw_ && *raw < *last_raw_ && wrapped(*raw, now)) wraps_j_ += range_j_;
    last_raw_ = *raw;
    last_ns_ = now.steady_ns;
    return {{now.steady_ns, now.unix_ns, wraps_j_ + *raw}};
  }

  /// Returns whether a value that is smaller than the last one means that the counter overflowed its range.
  bool wrapped(double raw, const Instant& now) const {
    const double gained = raw + range_j_ - *last_raw_;
    const double passed_s = std::max(static_cast<double>(now.steady_ns - last_ns_) * 1e-9, kRaplTick_s);
    return range_j_ > *last_raw_ && gained <= kMost_w * passed_s;
  }

  fs::path domain_;
  double range_j_;
  double wraps_j_ = 0;
  std::optional<double> last_raw_;
  int64_t last_ns_ = 0;
};

class RaplSource final : public PowerSource {
 public:
  explicit RaplSource(fs::path powercap) : powercap_(std::move(powercap)) {}
  std::string name() const override { return "rapl"; }
  std::string help() const override { return "the CPU's energy counters"; }

  std::vector<FoundMeter> find() override {
    std::vector<FoundMeter> found;
    for (const fs::path& domain : domains()) {
      const std::string name = domain_name(domain);
      if (!counts(name)) continue;
      FoundMeter meter{.id = domain.string(), .device = domain.filename().string(), .facts = facts_of(name)};
      if (!joules_in(domain / "energy_uj")) {
        const bool not_permitted = errno == EACCES;
        meter.lack = not_permitted ? "may be read only by root" : "cannot be read";
        const std::string files = (powercap_ / "intel-rapl:*/energy_uj").string();
        meter.remedy = not_permitted ? "as root: chmod a+r " + files : "check these files: ls -l " + files;
      }
      found.push_back(std::move(meter));
    }
    if (found.empty())
      throw Error("no energy counters of a CPU in " + powercap_.string(),
                  "to measure the energy of a CPU, use a machine that has them (virtual machines and "
                  "containers seldom do)");
    return found;
  }

  std::unique_ptr<Meter> open(const FoundMeter& found) override {
    if (!found.lack.empty())
      throw Error(fmt::format("{}: {} {}", found.facts.name, found.id, found.lack), found.remedy);
    return std::make_unique<RaplMeter>(found.id, found.facts.name);
  }

 private:
  /// Returns intel-rapl:N and its parts, by name. intel-rapl-mmio has the same counters and is not included.
  std::vector<fs::path> domains() const {
    std::vector<fs::path> all;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(powercap_, none))
      if (entry.path().filename().string().starts_with("intel-rapl:")) all.push_back(entry.path());
    std::sort(all.begin(), all.end());
    return all;
  }

  fs::path powercap_;
};

}  // namespace

std::unique_ptr<PowerSource> rapl_source(const fs::path& powercap) {
  return std::make_unique<RaplSource>(powercap);
}

std::vector<FoundMeter> rapl_packages(std::vector<FoundMeter> found) {
  std::erase_if(found, [](const FoundMeter& meter) { return is_part_of_package(meter.facts.name); });
  return found;
}

}  // namespace kjoule
