#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kjoule {

/// What a WattsUp meter measured in one second.
struct WattsupRecord {
  double watts = 0;
  std::optional<double> volts{};
  std::optional<double> amperes{};
};

/// Cuts a WattsUp meter's output into records, "#d,-,18,W,V,A,...;". What is torn or garbled is left out and
/// counted, as are records whose power is more than their voltage and current allow.
class WattsupRecords {
 public:
  /// The records that are whole with this text.
  std::vector<WattsupRecord> take(std::string_view text);
  /// Forgets a record that has begun: its end will not come.
  void cut();
  size_t unreadable() const { return unreadable_; }

 private:
  std::string pending_;
  size_t unreadable_ = 0;
};

}  // namespace kjoule
