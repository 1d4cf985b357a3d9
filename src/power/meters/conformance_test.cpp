// Tests that every source must pass, with stand-ins for the devices and files that the source reads.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "base/process/temporary_folder.hpp"
#include "power/instant.hpp"
#include "power/meters/csv_source.hpp"
#include "power/meters/fake_wattsup.hpp"
#include "power/meters/nvidia_smi.hpp"
#include "power/meters/nvml_counter.hpp"
#include "power/meters/nvml_samples.hpp"
#include "power/meters/rapl.hpp"
#include "power/meters/wattsup.hpp"
#include "power/timestamp.hpp"

namespace kjoule {
namespace {

namespace fs = std::filesystem;

/// Sets an environment variable while an object exists.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// A stand-in for the device or file that a source reads, which a test controls.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::unique_ptr<PowerSource> source() = 0;
  /// Returns a source that finds no meter.
  virtual std::unique_ptr<PowerSource> missing() = 0;
  /// Sets the power from now on. A stand-in that sends its readings sends one.
  virtual void feed(double watts) = 0;
  virtual void unplug() = 0;
  /// Returns whether the meter waits for a device that is gone.
  virtual bool comes_back() const { return false; }
};

class NvmlBackend : public Backend {
 public:
  explicit NvmlBackend(const std::string& lacks, bool counter = false)
      : library_("KJOULE_NVML", KJOULE_FAKE_NVML),
        lacks_("FAKE_NVML_LACKS", lacks),
        lost_("FAKE_NVML_LOST", "0"),
        watts_("FAKE_NVML_WATTS", "100"),
        counter_(counter) {}
  std::unique_ptr<PowerSource> source() override {
    return counter_ ? nvml_counter_source() : nvml_samples_source();
  }
  std::unique_ptr<PowerSource> missing() override {
    setenv("KJOULE_NVML", "libkjoule-none.so", 1);
    return source();
  }
  void feed(double watts) override { setenv("FAKE_NVML_WATTS", fmt::format("{}", watts).c_str(), 1); }
  void unplug() override { setenv("FAKE_NVML_LOST", "1", 1); }

 private:
  Variable library_, lacks_, lost_, watts_;
  bool counter_;
};

class SmiBackend : public Backend {
 public:
  SmiBackend() : path_("PATH", folder_.path().string() + ":" + std::getenv("PATH")) {
    write_atomic(folder_ / "watts", "100.00 W\n");
    write_atomic(folder_ / "nvidia-smi", fmt::format(R"script(#!/bin/bash
row() {{ [ ! -e {0}/gone ] && echo "$(date '+%Y/%m/%d %H:%M:%S.%3N'), 0, GPU-1, Fake, $(cat {0}/watts)"; }}
echo 'timestamp, index, uuid, name, power.draw.instant [W]'
row
[[ "$*" == *-lms* ]] || exit 0
while sleep 0.02; do row || {{ echo 'Unable to determine the device handle'; exit 15; }}; done
)script",
                                                     folder_.path().string()));
    fs::permissions(folder_ / "nvidia-smi", fs::perms(0755));
  }
  std::unique_ptr<PowerSource> source() override { return nvidia_smi_source(0.02); }
  std::unique_ptr<PowerSource> missing() override {
    setenv("PATH", (folder_ / "empty").c_str(), 1);
    return source();
  }
  void feed(double watts) override { write_atomic(folder_ / "watts", fmt::format("{:.2f} W\n", watts)); }
  void unplug() override { write_atomic(folder_ / "gone", ""); }

 private:
  TemporaryFolder folder_;
  Variable path_;
};

class WattsupBackend : public Backend {
 public:
  std::unique_ptr<PowerSource> source() override { return wattsup_source({.devices = folder_.path()}); }
  std::unique_ptr<PowerSource> missing() override { return wattsup_source({.devices = folder_ / "none"}); }
  void feed(double watts) override { fake_.measure(watts); }
  void unplug() override { fake_.unplug(); }
  bool comes_back() const override { return true; }

 private:
  TemporaryFolder folder_;
  FakeWattsup fake_{folder_ / "ttyUSB0"};
};

class RaplBackend : public Backend {
 public:
  RaplBackend() {
    fs::create_directories(domain_);
    write_atomic(domain_ / "name", "package-0\n");
    write_atomic(domain_ / "max_energy_range_uj", "262143328850\n");
    feed(0);
  }
  std::unique_ptr<PowerSource> source() override { return rapl_source(folder_.path()); }
  std::unique_ptr<PowerSource> missing() override { return rapl_source(folder_ / "none"); }
  void feed(double watts) override {
    energy_uj_ += static_cast<int64_t>(watts * 1e3);
    write_atomic(domain_ / "energy_uj", fmt::format("{}\n", energy_uj_));
  }
  void unplug() override { fs::remove_all(domain_); }

 private:
  TemporaryFolder folder_;
  fs::path domain_ = folder_ / "intel-rapl:0";
  int64_t energy_uj_ = 1'000'000;
};

class CsvBackend : public Backend {
 public:
  CsvBackend() { write("timestamp,power_w\n"); }
  std::unique_ptr<PowerSource> source() override { return csv_source({.csv = file_}); }
  std::unique_ptr<PowerSource> missing() override { return csv_source({.csv = folder_ / "none"}); }
  void feed(double watts) override {
    write(fmt::format("{},{}\n", local_timestamp(instant_now().unix_ns), watts));
  }
  void unplug() override { fs::remove(file_); }
  bool comes_back() const override { return true; }

