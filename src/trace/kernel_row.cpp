#include "trace/kernel_row.hpp"

#include <fmt/format.h>

#include <initializer_list>

#include "trace/decimal_time.hpp"

namespace kjoule {

namespace {

using Names = std::initializer_list<const char*>;

class RowReader {
 public:
  explicit RowReader(JsonCursor& cursor) : cursor_(cursor) {}

  KernelRow read() {
    if (cursor_.next() != '{') cursor_.fail("a kernel is no object");
    begin_ = cursor_.position();
    take_members(true);
    KernelRow row;
    ImportedKernel& kernel = row.kernel;
    kernel.name = text({"name", "kernel", "kernel_name"});
    if (kernel.name.empty()) cursor_.fail(begin_, "a kernel without \"name\"");
    kernel.kind = kind(kernel.name);
    kernel.grid = extent({"grid"});
    kernel.block = extent({"block"});
    kernel.shared_bytes = whole({"shared_bytes", "shared memory", "shared_memory"}, 0);
    kernel.bytes = whole({"bytes"}, 0);
    kernel.launched_by = launched_by();
    kernel.recorded_signature = text({"signature"});
    kernel.tier = tier(kernel);
    kernel.launches = static_cast<uint64_t>(whole({"launches", "count", "invocation_count"}, 1).value_or(1));
    kernel.fewest = size({"fewest"});
    kernel.most = size({"most"});
    kernel.times = times(kernel.launches);
    row.device = whole({"device"}, 0);
    row.iterations = iterations();
    return row;
  }

 private:
  void take_members(bool outermost) {
    std::map<std::string, std::string_view, std::less<>> here;
    cursor_.members([&](std::string_view key) {
      if (outermost && (key == "signature" || key == "args") && cursor_.next() == '{')
        return take_members(false);
      const std::string_view value = cursor_.raw();
      if (!here.emplace(key, value).second)
        cursor_.fail(value, fmt::format("\"{}\" stands twice in one kernel", shown(key)));
    });
    if (outermost)
      for (const auto& [key, value] : here) fields_[key] = value;
    else
      fields_.merge(here);
  }

  static std::string shown(std::string_view key) { return std::string(key.substr(0, 40)); }

  /// The first of these that is there and not null.
  std::string_view find(Names names, const char** found = nullptr) const {
    for (const char* name : names) {
      const auto at = fields_.find(name);
      if (at == fields_.end() || at->second == "null" || at->second == "\"\"") continue;
      if (found != nullptr) *found = name;
      return at->second;
    }
    return {};
  }

  std::string text(Names names) const {
    const char* name = nullptr;
    const std::string_view raw = find(names, &name);
    if (!raw.empty() && raw.front() != '"') cursor_.fail(raw, fmt::format("\"{}\" is no text", name));
    return json_text(raw);
  }

  std::optional<int64_t> whole(Names names, int64_t least) const {
    const char* name = nullptr;
    const std::string_view raw = find(names, &name);
    if (raw.empty()) return {};
    const auto number = json_whole(raw);
    if (!number || *number < least)
      cursor_.fail(raw, fmt::format("\"{}\" is no whole number from {}", name, least));
    return number;
  }
  std::optional<uint64_t> size(Names names) const {
    const auto number = whole(names, 0);
    if (!number) return {};
    return static_cast<uint64_t>(*number);
  }

  std::optional<Extent> extent(Names names) const {
    const char* name = nullptr;
    const std::string_view raw = find(names, &name);
    if (raw.empty()) return {};
    const auto extent = extent_from(between_quotes(raw).value_or(raw));
    if (!extent) cursor_.fail(raw, fmt::format("\"{}\" is not three whole numbers", name));
    return extent;
  }

  nlohmann::json list(Names names) const {
    const char* name = nullptr;
    const std::string_view raw = find(names, &name);
    if (raw.empty()) return {};
    nlohmann::json value = nlohmann::json::parse(raw, nullptr, false);
    if (!value.is_array()) cursor_.fail(raw, fmt::format("\"{}\" is no array", name));
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
    const std::string told = text({"kind"});
    for (const ActivityKind kind : {ActivityKind::kernel, ActivityKind::memcpy, ActivityKind::memset})
      if (told == activity_kind_name(kind)) return kind;
    if (!told.empty()) cursor_.fail(find({"kind"}), "\"kind\" is none of kernel, memcpy, memset");
    if (name.starts_with("Memcpy ")) return ActivityKind::memcpy;
    if (name.starts_with("Memset ")) return ActivityKind::memset;
    return ActivityKind::kernel;
  }

  Tier tier(const ImportedKernel& kernel) const {
    const auto told = json_whole(find({"tier"}));
    if (told && *told >= 1 && *told <= 3) return static_cast<Tier>(*told);
    return tier_of(kernel.kind);
  }

  std::optional<int64_t> time(Names names) const {
    const char* name = nullptr;
    const std::string_view raw = find(names, &name);
    if (raw.empty()) return {};
    const auto ns = ns_from_us(raw);
    if (!ns || *ns < 0) cursor_.fail(raw, fmt::format("\"{}\" is no time from 0 us", name));
    return ns;
  }

  /// A mean is made a total; "dur" is what one launch took.
  std::optional<LaunchTimes> times(uint64_t launches) const {
    std::optional<int64_t> total = time({"total_us", "total_time_us"});
    const auto each = time({"mean_us", "avg_us", "dur"});
    int64_t product = 0;
    if (!total && each && launches <= INT64_MAX &&
        !__builtin_mul_overflow(*each, static_cast<int64_t>(launches), &product))
      total = product;
    if (!total) return {};
    return LaunchTimes{*total, time({"min_us"}), time({"max_us"})};
  }

  std::optional<int64_t> iterations() const {
    const auto at = fields_.find("iterations");
    if (at == fields_.end()) return {};
    if (at->second == "null" || at->second == "\"unknown\"") return 0;
    return whole({"iterations"}, 1);
  }

  JsonCursor& cursor_;
  const char* begin_ = nullptr;
  std::map<std::string, std::string_view, std::less<>> fields_;
};

}  // namespace

KernelRow read_kernel_row(JsonCursor& cursor) {
  return RowReader(cursor).read();
}

}  // namespace kjoule
