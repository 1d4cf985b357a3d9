#include "importers/signature_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "base/error.hpp"
#include "base/files/json_cursor.hpp"
#include "base/text/parse_number.hpp"
#include "importers/kernel_rows.hpp"
#include "recording/tier_text.hpp"

namespace kjoule {

namespace {

/// The relative rounding error of means over iterations, which a file may contain with six digits only.
constexpr double kRounding = 1e-5;

bool is(std::string_view key, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), key) != names.end();
}

class SignaturesReader {
 public:
  SignaturesReader(const PaddedText& text, const ImportChoice& choice, const std::string& file)
      : cursor_(text, file, kFormatsRemedy), file_(file), rows_(choice, file) {}

  ImportedTable read() {
    bool any = false, has_groups = false;
    cursor_.members([&](std::string_view key) {
      if (key == "summary" && cursor_.next() == '{') return read_summary({});
      has_groups |= key == "groups";
      if (key != "kernels") return cursor_.skip();
      if (any) cursor_.fail("\"kernels\" is given twice");
      any = true;
      read_kernels();
    });
    if (!cursor_.at_end()) cursor_.fail("the file contains text after the end of the table");
    // isolated_kernels_timing.json has groups of its kernels, too.
    if (!any && has_groups) throw Error(file_ + kContainsGroups, kGroupsRemedy);
    if (!any) cursor_.fail("the file has no \"kernels\"");
    for (const SummaryNumber& stated : summary_numbers_) check(stated);
    return rows_.finish("kernel signatures");
  }

 private:
  struct Sums {
    uint64_t kernels = 0, launches = 0;
  };
  /// A number of the summary.
  struct SummaryNumber {
    std::optional<Tier> tier;  ///< the tier whose kernels the number describes; nothing for all kernels
    std::string_view key, value;
  };

  void read_kernels() {
    if (cursor_.next() != '{') return cursor_.elements([&] { read_row({}); });
    cursor_.members([&](std::string_view key) {
      const auto tier = tier_from(key);
      cursor_.elements([&] { read_row(tier); });
    });
  }

  /// Reads a row. `listed` is the tier under which the file lists it, if any.
  void read_row(std::optional<Tier> listed) {
    KernelRow row = read_kernel_row(cursor_);
    if (listed && row.tier && row.tier != listed)
      cursor_.fail(row.begin, fmt::format("a kernel of tier {} is listed under tier {}", tier_text(*row.tier),
                                          tier_text(*listed)));
    if (listed && !row.tier && *listed != Tier::unknown) row.kernel.tier = *listed;
    add(all_, row);
    if (row.is_timed_alone) distinguish(row.kernel);
    if (const auto tier = row.tier ? row.tier : listed)
      add(tiers_[static_cast<size_t>(*tier)], row);
    else
      tiers_known_ = false;
    rows_.add(std::move(row), cursor_);
  }

  /// Gives the kernel the number of its row as signature if the file states only its name: kernels that were
  /// timed in isolation are different kernels, also if they have the same name.
  void distinguish(ImportedKernel& kernel) const {
    if (signature_of(kernel) == kernel.name)
      kernel.recorded_signature = fmt::format("{} kernel {}", kernel.name, all_.kernels);
  }

  void add(Sums& sums, const KernelRow& row) const {
    ++sums.kernels;
    add_launches(sums.launches, row, cursor_);
  }

  /// Reads the summary of all kernels, or the part about one tier.
  void read_summary(std::optional<Tier> tier) {
    cursor_.members([&](std::string_view key) {
      if (key == "tiers" && !tier && cursor_.next() == '{') return read_tiers();
      if (key.starts_with("tier") && !tier && cursor_.next() == '{')
        if (const auto named = tier_from(key)) return read_summary(named);
      const std::string_view value = cursor_.raw();
      if (value == "null") return;
      if (key == "iterations" && !tier) return read_iterations(value);
      summary_numbers_.push_back({tier, key, value});
    });
  }

  void read_tiers() {
    cursor_.members([&](std::string_view key) {
      const auto tier = tier_from(key);
      if (tier && cursor_.next() == '{') return read_summary(tier);
      cursor_.skip();
    });
  }

  void read_iterations(std::string_view value) {
    const auto number = json_whole(value);
    if (!number || *number < 1) cursor_.fail(value, "\"iterations\" is not a whole number of at least 1");
    iterations_ = *number;
    rows_.set_iterations(*number);
  }

  /// Compares a number with the kernels. Throws Error if it does not agree. A number of launches may be that
  /// of the whole table or, if the number of iterations is known, that per iteration.
  void check(const SummaryNumber& stated) const {
    if (stated.tier && !tiers_known_) return;
    const Sums& sums = stated.tier ? tiers_[static_cast<size_t>(*stated.tier)] : all_;
    const auto number = parse_number(between_quotes(stated.value).value_or(stated.value));
    const auto equals = [&](double sum) { return number && std::abs(*number - sum) <= kRounding * sum; };
    const auto launches = static_cast<double>(sums.launches);
    const bool each = stated.key != "launches" && iterations_ > 0;
    if (is(stated.key, {"unique_kernels", "unique", "total_kernels", "total_unique_kernels"})) {
      if (number != static_cast<double>(sums.kernels))
        fail_contradiction(stated, "kernels are", sums.kernels);
    } else if (is(stated.key, {"launches", "invocation_count", "invocations", "total_invocations"})) {
      if (!equals(launches) && !(each && equals(launches / static_cast<double>(iterations_))))
        fail_contradiction(stated, "kernels' launches are", sums.launches);
    }
  }

  [[noreturn]] void fail_contradiction(const SummaryNumber& stated, const char* what, uint64_t number) const {
    const std::string of = stated.tier ? fmt::format(" of tier {}", tier_text(*stated.tier)) : "";
    cursor_.fail(stated.value, fmt::format("\"{}\"{} in the summary is {}, but the {} {}", stated.key, of,
                                           stated.value.substr(0, 40), what, number));
  }

  JsonCursor cursor_;
  const std::string& file_;
  KernelRows rows_;
  Sums all_, tiers_[4];
  bool tiers_known_ = true;  ///< whether the tier of every kernel is known
  std::vector<SummaryNumber> summary_numbers_;
  int64_t iterations_ = 0;
};

}  // namespace

ImportedTable read_kernel_signatures(const PaddedText& text, const ImportChoice& choice,
                                     const std::string& file) {
  return SignaturesReader(text, choice, file).read();
}

}  // namespace kjoule
