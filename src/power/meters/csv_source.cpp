#include "power/meters/csv_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "power/instant.hpp"
#include "power/logs/cells.hpp"
#include "power/logs/csv_follower.hpp"
#include "power/timestamp.hpp"

namespace kjoule {

namespace {

constexpr double kAssumed_s = 1;  // time between lines until the file contains two lines
constexpr double kPatience_s = 10;

/// A cell and its line's time. The GPU is empty if no column names one.
struct CsvCell {
  size_t column = 0;
  std::string gpu{};
  std::optional<int64_t> unix_ns{};
  std::optional<double> watts{};
};

/// Reads a file's header and lines as cells of power.
class CsvPower {
 public:
  explicit CsvPower(const PowerSourceOptions& options) : options_(options), follower_(options.csv) {}

  std::vector<CsvCell> read() {
    std::vector<CsvCell> cells;
    const std::vector<std::string> lines = follower_.read();
    bool header_next = follower_.from_beginning();
    for (const std::string& line : lines) {
      if (header_next)
        columns_ = header(line);
      else if (columns_)
        add(line, cells);
      header_next = false;
    }
    return cells;
  }
  /// Returns the columns, or no value while the file has no first line.
  const std::optional<CsvColumns>& columns() const { return columns_; }
  bool gone() const { return follower_.gone(); }
  size_t unreadable() const { return unreadable_; }

 private:
  CsvColumns header(const std::string& line) const {
    try {
      return CsvColumns::of_header(line, options_.csv_time, options_.csv_columns);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", options_.csv.string(), error.what()), error.remedy());
    }
  }

  void add(const std::string& line, std::vector<CsvCell>& to) {
    const std::vector<std::string> cells = split_cells(line);
    const bool has_time = columns_->time.has_value();
    const auto time =
        cells.size() == columns_->count && has_time ? moment_of(cells[*columns_->time]) : std::nullopt;
    if (cells.size() != columns_->count || (has_time && !time)) {
      ++unreadable_;
      return;
    }
    for (const size_t column : columns_->powers)
      to.push_back({.column = column,
                    .gpu = columns_->gpu ? cells[*columns_->gpu] : "",
                    .unix_ns = time,
                    .watts = columns_->watts(cells, column)});
  }

  PowerSourceOptions options_;
  CsvFollower follower_;
  std::optional<CsvColumns> columns_;
  size_t unreadable_ = 0;
};

std::string meter_id(const std::string& column, const std::string& gpu) {
  return gpu.empty() ? column : column + " of gpu " + gpu;
}

MeterFacts facts_of(const std::string& column, const std::string& gpu, double period_s) {
  return {.source = "csv",
          .name = gpu.empty() ? column : "gpu " + gpu,
          .scope = gpu.empty() ? Scope::unknown : Scope::gpu,
          .quantity = Quantity::power_w,
          .tick_s = period_s,
          .averaging_s = period_s,
          .duty = {},
          .value_step = 0.01};
}

/// The file that several meters share. Cells are kept until their meter takes them.
class CsvStream {
 public:
  explicit CsvStream(const PowerSourceOptions& options) : power_(options) { power_.read(); }

  std::vector<CsvCell> take(const std::string& id) {
    for (CsvCell& cell : power_.read())
      cells_[meter_id(power_.columns()->names[cell.column], cell.gpu)].push_back(cell);
    return std::exchange(cells_[id], {});
  }
  const CsvPower& power() const { return power_; }

 private:
  CsvPower power_;
  std::map<std::string, std::vector<CsvCell>> cells_;
};

class CsvMeter final : public Meter {
 public:
  CsvMeter(MeterFacts facts, std::string id, std::shared_ptr<CsvStream> stream)
      : Meter(std::move(facts)), id_(std::move(id)), stream_(std::move(stream)) {}

 private:
  std::vector<MeterValue> fetch() override {
    std::vector<MeterValue> readings;
    for (const CsvCell& cell : stream_->take(id_)) {
      const Instant at = cell.unix_ns ? instant_of_unix(*cell.unix_ns) : instant_now();
      if (cell.watts) readings.push_back({at.steady_ns, at.unix_ns, *cell.watts});
    }
    const bool gone = stream_->power().gone();
    if (gone != gone_) note(gone ? "the file is gone; waiting for it to come back" : "the file is back");
    gone_ = gone;
    if (stream_->power().unreadable() > 0) note_once("lines whose cells do not match the header are ignored");
    return readings;
  }

  std::string id_;
  std::shared_ptr<CsvStream> stream_;
  bool gone_ = false;
};

class CsvSource final : public PowerSource {
 public:
  explicit CsvSource(PowerSourceOptions options) : options_(std::move(options)) {}
  std::string name() const override { return "csv"; }
  std::string help() const override { return "a file that another program writes"; }
  double patience_s() const override { return kPatience_s; }

  std::vector<FoundMeter> find() override {
    CsvPower power(options_);
    const std::vector<CsvCell> cells = power.read();
    if (!power.columns())
      throw Error(options_.csv.string() + ": no header line yet", "start the program that writes it first");
    std::set<std::string> gpus;
    for (const CsvCell& cell : cells) gpus.insert(cell.gpu);
    if (gpus.empty() && !power.columns()->gpu) gpus.insert("");
    if (gpus.empty())
      throw Error(options_.csv.string() + ": no line yet, so its GPUs are not known",
                  "wait until it has one");
    std::vector<FoundMeter> found;
    for (const size_t column : power.columns()->powers)
      for (const std::string& gpu : gpus) {
        const std::string& name = power.columns()->names[column];
        found.push_back({.id = meter_id(name, gpu),
                         .device = options_.csv.string(),
                         .facts = facts_of(name, gpu, period_s(cells, column, gpu))});
      }
    return found;
  }

  std::unique_ptr<Meter> open(const FoundMeter& found) override {
    auto stream = stream_.lock();
    if (!stream) stream_ = stream = std::make_shared<CsvStream>(options_);
    return std::make_unique<CsvMeter>(found.facts, found.id, std::move(stream));
  }

 private:
  /// Returns the mean time between the lines of one series, in s.
  static double period_s(const std::vector<CsvCell>& cells, size_t column, const std::string& gpu) {
    std::vector<int64_t> times;
    for (const CsvCell& cell : cells)
      if (cell.column == column && cell.gpu == gpu && cell.unix_ns) times.push_back(*cell.unix_ns);
    if (times.size() < 2 || times.back() <= times.front()) return kAssumed_s;
    return static_cast<double>(times.back() - times.front()) * 1e-9 / static_cast<double>(times.size() - 1);
  }

  PowerSourceOptions options_;
  std::weak_ptr<CsvStream> stream_;
};

}  // namespace

std::unique_ptr<PowerSource> csv_source(const PowerSourceOptions& options) {
  return std::make_unique<CsvSource>(options);
}

}  // namespace kjoule