 private:
  void write(const std::string& text) { std::ofstream(file_, std::ios::app) << text; }
  TemporaryFolder folder_;
  fs::path file_ = folder_ / "power.csv";
};

struct Case {
  const char* name;
  std::function<std::unique_ptr<Backend>()> backend;
};

class EverySource : public testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<Backend> backend_ = GetParam().backend();

  std::unique_ptr<Meter> open() {
    source_ = backend_->source();
    return source_->open(source_->find().at(0));
  }
  /// Feeds about 100 W and returns at least `count` readings, or fewer after 5 s.
  std::vector<MeterValue> read(Meter& meter, size_t count) {
    std::vector<MeterValue> all;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    for (int i = 0; all.size() < count && std::chrono::steady_clock::now() < deadline; ++i) {
      backend_->feed(100 + i % 7);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      for (const MeterValue& reading : meter.read()) all.push_back(reading);
    }
    return all;
  }
  std::unique_ptr<PowerSource> source_;
};

TEST_P(EverySource, SaysWhatItIs) {
  const auto source = backend_->source();
  const FoundMeter found = source->find().at(0);
  EXPECT_EQ(found.facts.source, source->name());
  EXPECT_NE(source->help(), "");
  EXPECT_NE(found.facts.name, "");
  EXPECT_NE(found.device, "");
  EXPECT_EQ(found.lack, "");
  EXPECT_GT(found.facts.averaging_s, 0);
  EXPECT_GT(found.facts.tick_s, 0);
  EXPECT_GT(found.facts.value_step, 0);
  EXPECT_GT(found.facts.duty.value_or(1), 0);
  EXPECT_LE(found.facts.duty.value_or(1), 1);
  EXPECT_GT(source->patience_s(), found.facts.tick_s);
  const auto meter = source->open(found);
  EXPECT_EQ(meter->facts().name, found.facts.name);
  EXPECT_STREQ(unit_of(meter->facts().quantity), meter->facts().quantity == Quantity::power_w ? "W" : "J");
  EXPECT_TRUE(too_short_message(found.facts, 2 * found.facts.averaging_s));
  EXPECT_FALSE(too_short_message(found.facts, 3 * found.facts.averaging_s));
}

TEST_P(EverySource, TimesRiseOnBothClocks) {
  const Instant before = instant_now();
  const auto meter = open();
  const auto readings = read(*meter, 5);
  const Instant after = instant_now();
  ASSERT_GE(readings.size(), 5U);
  constexpr int64_t millisecond = 1'000'000;  // what texts are rounded to
  for (size_t i = 0; i < readings.size(); ++i) {
    EXPECT_GE(readings[i].steady_ns, before.steady_ns - 20 * millisecond);
    EXPECT_LE(readings[i].steady_ns, after.steady_ns + millisecond);
    EXPECT_NEAR(static_cast<double>(readings[i].unix_ns - before.unix_ns),
                static_cast<double>(readings[i].steady_ns - before.steady_ns), millisecond);
    if (i > 0) {
      EXPECT_GT(readings[i].steady_ns, readings[i - 1].steady_ns);
    }
  }
}

TEST_P(EverySource, ReadsWhatIsThereAndNothingElse) {
  const auto meter = open();
  for (const MeterValue& reading : read(*meter, 5)) {
    EXPECT_GT(reading.value, 0);
    if (meter->facts().quantity == Quantity::power_w) {
      EXPECT_GE(reading.value, 99);
      EXPECT_LE(reading.value, 107);
    }
  }
  // A second call at once returns no value again; values that it returns are new.
  const auto first = meter->read();
  const auto second = meter->read();
  if (!first.empty() && !second.empty()) {
    EXPECT_GT(second.front().steady_ns, first.back().steady_ns);
  }
}

TEST_P(EverySource, IsNeverZeroWhenItGoes) {
  const auto meter = open();
  ASSERT_FALSE(read(*meter, 2).empty());
  (void)meter->take_notes();
  backend_->unplug();
  bool noted = false;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (!noted && std::chrono::steady_clock::now() < deadline) {
    try {
      for (const MeterValue& reading : meter->read()) EXPECT_GT(reading.value, 0);
      noted = !meter->take_notes().empty();
    } catch (const Error& error) {
      noted = true;
      EXPECT_FALSE(backend_->comes_back()) << error.line();
      EXPECT_NE(error.remedy(), "");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_TRUE(noted);
}

TEST_P(EverySource, SaysWhyItIsMissing) {
  try {
    (void)backend_->missing()->find();
    FAIL() << "found";
  } catch (const Error& error) {
    EXPECT_STRNE(error.what(), "");
    EXPECT_NE(error.remedy(), "");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Power, EverySource,
    testing::Values(Case{"nvml", [] { return std::make_unique<NvmlBackend>(""); }},
                    Case{"nvml_instant", [] { return std::make_unique<NvmlBackend>("samples"); }},
                    Case{"nvml_average", [] { return std::make_unique<NvmlBackend>("samples,instant"); }},
                    Case{"nvml_counter", [] { return std::make_unique<NvmlBackend>("", true); }},
                    Case{"nvidia_smi", [] { return std::make_unique<SmiBackend>(); }},
                    Case{"wattsup", [] { return std::make_unique<WattsupBackend>(); }},
                    Case{"rapl", [] { return std::make_unique<RaplBackend>(); }},
                    Case{"csv", [] { return std::make_unique<CsvBackend>(); }}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kjoule
