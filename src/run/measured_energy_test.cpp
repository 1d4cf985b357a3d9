#include <gtest/gtest.h>

#include <cerrno>
#include <functional>

#include "base/process/temporary_folder.hpp"
#include "base/write_error.hpp"
#include "run/measured_run.hpp"
#include "simulated/device.hpp"
#include "simulated/meter.hpp"

namespace kjoule {
namespace {

/// A meter that fails after a given number of calls of read().
class BreakingMeter final : public Meter {
 public:
  BreakingMeter(std::unique_ptr<Meter> meter, int reads, std::function<void()> fail)
      : Meter(meter->facts()), meter_(std::move(meter)), reads_(reads), fail_(std::move(fail)) {}

 private:
  std::vector<MeterValue> fetch() override {
    if (reads_-- <= 0) fail_();
    return meter_->read();
  }

  std::unique_ptr<Meter> meter_;
  int reads_;
  std::function<void()> fail_;
};

/// Runs that measure energy on a simulated device whose time cannot be set back, as on a real device.
class EnergyOfARun : public testing::Test {
 protected:
  using Break = std::function<std::unique_ptr<Meter>(std::unique_ptr<Meter>)>;

  /// Measures until the energy is complete. The meter may be replaced by one that fails.
  void measure(const Break& broken = {}) {
    SimulatedDevice* simulated = nullptr;
    Subject subject;
    {
      auto device = std::make_unique<SimulatedDevice>(parse_simulated_spec("seed=5,launches=30"));
      simulated = device.get();
      subject.device = std::move(device);
    }
    VirtualClock& clock = simulated->clock();
    subject.clock = &clock;
    subject.program = {{"asked", "a test"}};
    subject.title = "a test";
    subject.continue_at = [&clock](int64_t ns) { clock.set_ns(ns); };
    subject.let_pass = [&clock](double seconds) { clock.advance_ns(static_cast<int64_t>(seconds * 1e9)); };
    RunOptions options;
    const bool resumed = std::filesystem::exists(folder_ / "results" / "results.jsonl");
    (resumed ? options.resume : options.output_dir) = folder_ / "results";
    MeasuredRun run("compare", subject, options);
    run.time_and_record();
    run.rounds({0.01, 1});
    EnergyMeters meters;
    meters.real_time = false;
    auto meter = make_simulated_meter(*simulated, SimulatedMeterKind::energy_counter);
    meters.meters.push_back(broken ? broken(std::move(meter)) : std::move(meter));
    run.energy(meters, {});
    rows_ = run.rows();
  }

  RowList rows_on_disk() const { return ResultRows::read(folder_ / "results" / "results.jsonl"); }

  TemporaryFolder folder_;
  RowList rows_;
};

constexpr int kReadsOfTwoBlocks = 500;

TEST_F(EnergyOfARun, IsMeasuredAgainAfterAMeterHasFailed) {
  measure([](std::unique_ptr<Meter> meter) {
    return std::make_unique<BreakingMeter>(std::move(meter), kReadsOfTwoBlocks,
                                           [] { throw Error("the meter is gone", "plug it in"); });
  });
  EXPECT_EQ(rows_.last<StoppedEnergy>().value().missing, "the meter is gone");
  const std::vector<EnergyBlock> kept = rows_.all<EnergyBlock>();
  ASSERT_FALSE(kept.empty());
  measure();
  EXPECT_EQ(rows_.last<StoppedEnergy>().value().missing, "");
  EXPECT_NE(rows_.last<StoppedEnergy>().value().by, "");
  const std::vector<EnergyBlock> blocks = rows_.all<EnergyBlock>();
  ASSERT_GT(blocks.size(), kept.size());
  for (size_t b = 0; b < kept.size(); ++b) EXPECT_EQ(write_fields(blocks[b]), write_fields(kept[b]));
  EXPECT_EQ(rows_.count<EnergyPlan>(), 1u);
  const size_t all = rows_.list().size();
  measure();
  EXPECT_EQ(rows_.list().size(), all) << "it is complete";
}

TEST_F(EnergyOfARun, HasOneRowOfAReasonThatStays) {
  const Break broken = [](std::unique_ptr<Meter> meter) {
    return std::make_unique<BreakingMeter>(std::move(meter), 0, [] { throw Error("the meter is gone"); });
  };
  measure(broken);
  measure(broken);
  EXPECT_EQ(rows_.count<StoppedEnergy>(), 1u);
}

TEST_F(EnergyOfARun, HasNoRowOfAFullDisk) {
  const Break full = [](std::unique_ptr<Meter> meter) {
    return std::make_unique<BreakingMeter>(std::move(meter), kReadsOfTwoBlocks,
                                           [] { throw WriteError("power.csv", ENOSPC); });
  };
  EXPECT_THROW(measure(full), WriteError);
  EXPECT_FALSE(rows_on_disk().has<StoppedEnergy>());
  EXPECT_GT(rows_on_disk().count<EnergyBlock>(), 0u);
  measure();
  EXPECT_NE(rows_.last<StoppedEnergy>().value().by, "");
}

TEST_F(EnergyOfARun, KeepsThePowerLogOfEachStart) {
  const Break full = [](std::unique_ptr<Meter> meter) {
    return std::make_unique<BreakingMeter>(std::move(meter), kReadsOfTwoBlocks,
                                           [] { throw WriteError("power.csv", ENOSPC); });
  };
  EXPECT_THROW(measure(full), WriteError);
  EXPECT_THROW(measure(full), WriteError);
  size_t logs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "results"))
    if (entry.path().filename().string().starts_with("power_")) ++logs;
  EXPECT_EQ(logs, 2u);
}

}  // namespace
}  // namespace kjoule
