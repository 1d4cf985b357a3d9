#include "power/logs/logger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace kjoule {

namespace {

/// The fewest sensor intervals of an energy counter over which one mean power is computed.
constexpr double kTicksPerMean = 10;
/// A pause is silence if it is longer than both of these times.
constexpr double kPauseIntervals = 3;
constexpr double kShortestSilence_s = 3;

std::vector<std::string> names_of(const std::vector<PowerChannel>& channels) {
  std::vector<std::string> names;
  for (const PowerChannel& channel : channels) names.push_back(channel.facts().name);
  return names;
}

std::vector<PowerChannel> channels_of(std::vector<std::unique_ptr<Meter>> meters, double interval_s) {
  std::vector<PowerChannel> channels;
  for (auto& meter : meters) channels.emplace_back(std::move(meter), interval_s);
  return channels;
}

/// Returns "0" for "gpu 0".
std::string gpu_of(const std::string& meter) {
  return meter.starts_with("gpu ") ? meter.substr(4) : meter;
}

}  // namespace

PowerChannel::PowerChannel(std::unique_ptr<Meter> meter, double interval_s)
    : meter_(std::move(meter)), counter_(std::max(interval_s, kTicksPerMean * meter_->facts().tick_s)) {
  const bool counter = facts().quantity == Quantity::energy_j;
  const double period_s = std::max(interval_s, (counter ? kTicksPerMean : 1) * facts().tick_s);
  longest_pause_s_ = std::max(kShortestSilence_s, kPauseIntervals * period_s);
}

double PowerChannel::counted_pause_s(int64_t until_ns) const {
  if (!heard_ns_) return 0;
  const double pause_s = static_cast<double>(until_ns - *heard_ns_) * 1e-9;
  return pause_s > longest_pause_s_ ? pause_s : 0;
}

double PowerChannel::silent_s(int64_t steady_ns) const {
  return silent_s_ + counted_pause_s(steady_ns);
}

std::vector<PowerPoint> PowerChannel::read() {
  const bool counter = facts().quantity == Quantity::energy_j;
  std::vector<PowerPoint> points;
  for (const MeterValue& reading : meter_->read()) {
    has_reading_ = true;
    const size_t before = points.size();
    if (!counter)
      points.push_back({reading.unix_ns, reading.value});
    else if (const auto point = counter_.add(reading))
      points.push_back(*point);
    if (points.size() == before) continue;
    silent_s_ += counted_pause_s(reading.steady_ns);
    heard_ns_ = reading.steady_ns;
  }
  return points;
}

void refuse_silence(const std::vector<const PowerChannel*>& channels, const Instant& now, double passed_s) {
  std::string silent;
  for (const PowerChannel* channel : channels) {
    const double silent_s = channel->silent_s(now.steady_ns);
    if (channel->has_reading() && silent_s == 0) continue;
    silent += (silent.empty() ? "" : ", ") + channel->facts().name;
    silent += channel->has_reading()
                  ? fmt::format(": no reading for {:.1f} s of {:.1f} s", silent_s, passed_s)
                  : fmt::format(": no reading at all in {:.1f} s", passed_s);
  }
  if (!silent.empty())
    throw Error(silent,
                "check the meter and its cable, or the program that writes the file, and measure again");
}

PowerLogger::PowerLogger(std::vector<std::unique_ptr<Meter>> meters, LogLines::Format format,
                         double interval_s, Write write)
    : channels_(channels_of(std::move(meters), interval_s)),
      text_(format, names_of(channels_)),
      write_(std::move(write)),
      averagers_(channels_.size(), PowerAverager(interval_s)),
      newest_(channels_.size()),
      shared_rows_(channels_.size()),
      moment_(channels_.size()) {
  write_(text_.header());
}

void PowerLogger::step(const Instant& now) {
  std::optional<Error> lost;
  for (size_t c = 0; c < channels_.size(); ++c) {
    std::vector<PowerPoint> points;
    try {
      points = channels_[c].read();
    } catch (const Error& error) {
      lost = error;
      continue;
    }
    for (const PowerPoint& point : points) add(c, point);
    if (text_.format() == LogLines::Format::wattsup) continue;
    if (const auto due = averagers_[c].take_due(now.unix_ns)) emit(c, *due);
  }
  if (text_.format() == LogLines::Format::wattsup) write_rows(shared_rows_.take_complete(now.unix_ns));
  if (lost) throw Error(*lost);
}

void PowerLogger::finish() {
  for (size_t c = 0; c < channels_.size(); ++c)
    if (const auto rest = averagers_[c].take_rest()) emit(c, *rest);
  write_moment();
  write_rows(shared_rows_.take_rest());
}

std::vector<std::string> PowerLogger::take_notes() {
  std::vector<std::string> all;
  for (PowerChannel& channel : channels_)
    for (std::string& note : channel.meter().take_notes()) all.push_back(std::move(note));
  return all;
}

std::optional<double> PowerLogger::newest_w() const {
  double sum = 0;
  for (const auto& one : newest_) {
    if (!one) return {};
    sum += *one;
  }
  return sum;
}

void PowerLogger::add(size_t channel, const PowerPoint& point) {
  newest_[channel] = point.watts;
  if (text_.format() == LogLines::Format::wattsup)
    shared_rows_.add(channel, point.unix_ns, point.watts);
  else if (const auto ended = averagers_[channel].add(point))
    emit(channel, *ended);
}

void PowerLogger::emit(size_t channel, const PowerPoint& point) {
  if (text_.format() == LogLines::Format::gpu) {
    write(text_.gpu(point.unix_ns, gpu_of(channels_[channel].facts().name), point.watts));
    return;
  }
  if (moment_[channel]) write_moment();  // each meter has at most one reading in a line
  moment_[channel] = point.watts;
  moment_ns_ = point.unix_ns;
}

void PowerLogger::write_rows(const std::vector<SharedRows::Row>& rows) {
  for (const SharedRows::Row& row : rows)
    write(text_.readings(row.unix_ns, static_cast<int64_t>(lines_), row.watts));
}

void PowerLogger::write_moment() {
  const bool empty = std::none_of(moment_.begin(), moment_.end(), [](const auto& one) { return one; });
  if (empty) return;
  write(text_.moment(moment_ns_, moment_));
  std::fill(moment_.begin(), moment_.end(), std::nullopt);
}

void PowerLogger::write(const std::string& line) {
  write_(line);
  ++lines_;
}

LogLines::Format log_format(const std::vector<FoundMeter>& meters) {
  const auto is_wattsup = [](const FoundMeter& meter) { return meter.facts.source == "wattsup"; };
  if (std::all_of(meters.begin(), meters.end(), is_wattsup)) return LogLines::Format::wattsup;
  const auto is_gpu = [](const FoundMeter& meter) { return meter.facts.scope == Scope::gpu; };
  return std::all_of(meters.begin(), meters.end(), is_gpu) ? LogLines::Format::gpu
                                                           : LogLines::Format::columns;
}

}  // namespace kjoule
