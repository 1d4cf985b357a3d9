#include "power/meters/nvidia_smi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/process/mutex.hpp"
#include "base/process/process.hpp"
#include "base/process/program_lines.hpp"
#include "power/instant.hpp"
#include "power/logs/cells.hpp"
#include "power/timestamp.hpp"

namespace kjoule {

namespace {

constexpr const char* kProgram = "nvidia-smi";
constexpr const char* kInstant = "power.draw.instant";
constexpr const char* kAverage = "power.draw";  // a mean over one second on most boards
constexpr double kSmiPatience_s = 10;           // limited because nvidia-smi hangs if a GPU is lost
constexpr double kInstant_s = 0.1;
constexpr double kSmiAverage_s = 1;
constexpr double kValueStep_w = 0.01;

std::vector<std::string> query(const std::string& power_field) {
  return {kProgram, "--query-gpu=timestamp,index,uuid,name," + power_field, "--format=csv"};
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

MeterFacts facts_of(const SmiRow& row, const std::string& power_field) {
  const double averaging_s = power_field == kInstant ? kInstant_s : kSmiAverage_s;
  return {.source = kProgram,
          .name = "gpu " + row.index,
          .scope = Scope::gpu,
          .quantity = Quantity::power_w,
          .tick_s = kInstant_s,
          .averaging_s = averaging_s,
          .duty = {},
          .value_step = kValueStep_w,
          .accuracy = kBoardAccuracy,
          .accuracy_from = kBoardAccuracyFrom};
}

/// The running nvidia-smi that several meters share, each of which may be read by a thread of its own.
class SmiStream {
 public:
  SmiStream(const std::string& power_field, double interval_s) : program_(looped(power_field, interval_s)) {}

  /// Keeps the rows of this GPU from now on. Those of other GPUs are dropped.
  void keep(const std::string& uuid) {
    const MutexLock lock(mutex_);
    rows_[uuid];
  }

  /// Returns the rows of one GPU since the last call for this GPU. Throws Error if the program has ended.
  std::vector<SmiRow> take(const std::string& uuid) {
    const MutexLock lock(mutex_);
    for (const std::string& line : program_.read()) sort_in(line);
    auto taken = std::exchange(rows_[uuid], {});
    if (taken.empty() && program_.how_it_ended())
      throw Error(fmt::format("{} ended ({}){}", kProgram, *program_.how_it_ended(),
                              other_.empty() ? "" : ": " + other_),
                  "run nvidia-smi by hand and check its output");
    return taken;
  }

 private:
  static std::vector<std::string> looped(const std::string& power_field, double interval_s) {
    std::vector<std::string> command = query(power_field);
    command.emplace_back("-lms");
    command.push_back(std::to_string(std::max(1L, std::lround(interval_s * 1000))));
    return command;
  }

  void sort_in(const std::string& line) KJOULE_REQUIRES(mutex_) {
    if (auto header = SmiColumns::of_header(line)) {
      columns_ = header;
    } else if (const auto row = columns_ ? columns_->row(line) : std::nullopt) {
      if (const auto kept = rows_.find(row->uuid); kept != rows_.end()) kept->second.push_back(*row);
    } else if (!line.empty()) {
      other_ = line;
    }
  }

  Mutex mutex_;
  ProgramLines program_ KJOULE_GUARDED_BY(mutex_);
  std::optional<SmiColumns> columns_ KJOULE_GUARDED_BY(mutex_);
  std::map<std::string, std::vector<SmiRow>> rows_ KJOULE_GUARDED_BY(mutex_);
  /// The last line that is not a row; it contains the reason if the program ends.
  std::string other_ KJOULE_GUARDED_BY(mutex_);
};

class SmiMeter final : public Meter {
 public:
  SmiMeter(MeterFacts facts, std::string uuid, std::shared_ptr<SmiStream> stream)
      : Meter(std::move(facts)), uuid_(std::move(uuid)), stream_(std::move(stream)) {}

 private:
  std::vector<MeterValue> fetch() override {
    std::vector<MeterValue> readings;
    for (const SmiRow& row : stream_->take(uuid_)) {
      if (!row.watts) {
        note_once("nvidia-smi reports no power ([N/A])");
        continue;
      }
      const Instant at = row.unix_ns ? instant_of_unix(*row.unix_ns) : instant_now();
      readings.push_back({at.steady_ns, at.unix_ns, *row.watts});
    }
    return readings;
  }

  std::string uuid_;
  std::shared_ptr<SmiStream> stream_;
};

class SmiSource final : public PowerSource {
 public:
  explicit SmiSource(double interval_s) : interval_s_(interval_s) {}
  std::string name() const override { return kProgram; }
  std::string help() const override { return "the GPU's power as this program reports it"; }
  double patience_s() const override { return kSmiPatience_s; }

  std::vector<FoundMeter> find() override {
    field_ = kInstant;
    ProgramOutput output = ask();
    if (output.exit_code != 0 && output.text.find("not a valid field") != std::string::npos) {
      field_ = kAverage;  // drivers before 530 lack kInstant
      output = ask();
    }
    if (output.was_killed())
      throw Error(fmt::format("{} gave no answer within {:.0f} s", kProgram, kSmiPatience_s),
                  "a GPU may be lost: run nvidia-smi by hand, and read the messages of the driver (dmesg)");
    if (output.exit_code != 0)
      throw Error(fmt::format("{} fails: {}", kProgram, first_line(output.text)),
                  "check that NVIDIA's driver is installed and loaded");
    std::vector<FoundMeter> found = meters_in(output.text);
    if (found.empty())
      throw Error(fmt::format("{} lists no GPU: {}", kProgram, first_line(output.text)),
                  "check that a GPU is assigned to this machine or container");
    return found;
  }

  std::unique_ptr<Meter> open(const FoundMeter& found) override {
    if (!found.lack.empty()) throw Error(found.facts.name + ": " + found.lack, found.remedy);
    auto stream = stream_.lock();
    if (!stream) stream_ = stream = std::make_shared<SmiStream>(field_, interval_s_);
    stream->keep(found.id);
    return std::make_unique<SmiMeter>(found.facts, found.id, std::move(stream));
  }

 private:
  ProgramOutput ask() const {
    try {
      return read_program(query(field_), kSmiPatience_s);
    } catch (const Error&) {
      throw Error("nvidia-smi is not on the PATH",
                  "if this machine has an NVIDIA GPU, install NVIDIA's driver; otherwise choose a meter that "
                  "kjoule power devices lists");
    }
  }

  std::vector<FoundMeter> meters_in(const std::string& text) const {
    std::vector<FoundMeter> found;
    std::optional<SmiColumns> columns;
    for (size_t from = 0, end = 0; from < text.size(); from = end + 1) {
      end = std::min(text.find('\n', from), text.size());
      const std::string line = text.substr(from, end - from);
      const auto row = columns ? columns->row(line) : std::nullopt;
      if (!columns) columns = SmiColumns::of_header(line);
      if (!row) continue;
      FoundMeter meter{.id = row->uuid, .device = row->name, .facts = facts_of(*row, field_)};
      if (!row->watts) {
        meter.lack = "this board does not report its power ([N/A])";
        meter.remedy = "use a meter at the socket: --source wattsup";
      }
      found.push_back(std::move(meter));
    }
    return found;
  }

  double interval_s_;
  std::string field_ = kInstant;
  std::weak_ptr<SmiStream> stream_;
};

}  // namespace

std::optional<SmiColumns> SmiColumns::of_header(const std::string& line) {
  SmiColumns columns;
  const Cells cells = split_cells(line);
  columns.count_ = cells.size();
  bool instant = false;
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::string_view name = cells[i].substr(0, cells[i].find(' '));
    if (name == "timestamp") columns.time_ = i;
    if (name == "index") columns.index_ = i;
    if (name == "uuid" || name == "gpu_uuid") columns.uuid_ = i;
    if (name == "name" || name == "gpu_name") columns.name_ = i;
    // The instantaneous power is preferred, wherever its column is.
    const bool average = name == kAverage || name == "power.draw.average";
    if (instant || !(name == kInstant || average)) continue;
    instant = name == kInstant;
    columns.power_ = i;
    columns.powers_.emplace(std::string(cells[i]), Scope::gpu);
  }
  if (!columns.powers_) return {};
  return columns;
}

std::optional<SmiRow> SmiColumns::row(const std::string& line) {
  const Cells cells = split_cells(line);
  if (cells.size() != count_) return {};
  const auto cell = [&cells](std::optional<size_t> at) { return std::string(at ? cells[*at] : ""); };
  return SmiRow{.unix_ns = moment_near(cell(time_), instant_now().unix_ns),
                .index = cell(index_),
                .uuid = cell(uuid_),
                .name = cell(name_),
                .watts = powers_->read(cells[power_])};
}

std::unique_ptr<PowerSource> nvidia_smi_source(double interval_s) {
  return std::make_unique<SmiSource>(interval_s);
}

}  // namespace kjoule
