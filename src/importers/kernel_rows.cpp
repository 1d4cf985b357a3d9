#include "importers/kernel_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text/counted.hpp"
#include "importers/device_choice.hpp"
#include "importers/host_call.hpp"
#include "importers/kernel_fields.hpp"
#include "importers/kernel_heading.hpp"
#include "importers/known_kernels.hpp"

namespace kjoule {

namespace {

constexpr size_t kMostKeys = 200;  ///< largest number of unknown keys that are compared with known ones

void add_kernel(ImportedKernel& kernel, const ImportedKernel& other, const std::string& file) {
  kernel.launches += other.launches;
  kernel.fewest.reset();
  kernel.most.reset();
  if (!kernel.times || !other.times) {
    kernel.times.reset();
    return;
  }
  RecordedTimes& times = *kernel.times;
  if (__builtin_add_overflow(times.total_ns, other.times->total_ns, &times.total_ns))
    throw Error(file + ": the times of all kernels add up to more than 292 years", kFormatsRemedy);
  const auto both = times.min_ns && other.times->min_ns && times.max_ns && other.times->max_ns;
  times.min_ns = both ? std::optional(std::min(*times.min_ns, *other.times->min_ns)) : std::nullopt;
  times.max_ns = both ? std::optional(std::max(*times.max_ns, *other.times->max_ns)) : std::nullopt;
}

/// Returns whether a row is an operator of the host or a range, and not a call that can be replayed.
bool is_operator(const ImportedKernel& kernel) {
  const LaunchingOperator& by = kernel.launched_by;
  return is_operator_or_range(kernel.name) && !kernel.gemm.stated() && !by.has_shapes() && by.name.empty();
}

/// Returns the texts in quotes, separated by commas.
std::string quoted(const std::set<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back(fmt::format("\"{}\"", text));
  return fmt::format("{}", fmt::join(all, ", "));
}

}  // namespace

void KernelRows::add(KernelRow row, const JsonCursor& cursor) {
  add_launches(launches_, row, cursor);
  ++rows_;
  if (!row.counted) ++uncounted_;
  note_unknown_keys(row);
  check_iterations(row, cursor);
  if (is_host_call(row.kernel.name)) {
    if (++host_calls_ == 1) host_call_ = row.kernel.name;
    return;
  }
  if (row.device) devices_.insert(*row.device);
  if (choice_.gpu && row.device && row.device != choice_.gpu) return;
  const bool is_of_operator = is_operator(row.kernel);
  if (is_of_operator) ++operator_rows_;
  if (row.counted) ++(is_of_operator ? counted_operator_rows_ : kept_rows_);
  if (row.iterations) iterations_.insert(*row.iterations);
  row.kernel.gpu = row.device;
  const std::string gpu = row.device ? std::to_string(*row.device) : "";
  std::string signature = signature_of(row.kernel);
  const size_t bytes = signature.size(), name = std::min(bytes, row.kernel.name.size());
  const auto [place, is_new] = places_.try_emplace({gpu, std::move(signature)}, table_.kernels.size());
  if (!is_new) return add_kernel(table_.kernels[place->second], row.kernel, file_);
  size_.add(name, bytes - name);
  table_.kernels.push_back(std::move(row.kernel));
}

void KernelRows::omit_operators() {
  if (std::ranges::all_of(table_.kernels, is_operator)) {
    kept_rows_ += counted_operator_rows_;
    return;
  }
  const auto first = std::ranges::find_if(table_.kernels, is_operator);
  if (first == table_.kernels.end()) return;
  table_.warnings.push_back(fmt::format(
      "{} of operators and ranges, such as {}, {} ignored, because their times contain those of the kernels",
      counted(operator_rows_, "row"), first->name, agreeing(operator_rows_, "is", "are")));
  std::erase_if(table_.kernels, is_operator);
}

void KernelRows::note_unknown_keys(const KernelRow& row) {
  for (const std::string_view key : row.unknown) {
    if (known_.size() >= kMostKeys || known_.contains(std::string(key))) continue;
    known_[std::string(key)] = find_similar_kernel_field(key);
    const KernelHeading heading = read_kernel_heading(key);
    if (heading.may_be_count) may_be_counts_.emplace(key);
    if (known_[std::string(key)].empty() && heading.is_doubtful) unread_.emplace(key);
  }
  if (!row.unclear_time.empty() && unclear_times_.size() < kMostKeys)
    unclear_times_.emplace(row.unclear_time);
}

void KernelRows::check_iterations(const KernelRow& row, const JsonCursor& cursor) {
  if (!row.possible_iterations) return;
  least_iterations_ = std::max(least_iterations_, row.possible_iterations->first);
  most_iterations_ = std::min(most_iterations_, row.possible_iterations->second);
  if (least_iterations_ > most_iterations_)
    cursor.fail(row.begin,
                fmt::format("\"launches\" and \"count\" of this kernel and of those before it are of "
                            "different numbers of iterations"));
}

void KernelRows::add_warnings() {
  if (const size_t kernels = table_.kernels.size(); kernels < kept_rows_)
    table_.warnings.push_back(fmt::format(
        "the table has {} for {}: rows with equal {}name, grid, block, sizes, operator and inputs are "
        "one kernel, and their launches are added up",
        counted(kept_rows_, "row"), counted(kernels, "kernel"), devices_.size() > 1 ? "GPU, " : ""));
  if (host_calls_ > 0)
    table_.warnings.push_back(fmt::format("{} of host calls, such as cudaLaunchKernel, {} ignored",
                                          counted(host_calls_, "row"), agreeing(host_calls_, "is", "are")));
  if (uncounted_ > 0 && uncounted_ < rows_)
    table_.warnings.push_back(fmt::format(
        "{} of {} rows {} no \"count\", although other rows have one: each row without counts as one launch",
        uncounted_, rows_, agreeing(uncounted_, "has", "have")));
  std::vector<std::string> near;
  for (const auto& [key, known] : known_)
    if (!known.empty()) near.push_back(fmt::format("\"{}\" (misspelt \"{}\"?)", key, known));
  if (!near.empty())
    table_.warnings.push_back(fmt::format("unknown fields are ignored: {}", fmt::join(near, ", ")));
  if (!unread_.empty())
    table_.warnings.push_back(fmt::format(
        "not read, although it may hold times or numbers of launches: {}; known names are total_us, "
        "mean_us and count",
        quoted(unread_)));
  if (!unclear_times_.empty())
    table_.warnings.push_back(fmt::format(
        "the times in {} are not read, because the name does not state whether they are of one launch "
        "(mean_us) or of all (total_us)",
        quoted(unclear_times_)));
}

void KernelRows::set_iterations(int64_t number) {
  iterations_.insert(number);
}

void KernelRows::choose_iterations(uint64_t number, uint64_t own) {
  table_.iterations = {IterationSource::option, number, 0, 0};
  if (number == own) return;
  for (ImportedKernel& kernel : table_.kernels) {
    kernel.fewest.reset();
    kernel.most.reset();
  }
  if (own > 0)
    table_.warnings.push_back(fmt::format(
        "the number of iterations is {}, as given with --iterations, although the table states {}", number,
        own));
}

void KernelRows::warn_without_operator(size_t kernels, bool is_of_amd) {
  table_.warnings.push_back(fmt::format(
      "{} of {} {} no operator with shapes and cannot be replayed; {}", kernels,
      counted(table_.kernels.size(), "kernel"), agreeing(kernels, "has", "have"),
      is_of_amd
          ? "kjoule infers operators for kernels of NVIDIA GPUs only"
          : "supply operators and shapes from a profiler trace of the same kernels with --like TRACE, or "
            "from a model that runs them with --model M"));
}

void KernelRows::check_finished() const {
  if (table_.kernels.empty() && !devices_.empty()) fail_without_device(devices_, *choice_.gpu, file_);
  if (table_.kernels.empty() && host_calls_ > 0)
    throw Error(fmt::format("{}: this table contains no kernels, but {} of the host, such as {}", file_,
                            counted(host_calls_, "call"), host_call_),
                "write the table of kernels with the same tool");
  if (table_.kernels.empty()) throw Error(file_ + ": this table contains no kernels", kFormatsRemedy);
  if (uncounted_ == rows_ && !may_be_counts_.empty())
    throw Error(
        fmt::format("{}: the numbers of launches are probably in {}, a name that kjoule does not know", file_,
                    quoted(may_be_counts_)),
        "rename it to count if it holds the launches of the whole table, otherwise remove it");
  if (choice_.annotation)
    throw Error(file_ + ": --annotation has no effect on a kernel table",
                "give the number of iterations with --iterations N");
  if (iterations_.size() > 1)
    throw Error(fmt::format("{}: the rows state different numbers of iterations ({})", file_,
                            fmt::join(iterations_, ", ")),
                kFormatsRemedy);
  for (const int64_t iterations : iterations_)
    if (const auto number = static_cast<double>(iterations);
        iterations > 0 && (number < least_iterations_ || number > most_iterations_))
      throw Error(fmt::format("{}: \"launches\" is not \"count\" times the {} iterations of the table", file_,
                              iterations),
                  kFormatsRemedy);
}

ImportedTable KernelRows::finish(const std::string& format) {
  omit_operators();
  check_finished();
  if (const std::set<int64_t> gpus = table_.gpus(); gpus.size() == 1) table_.gpu = *gpus.begin();
  table_.source = file_;
  table_.format = format;
  const uint64_t own = iterations_.empty() ? 0 : static_cast<uint64_t>(*iterations_.begin());
  if (choice_.iterations)
    choose_iterations(*choice_.iterations, own);
  else if (own > 0)
    table_.iterations = {IterationSource::table, own, 0, 0};
  const TableFacts facts = table_facts(table_);
  if (const size_t without = count_without_call(table_, facts); without > 0)
    warn_without_operator(without, facts.is_of_amd);
  add_warnings();
  return std::move(table_);
}

ImportedTable read_kernel_rows(const PaddedText& text, const ImportChoice& choice, const std::string& file,
                               const std::string& format) {
  JsonCursor cursor(text, file, kFormatsRemedy);
  KernelRows rows(choice, file);
  const auto take = [&] { rows.add(read_kernel_row(cursor), cursor); };
  if (cursor.next() == '[')
    cursor.elements(take);
  else
    while (!cursor.at_end()) take();
  if (!cursor.at_end()) cursor.fail("the file contains text after the end of the table");
  return rows.finish(format);
}

ImportedTable read_kernel_jsonl(const PaddedText& text, const ImportChoice& choice, const std::string& file) {
  return read_kernel_rows(text, choice, file, "kernel JSONL");
}

ImportedTable read_kernel_categories(const PaddedText& text, const ImportChoice& choice,
                                     const std::string& file) {
  JsonCursor cursor(text, file, kFormatsRemedy);
  KernelRows rows(choice, file);
  std::set<std::string_view> categories;
  cursor.members([&](std::string_view category) {
    if (!categories.insert(category).second)
      cursor.fail(category, fmt::format("the category \"{}\" is given twice", category.substr(0, 40)));
    cursor.elements([&] { rows.add(read_kernel_row(cursor), cursor); });
  });
  if (!cursor.at_end()) cursor.fail("the file contains text after the end of the table");
  return rows.finish("kernel categories");
}

}  // namespace kjoule
