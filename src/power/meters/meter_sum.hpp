#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "power/logs/log_lines.hpp"
#include "power/meters/meter.hpp"

namespace kjoule {

/// The sum of the powers of several meters of one machine, for example one at each of its plugs. A reading of
/// the sum consists of one reading of each meter; their times differ by at most 1.25 sensor intervals, and
/// the sum has their mean time. While a meter is silent, the sum is silent, too.
class MeterSum final : public Meter {
 public:
  /// `parts` are power meters, at least one.
  explicit MeterSum(std::vector<std::unique_ptr<Meter>> parts);
  /// Reads each meter in a thread of its own from now on.
  void poll();
  /// Passes the readings to `write` from now on, as the header `time,id,pm1,pm2,sum` and one line each.
  void log_to(WriteLine write);

 private:
  std::vector<MeterValue> fetch() override;
  /// Returns the next readings that belong together, one of each part, or no value if they are not complete
  /// yet.
  std::optional<std::vector<MeterValue>> take_together();
  void log(int64_t unix_ns, const std::vector<MeterValue>& together);

  std::vector<std::unique_ptr<Meter>> parts_;
  std::vector<std::deque<MeterValue>> waiting_;  ///< readings that are in no sum yet, by part
  WriteLine write_;
  LogLines lines_;
  int64_t logged_ = 0;  ///< number of lines logged, without the header
};

/// The sum of several energy counters that are always read together, such as those of the packages of a CPU.
class CounterSum final : public Meter {
 public:
  /// `parts` are energy counters, at least one. Each call of their read() returns their present value.
  explicit CounterSum(std::vector<std::unique_ptr<Meter>> parts);

 private:
  std::vector<MeterValue> fetch() override;

  std::vector<std::unique_ptr<Meter>> parts_;
};

}  // namespace kjoule
