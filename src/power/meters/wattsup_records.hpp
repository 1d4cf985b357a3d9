#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// One record of a WattsUp meter, the values of one second.
struct WattsupRecord {
  double watts = 0;
  std::optional<double> volts{};
  std::optional<double> amperes{};
};

/// Splits a WattsUp meter's output into records, "#d,-,18,W,V,A,...;". Incomplete or damaged records are
/// ignored and counted, and also records whose power exceeds the product of voltage and current.
class WattsupRecords {
 public:
  /// Adds text. Returns the records that it completes.
  std::vector<WattsupRecord> take(std::string_view text);
  /// Discards an incomplete record, because its rest will not arrive.
  void cut();
  size_t unreadable() const { return unreadable_; }

 private:
  std::string pending_;
  size_t unreadable_ = 0;
};

}  // namespace kjoule
