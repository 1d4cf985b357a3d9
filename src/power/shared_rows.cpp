#include "power/shared_rows.hpp"

#include <algorithm>
#include <cstdlib>

#include "power/instant.hpp"

namespace kjoule {

namespace {

/// The longest time that a reading needs from the meter to this program.
constexpr int64_t kGrace_ns = kNsPerSecond / 2;

}  // namespace

SharedRows::Rows::iterator SharedRows::row_to_share(size_t meter, int64_t unix_ns) {
  auto first = rows_.lower_bound(unix_ns - kTogether_ns);
  if (const auto& newest = newest_ns_[meter]; newest && *newest >= unix_ns - kTogether_ns)
    first = rows_.upper_bound(*newest);
  auto nearest = rows_.end();
  for (auto row = first; row != rows_.end() && row->first <= unix_ns + kTogether_ns; ++row) {
    if (row->second.watts[meter]) continue;
    if (nearest == rows_.end() || std::abs(row->first - unix_ns) < std::abs(nearest->first - unix_ns))
      nearest = row;
  }
  return nearest;
}

void SharedRows::add(size_t meter, int64_t unix_ns, double watts) {
  auto place = row_to_share(meter, unix_ns);
  if (place == rows_.end())
    place = rows_.emplace(unix_ns, Row{unix_ns, std::vector<std::optional<double>>(meters_)});
  Row& row = place->second;
  row.watts[meter] = watts;
  const auto count = std::ranges::count_if(row.watts, [](const auto& one) { return one.has_value(); });
  row.unix_ns += (unix_ns - row.unix_ns) / count;
  newest_ns_[meter] = place->first;
}

std::vector<SharedRows::Row> SharedRows::take_complete(int64_t unix_ns) {
  return take_until(rows_.upper_bound(unix_ns - kGrace_ns - kTogether_ns));
}

std::vector<SharedRows::Row> SharedRows::take_rest() {
  return take_until(rows_.end());
}

std::vector<SharedRows::Row> SharedRows::take_until(Rows::iterator end) {
  std::vector<Row> taken;
  for (auto row = rows_.begin(); row != end; ++row) taken.push_back(std::move(row->second));
  rows_.erase(rows_.begin(), end);
  return taken;
}

}  // namespace kjoule
