#include "importers/kernel_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>

#include "base/files/csv_rows.hpp"
#include "base/json/parse_json.hpp"
#include "base/text/parse_number.hpp"
#include "importers/decimal_time.hpp"
#include "importers/foreign_columns.hpp"
#include "importers/kernel_fields.hpp"
#include "importers/kernel_heading.hpp"
#include "recording/tier_text.hpp"

namespace kjoule {

namespace {

using Names = std::initializer_list<const char*>;

/// Fields with the number of launches of a row.
constexpr Names kCounts = {"count", "invocation_count", "calls", "Calls"};

/// The meaning of a time whose key does not state whether it is that of one launch or of all.
constexpr const char* kUnclearTime = "duration_us";

/// Times of one row agree if their relative difference is at most this, plus the rounding of their last
/// digits.
constexpr double kTimesDiffer = 0.01;

class RowReader {
 public:
  explicit RowReader(JsonCursor& cursor) : cursor_(cursor) {}

  KernelRow read() {
    if (cursor_.next() != '{') cursor_.fail("this kernel is not a JSON object");
    KernelRow row;
    row.begin = cursor_.position();
    read_members(outer_, "");
    if (find({"unique_kernels"}) != nullptr)
      cursor_.fail(row.begin, "this row is a group of kernels (output of --by), not a kernel");
    ImportedKernel& kernel = row.kernel;
    kernel.name = text({"name", "kernel", "kernel_name", "Kernel Name", "Name"});
    if (kernel.name.empty()) cursor_.fail(row.begin, "this kernel has no \"name\"");
    kernel.kind = kind(kernel.name);
    if (kernel.kind == ActivityKind::kernel) {  // copies have no grid, but some tables contain zeros
      kernel.grid = extent({"grid"});
      kernel.block = extent({"block"});
    }
    kernel.shared_bytes = whole({"shared_bytes", "shared memory", "shared_memory"}, 0);
    kernel.bytes = whole({"bytes"}, 0);
    kernel.launched_by = launched_by();
    kernel.gemm = gemm();
    kernel.recorded_signature = text({"signature"});
    row.tier = tier();
    kernel.tier = row.tier.value_or(Tier::unknown);
    if (kernel.tier == Tier::unknown) kernel.tier = tier_of(kernel.kind);
    kernel.launches = launches();
    kernel.fewest = size({"fewest"});
    kernel.most = size({"most"});
    kernel.times = times(kernel.launches);
    if (!kernel.times && find({kUnclearTime}) != nullptr) row.unclear_time = find({kUnclearTime})->key;
    row.device = whole({"device", "gpu", "GPU"}, 0);
    // Only kjoule's own tables state a process; in others, a rank may be a place in a list.
    if (!row.device && find({"process"}) != nullptr) row.device = whole({"rank"}, 0);
    row.iterations = iterations();
    row.possible_iterations = possible_iterations(row.iterations.value_or(0));
    row.counted = find({"launches"}) != nullptr || find(kCounts) != nullptr;
    row.is_timed_alone = find({"benchmark_runs"}) != nullptr;
    row.unknown = unknown();
    return row;
  }

 private:
  struct Field {
    /// Prefix for a field within an inner object: "signature.", "args." or "params."; otherwise empty.
    const char* within;
    std::string_view key, value;
    std::string_view meaning;  ///< the known key with the same meaning; otherwise `key`
    int unit_power = 0;        ///< of a time: the power of ten of its unit in us
    std::string label() const { return fmt::format("\"{}{}\"", within, key); }
  };

  void read_members(std::vector<Field>& fields, const char* within) {
    std::set<std::string_view> keys;
    cursor_.members([&](std::string_view key) {
      const bool holds_fields = &fields == &outer_ && (key == "signature" || key == "args");
      if (holds_fields && cursor_.next() == '{')
        return read_members(inner_, key == "args" ? "args." : "signature.");
      if (&fields == &outer_ && key == "params" && cursor_.next() == '{')
        return read_members(params_, "params.");
      const std::string_view value = cursor_.raw();
      if (key.size() > kNameLimit) cursor_.fail(value, "a key" + longer_than_a_name());
      if (keys.size() == CsvRows::kColumnLimit)
        cursor_.fail(value, fmt::format("a kernel has more than {} fields (column limit)", keys.size()));
      if (!keys.insert(key).second)
        cursor_.fail(value, fmt::format("\"{}\" is given twice in one kernel", shown(key)));
      fields.push_back({within, key, value, key, 0});
      if (&fields == &outer_ && !is_kernel_field(key)) interpret(fields.back());
    });
  }

