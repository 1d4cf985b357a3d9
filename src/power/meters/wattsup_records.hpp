#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// The values of one record of a WattsUp meter.
struct WattsupRecord {
  double watts = 0;
  std::optional<double> volts{};
  std::optional<double> amperes{};
};

/// Splits a WattsUp meter's output into records, "#d,-,18,W,V,A,...;". Records are ignored and counted if
/// they are incomplete or damaged, or if their power exceeds the product of voltage and current.
class WattsupRecords {
 public:
  /// Adds text. Returns the records that it completes.
  std::vector<WattsupRecord> take(std::string_view text);
  /// Discards an incomplete record whose rest will not arrive.
  void cut();
  /// Returns the number of records that were ignored.
  size_t unreadable() const { return unreadable_; }

 private:
  std::string pending_;
  size_t unreadable_ = 0;
};

}  // namespace kjoule
