#include <algorithm>

#include "base/files/csv.hpp"
#include "base/json/dump_json.hpp"
#include "base/json/optional_json.hpp"
#include "base/process/terminal.hpp"
#include "base/text/printable.hpp"
#include "cli/options/comma_list.hpp"
#include "cli/options/command.hpp"
#include "cli/options/printed.hpp"
#include "power/meters/power_source.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

/// One line of the list: a meter, or a source without meters.
struct DeviceRow {
  std::string source;
  std::string what;  ///< short description of the source
  std::optional<FoundMeter> meter;
  std::string lack;
  std::string remedy;
};

std::vector<DeviceRow> rows_of(PowerSource& source) {
  std::vector<DeviceRow> rows;
  try {
    for (FoundMeter& meter : source.find()) {
      const std::string lack = meter.lack;
      const std::string remedy = meter.remedy;
      rows.push_back({source.name(), source.help(), std::move(meter), lack, remedy});
    }
  } catch (const Error& error) {
    rows.push_back({source.name(), source.help(), {}, error.what(), error.remedy()});
  }
  return rows;
}

const char* status(const DeviceRow& row) {
  if (row.lack.empty()) return "ok";
  return row.meter ? "limited" : "missing";
}

std::string meter_name(const DeviceRow& row) {
  return row.meter ? row.meter->facts.name : "";
}

nlohmann::ordered_json as_json(const DeviceRow& row) {
  nlohmann::ordered_json json{{"source", row.source}, {"status", status(row)}};
  if (row.meter) {
    const MeterFacts& facts = row.meter->facts;
    json["meter"] = facts.name;
    json["device"] = row.meter->device;
    json["id"] = row.meter->id;
    json["measures"] = scope_name(facts.scope);
    json["unit"] = unit_of(facts.quantity);
    json["averaging_s"] = facts.averaging_s;
    json["tick_s"] = facts.tick_s;
    json["duty"] = or_null(facts.duty);
    json["resolution"] = facts.value_step;
  }
  json["lack"] = row.lack;
  json["remedy"] = row.remedy;
  return json;
}

std::string as_csv(const DeviceRow& row) {
  std::vector<std::string> cells{row.source, status(row), meter_name(row)};
  if (row.meter) {
    const MeterFacts& facts = row.meter->facts;
    for (std::string cell :
         {row.meter->device, row.meter->id, std::string(scope_name(facts.scope)),
          std::string(unit_of(facts.quantity)), fmt::format("{}", facts.averaging_s),
          fmt::format("{}", facts.tick_s), facts.duty ? fmt::format("{}", *facts.duty) : "",
          fmt::format("{}", facts.value_step)})
      cells.push_back(std::move(cell));
  } else {
    cells.resize(cells.size() + 8);
  }
  cells.push_back(row.lack);
  cells.push_back(row.remedy);
  return csv_line(cells);
}

std::string table_text(const std::vector<DeviceRow>& rows) {
  std::string text = fmt::format("{:<13} {:<10} {:<8} {:<12} {:>9} {:>6} {:>11}\n", "source", "meter",
                                 "status", "measures", "averages", "duty", "resolution");
  for (const DeviceRow& row : rows) {
    if (row.meter) {
      const MeterFacts& facts = row.meter->facts;
      const std::string duty = facts.duty ? fmt::format("{:.0f} %", *facts.duty * 100) : "?";
      text += fmt::format("{:<13} {:<10} {:<8} {:<12} {:>7} s {:>6} {:>9} {}\n", row.source, facts.name,
                          status(row), scope_name(facts.scope), facts.averaging_s, duty, facts.value_step,
                          unit_of(facts.quantity)) +
              wrapped("  ", printable(row.meter->device));
    } else {
      text += fmt::format("{:<13} {:<10} {}\n", row.source, "", status(row)) + wrapped("  ", row.what);
    }
    if (!row.lack.empty()) text += wrapped("  ", printable(row.lack));
    if (!row.remedy.empty()) text += wrapped("  -> ", printable(row.remedy));
  }
  return text;
}

class PowerDevices final : public Command {
 public:
  std::string name() const override { return "devices"; }
  std::string help() const override {
    return "lists this machine's power meters, and why others are not available";
  }
  std::string example() const override { return "kjoule power devices --json"; }
  std::vector<TableColumns> tables() const override {
    return {{"the table of meters",
             {{"source", "name for --source and --power-source"},
              {"meter", "name of the meter in its source; the line below has its device"},
              {"status", "ok, limited (the meter exists, but cannot be read) or missing"},
              {"measures", "part of the machine whose power the meter reads"},
              {"averages", "time over which one reading is averaged"},
              {"duty", "share of the time during which the sensor measures; ? if not known"},
              {"resolution", "smallest step of a reading, in W or J"}}}};
  }
  void declare(CLI::App& app) override {
    add_list(app, "--port", places_.ports,
             "serial ports of at most 4 WattsUp meters, such as /dev/ttyUSB0,/dev/ttyUSB1, which is the "
             "default");
    printed_.declare(app, "print one JSON object per meter instead of the table",
                     "print CSV instead of the table");
  }
  int run() override {
    std::vector<DeviceRow> rows;
    for (const auto& source : power_sources(places_))
      for (DeviceRow& row : rows_of(*source)) rows.push_back(std::move(row));
    if (printed_.json) {
      for (const DeviceRow& row : rows) print_output("{}\n", dump_json(as_json(row)));
    } else if (printed_.csv) {
      print_output(
          "source,status,meter,device,id,measures,unit,averaging_s,tick_s,duty,resolution,lack,remedy\n");
      for (const DeviceRow& row : rows) print_text(as_csv(row) + "\n");
    } else {
      print_text(table_text(rows));
    }
    return 0;
  }

 private:
  PowerSourceOptions places_;
  Printed printed_;
};

}  // namespace

std::unique_ptr<Command> power_devices_command() {
  return std::make_unique<PowerDevices>();
}

}  // namespace kjoule