  /// Finds the meaning of a key of another tool, such as "Total Time (ns)" or "Num Calls".
  static void interpret(Field& field) {
    const KernelHeading heading = read_kernel_heading(field.key);
    if (is_name_column(field.key)) field.meaning = "name";
    if (heading.meaning == HeadingMeaning::count) field.meaning = "count";
    if (!heading.is_time() || !heading.power) return;
    field.unit_power = *heading.power;
    switch (heading.meaning) {
      case HeadingMeaning::total:
        field.meaning = "total_us";
        break;
      case HeadingMeaning::mean:
        field.meaning = "mean_us";
        break;
      case HeadingMeaning::least:
        field.meaning = "min_us";
        break;
      case HeadingMeaning::largest:
        field.meaning = "max_us";
        break;
      default:
        field.meaning = kUnclearTime;
    }
  }

  /// Returns whether a field is read from `params`. Only sizes are, because grid, block and other fields have
  /// different meanings there.
  static bool is_size(std::string_view key) {
    constexpr std::string_view kSizes[] = {"M", "m", "N", "n", "K", "k", "batch", "dtype"};
    return std::ranges::find(kSizes, key) != std::end(kSizes);
  }

  static std::string_view shown(std::string_view text) { return text.substr(0, 40); }

  /// Returns the fields with one of these names that are not null or empty, in the order of the names; for
  /// the same name, fields of the outer object precede those of inner objects.
  std::vector<const Field*> find_all(Names names) const {
    std::vector<const Field*> found;
    for (const std::string_view name : names)
      for (const std::vector<Field>* fields : {&outer_, &inner_, &params_})
        for (const Field& field : *fields)
          if (field.meaning == name && (fields != &params_ || is_size(name)) && field.value != "null" &&
              field.value != "\"\"")
            found.push_back(&field);
    return found;
  }

  const Field* find(Names names) const {
    const std::vector<const Field*> found = find_all(names);
    return found.empty() ? nullptr : found.front();
  }

  /// Returns the value of the fields with these names, converted by `read`. Throws Error if two of them
  /// differ.
  template <class Read>
  auto common_value(Names names, const Read& read) const {
    const std::vector<const Field*> found = find_all(names);
    decltype(read(*found.front())) value;
    for (const Field* field : found) {
      const auto other = read(*field);
      if (value && other != value)
        cursor_.fail(field->value, fmt::format("two fields contradict each other: {} is {}, but {} is {}",
                                               found.front()->label(), shown(found.front()->value),
                                               field->label(), shown(field->value)));
      value = other;
    }
    return value;
  }

  std::string text(Names names) const {
    const Field* field = find(names);
    if (field == nullptr) return {};
    if (field->value.front() != '"') cursor_.fail(field->value, field->label() + " is not a text");
    if (field->value.size() > kNameLimit) cursor_.fail(field->value, field->label() + longer_than_a_name());
    return json_text(field->value);
  }

  /// Returns a whole number. Accepts 5.0 for 5, as pandas writes it.
  std::optional<int64_t> whole(Names names, int64_t least) const {
    return common_value(names, [&](const Field& field) {
      std::string_view digits = between_quotes(field.value).value_or(field.value);
      if (digits.ends_with(".0")) digits.remove_suffix(2);
      const auto number = json_whole(digits);
      if (!number || *number < least)
        cursor_.fail(field.value,
                     fmt::format("{} is not a whole number of at least {}", field.label(), least));
      return number;
    });
  }
  /// Returns a size of a matrix product. Accepts 5.0 for 5, as pandas writes it.
  std::optional<int64_t> gemm_size(Names names) const {
    return common_value(names, [&](const Field& field) {
      const auto number = parse_number(between_quotes(field.value).value_or(field.value));
      if (!number || *number != std::floor(*number) || *number < 1 ||
          *number > static_cast<double>(kMostGemmSize))
        cursor_.fail(field.value,
                     fmt::format("{} is not a whole number from 1 to {}", field.label(), kMostGemmSize));
      return std::optional(static_cast<int64_t>(*number));
    });
  }
  /// Returns the sizes of a matrix product; none without M and K, because an N alone may have another
  /// meaning.
  GemmSizes gemm() const {
    if (find({"M", "m", "K", "k"}) == nullptr) return {};
    const std::string dtype = text({"dtype"});
    return {gemm_size({"M", "m"}), gemm_size({"N", "n"}), gemm_size({"K", "k"}), gemm_size({"batch"}),
            matrix_type_named(dtype).value_or(dtype)};
  }
  std::optional<uint64_t> size(Names names) const {
    const auto number = whole(names, 0);
    if (!number) return {};
    return static_cast<uint64_t>(*number);
  }

