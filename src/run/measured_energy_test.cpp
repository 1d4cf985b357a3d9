#include <gtest/gtest.h>

#include <cerrno>
#include <functional>
#include <limits>

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

/// A meter that subtracts its calls of read() from a number.
class CountedMeter final : public Meter {
 public:
  CountedMeter(std::unique_ptr<Meter> meter, int& left)
      : Meter(meter->facts()), meter_(std::move(meter)), left_(left) {}

 private:
  std::vector<MeterValue> fetch() override {
    --left_;
    return meter_->read();
  }

  std::unique_ptr<Meter> meter_;
  int& left_;
};

/// Runs that measure energy on a simulated device whose time cannot be set back, as on a real device.
class EnergyOfARun : public testing::Test {
 protected:
  using Break = std::function<std::unique_ptr<Meter>(std::unique_ptr<Meter>)>;
  using Step = std::function<void(MeasuredRun&, EnergyMeters&)>;

  /// Measures until the energy is complete. The meter may be replaced by one that fails.
  void measure(const Break& broken = {}) {
    take_step([](MeasuredRun& run, EnergyMeters& meters) { run.energy(meters, {}); }, broken);
  }

  /// Measures the times, and then takes the step.
  void take_step(const Step& step, const Break& broken) {
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
    const bool resumed = std::filesystem::exists(folder_ / results_ / "results.jsonl");
    (resumed ? options.resume : options.output_dir) = folder_ / results_;
    MeasuredRun run("compare", subject, options);
    run.time_and_record();
    run.rounds({0.01, 1});
    EnergyMeters meters;
    meters.real_time = false;
    auto meter = make_simulated_meter(*simulated, SimulatedMeterKind::energy_counter);
    meters.meters.push_back(broken ? broken(std::move(meter)) : std::move(meter));
    step(run, meters);
    rows_ = run.rows();
  }

  RowList rows_on_disk() const { return ResultRows::read(folder_ / "results" / "results.jsonl"); }

  /// Returns how often the step reads a meter in a run of its own.
  int reads_in(const Step& step) {
    results_ = "counted";
    int left = std::numeric_limits<int>::max();
    take_step(step, [&left](std::unique_ptr<Meter> meter) {
      return std::make_unique<CountedMeter>(std::move(meter), left);
    });
    results_ = "results";
    return std::numeric_limits<int>::max() - left;
  }

  TemporaryFolder folder_;
  std::string results_ = "results";
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

/// Number of calls of read() that certainly contains some of the last measurement. Errors in the very last
/// ones have no effect, because they only wait for work whose power is not needed.
constexpr int kLastReads = 10;

/// Returns a meter that fails after this number of calls of read().
auto failing_after(int reads) {
  return [reads](std::unique_ptr<Meter> meter) {
    return std::make_unique<BreakingMeter>(std::move(meter), reads, [] { throw Error("the meter is gone"); });
  };
}

void repeat_for_blocks(MeasuredRun& run, EnergyMeters& meters) {
  meters.block_s = 1;
  run.isolated();
  run.meter_blocks(meters, 2);
  run.meter_differences(meters, 2);
}

TEST_F(EnergyOfARun, KeepsItsTimesIfAMeterFailsDuringBlocks) {
  const Step blocks = [](MeasuredRun& run, EnergyMeters& meters) {
    repeat_for_blocks(run, meters);
    run.end_power(meters);
  };
  const int reads = reads_in(repeat_for_blocks);
  const size_t all = rows_.count<MeterBlock>();
  take_step(blocks, failing_after(reads - kLastReads));
  EXPECT_TRUE(rows_.has<IsolatedKernel>());
  EXPECT_GT(rows_.count<MeterBlock>(), 0u);
  EXPECT_LT(rows_.count<MeterBlock>(), all);
  take_step(blocks, {});
  EXPECT_EQ(rows_.count<MeterBlock>(), all) << "the resumed run measures the missing blocks";
}

TEST_F(EnergyOfARun, KeepsItsTimesIfAMeterFailsAtTheEndOfItsLog) {
  const Step log_only = [](MeasuredRun& run, EnergyMeters& meters) {
    meters.block_s = 1;
    run.log_power(meters);
    run.end_power(meters);
    EXPECT_TRUE(meters.meters.empty());
    EXPECT_EQ(meters.lack, "the meter is gone");
  };
  take_step(log_only, failing_after(0));
}

TEST_F(EnergyOfARun, EndsIfANamedMeterFails) {
  const Step named = [](MeasuredRun& run, EnergyMeters& meters) {
    meters.is_named = true;
    repeat_for_blocks(run, meters);
  };
  EXPECT_THROW(take_step(named, failing_after(0)), Error);
}

TEST_F(EnergyOfARun, TimesAllWorksInIsolationThoughAMeterFails) {
  const Step works = [](MeasuredRun& run, EnergyMeters& meters) {
    run.measure_works({{"first", {{0}}}, {"second", {{1}}}}, meters, {}, {});
  };
  take_step(works, failing_after(reads_in(works) - kLastReads));
  const std::vector<IsolatedWorkRow> rows = rows_.all<IsolatedWorkRow>();
  ASSERT_EQ(rows.size(), 2u);
  ASSERT_TRUE(rows.front().reading && rows.back().reading);
  EXPECT_TRUE(rows.front().reading->each_j);
  EXPECT_FALSE(rows.back().reading->each_j);
  EXPECT_GT(rows.back().reading->each_s.value, 0);
}

}  // namespace
}  // namespace kjoule
