#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "power/logs/log_columns.hpp"
#include "power/logs/log_rows.hpp"
#include "power/logs/power_log.hpp"

namespace kjoule {

/// Divides the rows of a log into devices, by the column that names the device and by further columns such as
/// that of the host, and collects their samples. A column whose values are no names of devices is ignored:
/// powers or a counter in a column "gpu" or "index". So is a column that does not distinguish devices.
class DeviceSeries {
 public:
  /// `is_stated` says whether the user has named the column of devices.
  DeviceSeries(const LogColumns& columns, bool is_stated);

  /// Returns the index of the first series of the row's device, or no value if the row names no device.
  /// Creates the device's series when it occurs for the first time.
  std::optional<size_t> series_of(const LogRow& row);
  void add(size_t series, const PowerSeries::Sample& sample) { samples_[series].push_back(sample); }
  /// Notes the texts of a row in columns that are not used.
  void watch(size_t series, const Cells& cells);

  /// Returns all series after the last row, and the index of the value of each in `values`. Throws Error if
  /// the numbers in the column of devices may be powers.
  std::vector<PowerSeries> finish(std::vector<size_t>& values);
  /// Returns the columns, without those that are ignored.
  const LogColumns& columns() const { return columns_; }
  /// Throws Error if a column that is not used shows that the readings of a series are of several devices. To
  /// be called before finish().
  void check_watched() const;

 private:
  struct Column {
    std::string title;
    bool is_index = false;  ///< whether its values are numbers of GPUs from 0
    bool is_device = false;
    bool used = true;
  };
  /// The different texts of an unused column in the rows of one device.
  struct Texts {
    std::vector<std::string> texts{};
    std::vector<size_t> counts{};
    size_t latest = 0, changes = 0;
    bool has_numbers = false;
    bool closed = false;  ///< whether the column has other contents than a few texts
    void add(std::string_view text);
    bool number_devices() const;
    bool alternate() const;
  };
  struct Device {
    std::vector<std::string> cells{};
    std::vector<Texts> texts{};  ///< by watched column
  };

  bool is_device(const Device& device, const LogRow& row) const;
  /// Returns a column in which the value of a new device shows that it does not name devices, if any.
  std::optional<size_t> unfit_column(const LogRow& row) const;
  /// Ignores a column: joins the series of devices that do not differ in other columns.
  void drop(size_t column);
  void join(size_t into, size_t device);
  bool counts_rows() const;
  void check_turns() const;
  bool distinguishes(size_t column) const;
  void name(PowerSeries& series, const Device& device, const LogColumns::Value& value) const;

  LogColumns columns_;
  std::vector<Column> keys_;
  std::vector<size_t> watched_;  ///< unused columns
  std::vector<Device> devices_;
  std::vector<std::vector<PowerSeries::Sample>> samples_;  ///< one for each value of each device
};

}  // namespace kjoule