  /// Returns the number of launches in the whole table. If the row contains `launches`, its `count` is the
  /// number per iteration, and is not used.
  uint64_t launches() const {
    const auto launches = whole({"launches"}, 1);
    return static_cast<uint64_t>(launches ? *launches : whole(kCounts, 1).value_or(1));
  }

  /// Returns the smallest and largest number of iterations for which `launches` is `count` in each of them,
  /// up to the rounding of `count`. Returns nothing if the row does not contain both, and throws Error if the
  /// row's own number of iterations is not among them.
  std::optional<std::pair<double, double>> possible_iterations(int64_t stated) const {
    const Field *const launches = find({"launches"}), *const count = find(kCounts);
    if (launches == nullptr || count == nullptr) return {};
    const std::string_view digits = between_quotes(count->value).value_or(count->value);
    const auto number = parse_number(digits);
    if (!number || *number <= 0)
      cursor_.fail(count->value, fmt::format("{} is not a number above 0", count->label()));
    const double off = digits.find_first_of(".eE") == std::string_view::npos ? 0 : half_of_last_digit(digits);
    constexpr double kRoundingOfDoubles = 1e-9;
    const auto all = static_cast<double>(whole({"launches"}, 1).value_or(0));
    const double least = all / (*number + off) * (1 - kRoundingOfDoubles),
                 most = all / std::max(*number - off, off) * (1 + kRoundingOfDoubles);
    const auto iterations = static_cast<double>(stated);
    if (most < 1 || (stated > 0 && (iterations < least || iterations > most)))
      cursor_.fail(count->value,
                   fmt::format("two fields contradict each other: {} is {}, but {} is {}{}",
                               launches->label(), shown(launches->value), count->label(), shown(count->value),
                               stated > 0 ? fmt::format(", in each of {} iterations", stated) : ""));
    return std::pair(least, most);
  }

  /// Returns whether a text may be three numbers, or one number whose digits are grouped: "1,048,576".
  static bool is_grouped_number(std::string_view text) {
    const size_t first = text.find(','), last = text.rfind(',');
    return text.find_first_not_of("0123456789,") == std::string_view::npos &&
           first != std::string_view::npos && first > 0 && first <= 3 && last == first + 4 &&
           text.size() == last + 4;
  }

  std::optional<Extent> extent(Names names) const {
    return common_value(names, [&](const Field& field) {
      if (is_grouped_number(between_quotes(field.value).value_or("")))
        cursor_.fail(
            field.value,
            fmt::format("{} is {}, which may be three numbers or one with grouped digits; write three "
                        "as 1x2x3",
                        field.label(), shown(field.value)));
      const auto extent = extent_from(between_quotes(field.value).value_or(field.value));
      if (!extent) cursor_.fail(field.value, field.label() + " is not three " + kExtentIs);
      return extent;
    });
  }

  nlohmann::json list(Names names) const {
    const Field* field = find(names);
    if (field == nullptr) return {};
    nlohmann::json value = parse_json(field->value, field->label());
    if (!value.is_array()) cursor_.fail(field->value, field->label() + " is not an array");
    return value;
  }

  LaunchingOperator launched_by() const {
    return {text({"operator"}),
            list({"input_dims", "Input Dims"}),
            list({"input_strides", "Input Strides"}),
            list({"input_types", "Input type"}),
            list({"concrete_inputs", "Concrete Inputs"}),
            list({"arguments"})};
  }

  ActivityKind kind(const std::string& name) const {
    const std::string given = text({"kind"});
    for (const ActivityKind kind : {ActivityKind::kernel, ActivityKind::memcpy, ActivityKind::memset})
      if (given == activity_kind_name(kind)) return kind;
    if (!given.empty()) cursor_.fail(find({"kind"})->value, "\"kind\" must be kernel, memcpy or memset");
    if (name.starts_with("Memcpy ")) return ActivityKind::memcpy;
    if (name.starts_with("Memset ")) return ActivityKind::memset;
    return ActivityKind::kernel;
  }

