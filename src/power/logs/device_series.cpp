#include "power/logs/device_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.hpp"
#include "base/text/parse_number.hpp"
#include "power/logs/cells.hpp"

namespace kjoule {

namespace {

/// The most series of a log, and the most different numbers in a column such as that of the host; more
/// indicate that the column contains other data.
constexpr size_t kMostSeries = 1024, kMostNumbers = 64;
constexpr size_t kLongestDevice = 64;
/// The largest number of a GPU in one host.
constexpr size_t kLargestIndex = 127;
/// The most texts of an unused column that are counted, and the most devices for which they are.
constexpr size_t kMostTexts = 8, kMostWatched = 16;
/// Fewer readings do not show whether they are of several devices.
constexpr size_t kLeastRows = 4, kLeastRowsOfNumbers = 12;

/// Returns the number of a GPU, or no value for other texts.
std::optional<size_t> index_of(std::string_view text) {
  size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index > kLargestIndex) return {};
  return index;
}

bool is_index_title(std::string_view title) {
  return title == "gpu" || title == "index" || title == "gpu_index";
}

/// Returns whether a text may be a name: it begins with a letter, or is an address such as 10.0.0.1.
bool is_name(std::string_view text) {
  if (text.empty()) return false;
  if ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z')) return true;
  return std::count_if(text.begin(), text.end(), [](char c) { return c == '.' || c == ':'; }) > 1;
}

bool is_whole_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Returns the readings of two series in the order of their times. Readings that are not sorted stay so.
std::vector<PowerSeries::Sample> merged(const std::vector<PowerSeries::Sample>& a,
                                        const std::vector<PowerSeries::Sample>& b) {
  std::vector<PowerSeries::Sample> all;
  all.reserve(a.size() + b.size());
  for (size_t i = 0, j = 0; i < a.size() || j < b.size();)
    all.push_back(j == b.size() || (i < a.size() && a[i].unix_ns <= b[j].unix_ns) ? a[i++] : b[j++]);
  return all;
}

/// Returns the cell of a row that names the device, or a part of its name.
std::string_view cell_of(const LogRow& row, size_t key, bool has_device) {
  if (has_device) return key == 0 ? row.device : row.keys[key - 1];
  return row.keys[key];
}

}  // namespace

void DeviceSeries::Texts::add(std::string_view text) {
  if (closed) return;
  const auto found = std::find(texts.begin(), texts.end(), text);
  const auto place = static_cast<size_t>(found - texts.begin());
  if (found == texts.end()) {
    const bool fits = is_name(text) || index_of(text);
    if (!fits || text.size() > kLongestDevice || texts.size() == kMostTexts) {
      *this = {.closed = true};
      return;
    }
    has_numbers = has_numbers || !is_name(text);
    texts.emplace_back(text);
    counts.push_back(0);
  }
  if (texts.size() > 1 && place != latest) ++changes;
  latest = place;
  ++counts[place];
}

/// Returns whether the texts are the numbers from 0 or 1 on, as those of devices are.
bool DeviceSeries::Texts::number_devices() const {
  std::vector<size_t> numbers;
  for (const std::string& text : texts) numbers.push_back(index_of(text).value_or(kLargestIndex));
  std::sort(numbers.begin(), numbers.end());
  for (size_t n = 0; n < numbers.size(); ++n)
    if (numbers[n] != numbers[0] + n) return false;
  return numbers[0] <= 1;
}

/// Returns whether the texts alternate from row to row, and each is about equally frequent. Numbers may be
/// something else than devices, so all of them must alternate.
bool DeviceSeries::Texts::alternate() const {
  if (closed || texts.size() < 2) return false;
  size_t rows = 0;
  for (const size_t count : counts) rows += count;
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  if (has_numbers && !number_devices()) return false;
  if (has_numbers) return rows >= kLeastRowsOfNumbers && changes == rows - 1 && *most <= *least + 1;
  return rows >= kLeastRows && 2 * changes >= rows - 1 && *most <= 2 * *least + 2;
}

DeviceSeries::DeviceSeries(const LogColumns& columns, bool is_stated) : columns_(columns) {
  if (columns.format == "wattsup") columns_.keys.clear();
  if (columns_.device) {
    const bool is_index = !is_stated && columns_.has_header && is_index_title(columns_.device_name);
    keys_.push_back({columns_.device_name, is_index, true});
  }
  for (const LogColumns::Key& key : columns_.keys) keys_.push_back({key.title});
  const auto is_key = [&](size_t column) {
    return std::any_of(columns_.keys.begin(), columns_.keys.end(),
                       [column](const LogColumns::Key& key) { return key.column == column; });
  };
  if (columns_.has_header && columns_.format != "wattsup")
    for (size_t c = 0; c < columns_.count; ++c)
      if (!columns_.uses(c) && !is_key(c)) watched_.push_back(c);
  if (keys_.empty()) {
    devices_.push_back({{}, std::vector<Texts>(watched_.size())});
    samples_.resize(columns_.values.size());
  }
}

