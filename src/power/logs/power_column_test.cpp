#include "power/logs/power_column.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "power/logs/power_unit.hpp"

namespace kjoule {
namespace {

std::optional<double> watts_of_cell(const std::string& cell, const std::string& name = "power") {
  return PowerColumn(name, Scope::gpu).read(cell);
}

TEST(ColumnTitle, StatesQuantityAndUnit) {
  struct Case {
    const char *name, *quantity;
    std::optional<double> scale;
  };
  for (const auto& [name, quantity, scale] : {Case{"power", "power", {}},
                                              Case{"power_w", "power", 1},
                                              Case{"power_mw", "power", 1e-3},
                                              Case{"power_KW", "power", 1e3},
                                              Case{"Leistung mW", "leistung", 1e-3},
                                              Case{"P/kW", "p", 1e3},
                                              Case{"PSU 1 [W]", "psu 1", 1},
                                              Case{"Power (Milliwatts)", "power", 1e-3},
                                              Case{"watts", "watts", 1},
                                              Case{"power.draw.instant [W]", "power.draw.instant", 1},
                                              Case{"Phase A", "phase a", {}},
                                              Case{"Power (GPU 0)", "power (gpu 0)", {}},
                                              Case{"P [dW]", "p", 0.1},
                                              Case{"P_cW", "p", 0.01},
                                              Case{"P hW", "p", 100},
                                              Case{"P (0.1 W)", "p", 0.1},
                                              Case{"P 0.1 W", "p", 0.1},
                                              Case{"PSU 1 W", "psu 1", 1},
                                              Case{"P (mW, mean)", "p", 1e-3},
                                              Case{"P (w/o fan)", "p (w/o fan)", {}},
                                              Case{"power [W] (W)", "power", 1},
                                              Case{"", "", {}}}) {
    const ColumnTitle title(name);
    EXPECT_EQ(title.quantity, quantity) << name;
    EXPECT_EQ(title.scale, scale) << name;
  }
}

TEST(ColumnTitle, RefusesUnitsThatAreNotUnderstood) {
  for (const char* name :
       {"P [nW]", "P [pW]", "P nW", "P [MW]", "POWER_MW", "power_va", "E [J]", "P [dBm]", "I (A)",
        "power (nanowatts)", "Power (W) [mW]", "power_w [kW]", "P []", "P (W/10)", "P (10 x uW)", "power_dw"})
    EXPECT_THROW(ColumnTitle{name}, Error) << name;
}

TEST(ColumnTitle, KnowsMicrowatts) {
  for (const char* name : {"P [uW]", "P [\xC2\xB5W]", "P [\xCE\xBCW]", "P uW", "host_power_uW",
                           "host_power_uw", "power (microwatts)"})
    EXPECT_EQ(ColumnTitle(name).scale, 1e-6) << name;
  EXPECT_DOUBLE_EQ(watts_of_cell("5124000 uW").value(), 5.124);
  EXPECT_DOUBLE_EQ(watts_of_cell("300000000", "host_power_uW").value(), 300);
}

TEST(PowerColumn, ReadsNumbersWithUnits) {
  EXPECT_DOUBLE_EQ(watts_of_cell("245.10 W").value(), 245.1);
  EXPECT_DOUBLE_EQ(watts_of_cell("812 mW").value(), 0.812);
  EXPECT_DOUBLE_EQ(watts_of_cell("1.2kW").value(), 1200);
  EXPECT_DOUBLE_EQ(watts_of_cell("12").value(), 12);
  EXPECT_DOUBLE_EQ(watts_of_cell("1.2e2").value(), 120);
  EXPECT_DOUBLE_EQ(watts_of_cell("300", "power_mw").value(), 0.3);
  for (const char* none :
       {"", "[N/A]", "N/A", "nan", "inf", "-5", "1.2.3", "12 x 3", "watts", "-", "1e999", "300e2,5", "nan,5"})
    EXPECT_FALSE(watts_of_cell(none)) << none;
}

TEST(PowerColumn, RefusesWhatMayBeAnotherPower) {
  for (const char* cell :
       {"12 V", "300 nW", "300 MW", "300 VA", "1,234", "1,234.5", "1.234,5", "1,234,567", "300000"})
    EXPECT_THROW(watts_of_cell(cell), Error) << cell;
  EXPECT_THROW(watts_of_cell("300 W", "power_mw"), Error);
  EXPECT_NO_THROW(watts_of_cell("300 mW", "power_mw"));
}

TEST(PowerColumn, ReadsDecimalCommas) {
  PowerColumn column("power_w", Scope::unknown);
  EXPECT_DOUBLE_EQ(column.read("0,125").value(), 0.125);
  EXPECT_DOUBLE_EQ(column.read("1,234").value(), 1.234) << "the comma is known to be a decimal one";
  EXPECT_DOUBLE_EQ(watts_of_cell("300,5 W").value(), 300.5);
  EXPECT_DOUBLE_EQ(watts_of_cell("1234,125").value(), 1234.125);
}

TEST(PowerColumn, RefusesCellsWithAndWithoutUnits) {
  PowerColumn column("power", Scope::unknown);
  EXPECT_DOUBLE_EQ(column.read("300 W").value(), 300);
  EXPECT_DOUBLE_EQ(column.read("300").value(), 300);
  EXPECT_THROW(column.read("300 mW"), Error);
}

TEST(PowerColumn, TakesTheUnitThatTheUserStates) {
  EXPECT_DOUBLE_EQ(PowerColumn("gpu_power_w", Scope::gpu, 1e-3).read("6629").value(), 6.629);
  EXPECT_DOUBLE_EQ(PowerColumn("P [uW]", Scope::unknown, 1e-6).read("6629000").value(), 6.629);
  EXPECT_THROW((void)PowerColumn("power", Scope::gpu, 1e-3).read("66 W"), Error);
  EXPECT_DOUBLE_EQ(stated_unit("uW"), 1e-6);
  EXPECT_DOUBLE_EQ(stated_unit("0.1 W"), 0.1);
  EXPECT_THROW(stated_unit("MW"), UsageError);
  EXPECT_THROW(stated_unit("J"), UsageError);
}

TEST(PowerColumn, RefusesASingleGpuAboveTwoKilowatts) {
  const auto read = [](const char* name, Scope scope, const char* cell, std::optional<double> stated = {}) {
    (void)PowerColumn(name, scope, stated).read(cell);
  };
  EXPECT_THROW(read("gpu_draw", Scope::unknown, "6629"), Error);
  EXPECT_THROW(read("gpu_power_w", Scope::unknown, "6629"), Error);
  EXPECT_THROW(read("gpu_draw", Scope::unknown, "6629 W"), Error);
  EXPECT_THROW(read("power", Scope::gpu, "2001"), Error);
  EXPECT_THROW(read("power.draw [W]", Scope::gpu, "2001"), Error);
  EXPECT_NO_THROW(read("power", Scope::gpu, "2001 W", 1));
  EXPECT_NO_THROW(read("gpu_power_w", Scope::unknown, "6629", 1));
  EXPECT_NO_THROW(read("gpu_power_w", Scope::unknown, "662.9"));
  EXPECT_NO_THROW(read("gpu_power_mw", Scope::unknown, "6629"));
  EXPECT_NO_THROW(read("total_gpu_power", Scope::unknown, "6629"));
}

TEST(PowerColumn, RefusesSeparatedThousands) {
  const auto check = [](std::initializer_list<const char*> cells) {
    PowerColumn column("power_w", Scope::system);
    for (const char* cell : cells) (void)column.read(cell);
    column.check_points();
  };
  EXPECT_THROW(check({"980", "1.050", "990"}), Error);
  EXPECT_THROW(check({"1 050"}), Error);
  EXPECT_THROW(check({"1'050"}), Error);
  EXPECT_THROW(check({"1.050.000"}), Error);
  EXPECT_NO_THROW(check({"980", "1.050", "990.5"})) << "a point is a decimal one";
  EXPECT_NO_THROW(check({"1.050", "1.125", "0.980"})) << "three decimals each";
  EXPECT_NO_THROW(check({"12", "12.125", "11.875"})) << "as decimals, they are near the others";
  EXPECT_NO_THROW(check({"1980", "1.050"})) << "thousands are not separated";
}

TEST(PowerColumn, TakesTheUnitOfASecondLine) {
  PowerColumn column("power", Scope::unknown);
  column.set_unit("mW");
  EXPECT_DOUBLE_EQ(column.read("300").value(), 0.3);
  EXPECT_NO_THROW(column.check_unit("kW")) << "the column has a unit";
  EXPECT_THROW(PowerColumn("power_w", Scope::unknown).set_unit("mW"), Error);
  EXPECT_THROW(PowerColumn("power", Scope::unknown).set_unit("nW"), Error);
  PowerColumn bare("power", Scope::unknown);
  (void)bare.read("300");
  EXPECT_NO_THROW(bare.check_unit(""));
  EXPECT_THROW(bare.check_unit("mW"), Error);
  EXPECT_EQ(other_unit_in("# powers in mW"), "mW");
  EXPECT_EQ(other_unit_in("# power in W, hw counters shown now"), "");
}

TEST(PowerColumn, RefusesAWholeLogBelowOneWattWithoutAUnit) {
  const auto check = [](const char* name, const char* cell) {
    PowerColumn column(name, Scope::unknown);
    (void)column.read(cell);
    column.check_unit();
  };
  EXPECT_THROW(check("power", "0.3"), Error);
  EXPECT_NO_THROW(check("power_w", "0.3"));
  EXPECT_NO_THROW(check("power", "0.3 W"));
  EXPECT_NO_THROW(check("power", "1.3"));
}

}  // namespace
}  // namespace kjoule