  std::optional<Tier> tier() const {
    const Field* field = find({"tier"});
    if (field == nullptr) return {};
    const auto tier = tier_from(json_text(field->value));
    if (!tier) cursor_.fail(field->value, "\"tier\" must be 1, 2, 3 or \"unknown\"");
    return tier;
  }

  struct Time {
    const Field* field;
    int64_t ns;
    /// Returns the time multiplied by `factor`, and the largest rounding error of this product, both in ns.
    std::pair<double, double> scaled(double factor) const {
      const std::string_view digits = between_quotes(field->value).value_or(field->value);
      const double half_digit_ns = 1000 * half_of_last_digit(digits) * std::pow(10., field->unit_power);
      return {factor * static_cast<double>(ns), factor * half_digit_ns};
    }
    std::string text() const { return fmt::format("{} is {}", field->label(), shown(field->value)); }
  };

  std::optional<Time> time(Names names) const {
    const Field* field = find(names);
    if (field == nullptr) return {};
    const auto ns = ns_from(field->value, field->unit_power);
    if (!ns || *ns < 0) cursor_.fail(field->value, field->label() + " is not a time of at least 0 us");
    return Time{field, *ns};
  }

  /// Throws Error if `less` x less_times exceeds `more` x more_times by more than rounding.
  void check_order(const std::optional<Time>& less, double less_times, const std::optional<Time>& more,
                   double more_times, uint64_t launches) const {
    if (!less || !more) return;
    const auto [small, small_off] = less->scaled(less_times);
    const auto [large, large_off] = more->scaled(more_times);
    if (small - large > kTimesDiffer * large + small_off + large_off)
      cursor_.fail(less->field->value,
                   fmt::format("the times contradict each other: {}, but {}, for {} launches", less->text(),
                               more->text(), launches));
  }

  /// Returns the times of all launches. Converts a mean time or "dur" (the time of one launch) to a total.
  std::optional<RecordedTimes> times(uint64_t launches) const {
    const auto total = time({"total_us", "total_time_us"}), least = time({"min_us"}),
               largest = time({"max_us"});
    auto each = time({"mean_us", "avg_us", "dur", "single_time_us"});
    if (!each && !total && launches == 1) each = time({kUnclearTime});
    const auto number = static_cast<double>(launches);
    check_order(each, number, total, 1, launches);
    check_order(total, 1, each, number, launches);
    check_order(least, 1, largest, 1, launches);
    check_order(least, 1, each, 1, launches);
    check_order(each, 1, largest, 1, launches);
    check_order(least, number, total, 1, launches);
    check_order(total, 1, largest, number, launches);
    RecordedTimes times;
    if (total)
      times.total_ns = total->ns;
    else if (!each || launches > INT64_MAX ||
             __builtin_mul_overflow(each->ns, static_cast<int64_t>(launches), &times.total_ns))
      return {};
    if (least) times.min_ns = least->ns;
    if (largest) times.max_ns = largest->ns;
    return times;
  }

  std::vector<std::string_view> unknown() const {
    std::vector<std::string_view> keys;
    for (const std::vector<Field>* fields : {&outer_, &inner_})
      for (const Field& field : *fields)
        if (field.meaning == field.key && !is_kernel_field(field.key)) keys.push_back(field.key);
    return keys;
  }

  std::optional<int64_t> iterations() const {
    for (const Field& field : outer_)
      if (field.key == "iterations" && (field.value == "null" || field.value == "\"unknown\"")) return 0;
    return whole({"iterations"}, 1);
  }

  JsonCursor& cursor_;
  std::vector<Field> outer_, inner_, params_;
};

}  // namespace

KernelRow read_kernel_row(JsonCursor& cursor) {
  return RowReader(cursor).read();
}

void add_launches(uint64_t& sum, const KernelRow& row, const JsonCursor& cursor) {
  if (__builtin_add_overflow(sum, row.kernel.launches, &sum))
    cursor.fail(row.begin,
                fmt::format("the sum of its {} launches and those of the kernels before it exceeds 64 bits",
                            row.kernel.launches));
}

}  // namespace kjoule