bool DeviceSeries::is_device(const Device& device, const LogRow& row) const {
  for (size_t k = 0; k < keys_.size(); ++k)
    if (keys_[k].used && device.cells[k] != cell_of(row, k, keys_[0].is_device)) return false;
  return true;
}

std::optional<size_t> DeviceSeries::unfit_column(const LogRow& row) const {
  for (size_t k = 0; k < keys_.size(); ++k) {
    if (!keys_[k].used) continue;
    const std::string_view cell = cell_of(row, k, keys_[0].is_device);
    if (!parse_number(cell)) continue;
    if (keys_[k].is_device) {
      if (keys_[k].is_index && !index_of(cell)) return k;
      continue;
    }
    std::vector<std::string_view> numbers;
    for (const Device& device : devices_)
      if (std::find(numbers.begin(), numbers.end(), device.cells[k]) == numbers.end())
        numbers.push_back(device.cells[k]);
    if (!is_whole_number(cell) || numbers.size() >= kMostNumbers) return k;
  }
  return {};
}

std::optional<size_t> DeviceSeries::series_of(const LogRow& row) {
  if (keys_.empty()) return 0;
  const size_t each = columns_.values.size();
  if (keys_[0].is_device && keys_[0].used && (row.device.empty() || is_missing_reading(row.device)))
    return {};
  for (size_t d = 0; d < devices_.size(); ++d)
    if (is_device(devices_[d], row)) return d * each;
  if (const auto unfit = unfit_column(row)) {
    drop(*unfit);
    return series_of(row);
  }
  if ((devices_.size() + 1) * each > kMostSeries) return {};
  Device device;
  for (size_t k = 0; k < keys_.size(); ++k) {
    const std::string_view cell = keys_[k].used ? cell_of(row, k, keys_[0].is_device) : std::string_view();
    if (cell.size() > kLongestDevice) return {};
    device.cells.emplace_back(cell);
  }
  device.texts.resize(devices_.size() < kMostWatched ? watched_.size() : 0);
  devices_.push_back(std::move(device));
  samples_.resize(devices_.size() * each);
  return samples_.size() - each;
}

void DeviceSeries::watch(size_t series, const Cells& cells) {
  std::vector<Texts>& texts = devices_[series / columns_.values.size()].texts;
  for (size_t w = 0; w < texts.size(); ++w)
    if (!texts[w].closed && watched_[w] < cells.size()) texts[w].add(cells[watched_[w]]);
}

void DeviceSeries::join(size_t into, size_t device) {
  const size_t each = columns_.values.size();
  for (size_t v = 0; v < each; ++v)
    samples_[into * each + v] = merged(samples_[into * each + v], samples_[device * each + v]);
  const auto first = samples_.begin() + static_cast<std::ptrdiff_t>(device * each);
  samples_.erase(first, first + static_cast<std::ptrdiff_t>(each));
  devices_.erase(devices_.begin() + static_cast<std::ptrdiff_t>(device));
  devices_[into].texts.clear();  // their order is lost
}

void DeviceSeries::drop(size_t column) {
  keys_[column].used = false;
  for (Device& device : devices_) device.cells[column].clear();
  for (size_t into = 0; into < devices_.size(); ++into)
    for (size_t d = devices_.size() - 1; d > into; --d)
      if (devices_[d].cells == devices_[into].cells) join(into, d);
  if (!keys_[column].is_device) return;
  columns_.device.reset();
  if (columns_.format == "gpu") columns_.format = "csv";
  for (LogColumns::Value& value : columns_.values)
    if (value.name.empty()) value.name = series_of_title(value.title);
}

bool DeviceSeries::distinguishes(size_t column) const {
  for (size_t a = 0; a < devices_.size(); ++a)
    for (size_t b = a + 1; b < devices_.size(); ++b) {
      std::vector<std::string> one = devices_[a].cells, other = devices_[b].cells;
      one[column].clear();
      other[column].clear();
      if (one == other) return true;
    }
  return false;
}

/// Returns whether each row has the next number, so that the column counts rows.
bool DeviceSeries::counts_rows() const {
  if (devices_.size() < kLeastRows) return false;
  std::optional<size_t> before;
  int64_t time = INT64_MIN;
  for (size_t d = 0; d < devices_.size(); ++d) {
    const auto index = index_of(devices_[d].cells[0]);
    const auto& samples = samples_[d * columns_.values.size()];
    if (!index || samples.size() != 1 || samples[0].unix_ns <= time) return false;
    if (before && *index != *before + 1) return false;
    before = index;
    time = samples[0].unix_ns;
  }
  return true;
}

/// Throws Error if the numbers in the column of devices may be powers or shares: they are not all numbers
/// from 0 on, they change often, no two of them occur at one time, and they are rare or do not take turns as
/// GPUs do.
void DeviceSeries::check_turns() const {
  if (devices_.size() < 2) return;
  std::vector<std::pair<int64_t, size_t>> rows;
  size_t largest = 0;
  for (size_t d = 0; d < devices_.size(); ++d) {
    const auto index = index_of(devices_[d].cells[0]);
    if (!index) return;
    largest = std::max(largest, *index);
    for (const PowerSeries::Sample& sample : samples_[d * columns_.values.size()])
      rows.emplace_back(sample.unix_ns, d);
  }
  if (largest < devices_.size()) return;
  std::sort(rows.begin(), rows.end());
  size_t changes = 0, repeats = 0;
  std::vector<size_t> latest(devices_.size(), SIZE_MAX);
  for (size_t r = 0; r < rows.size(); ++r) {
    const auto [time, device] = rows[r];
    if (r > 0 && rows[r - 1].first == time) return;
    changes += r > 0 && rows[r - 1].second != device ? 1 : 0;
    repeats += latest[device] != SIZE_MAX && r - latest[device] < devices_.size() ? 1 : 0;
    latest[device] = r;
  }
  const bool are_rare = rows.size() < 2 * devices_.size();
  if (rows.size() < kLeastRows || 4 * changes < rows.size()) return;
  if (4 * repeats < rows.size() && !are_rare) return;
  throw Error(
      fmt::format(
          "column {} has numbers that do not take turns as those of GPUs do: they may be powers or shares",
          quoted_begin(keys_[0].title)),
      fmt::format("give --device-column none if they are no numbers of GPUs, or --device-column {}",
                  keys_[0].title));
}

void DeviceSeries::check_watched() const {
  for (const Device& device : devices_)
    for (size_t w = 0; w < device.texts.size(); ++w)
      if (const Texts& texts = device.texts[w]; texts.alternate())
        throw Error(fmt::format("column {} alternates between {} and {}: the readings are of several devices",
                                watched_[w] + 1, quoted_begin(texts.texts[0]), quoted_begin(texts.texts[1])),
                    fmt::format("name it with --device-column {}, or give --device-column none if all "
                                "readings are of one device",
                                watched_[w] + 1));
}

void DeviceSeries::name(PowerSeries& series, const Device& device, const LogColumns::Value& value) const {
  std::string key_names, device_name;
  for (size_t k = 0; k < keys_.size(); ++k) {
    if (!keys_[k].used) continue;
    if (keys_[k].is_device)
      device_name = device.cells[k];
    else
      key_names += fmt::format("{}{} {}", key_names.empty() ? "" : " ", keys_[k].title, device.cells[k]);
  }
  series.name = columns_.series_name(value, device_name);
  if (!key_names.empty()) series.name = key_names + " " + series.name;
  const bool is_gpu = columns_.device && columns_.device_title == "gpu";
  if (is_gpu) series.gpu = key_names.empty() ? device_name : key_names + " " + device_name;
  if (columns_.device || value.part) series.column = value.name;
}

std::vector<PowerSeries> DeviceSeries::finish(std::vector<size_t>& values) {
  if (!keys_.empty() && keys_[0].is_index && keys_[0].used) {
    if (counts_rows()) drop(0);
    if (keys_[0].used) check_turns();
  }
  for (size_t k = keys_.size(); k-- > 0;)
    if (keys_[k].used && !keys_[k].is_device && !distinguishes(k)) drop(k);
  std::vector<PowerSeries> all;
  for (size_t d = 0; d < devices_.size(); ++d)
    for (size_t v = 0; v < columns_.values.size(); ++v) {
      PowerSeries& series = all.emplace_back();
      name(series, devices_[d], columns_.values[v]);
      series.samples = std::move(samples_[d * columns_.values.size() + v]);
      values.push_back(v);
    }
  return all;
}

}  // namespace kjoule
