#include "report/kernel_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/shortened.hpp"
#include "report/wrapped.hpp"

namespace kjoule {

namespace {

constexpr size_t kNameWidth = 31, kMargin = 2;
constexpr size_t kSignatureWidth = 50;

/// Returns the kernels that are in the sum, the largest first.
std::vector<ReportedKernel> rows_in_sum(const Comparison& c, const KernelNames& names) {
  std::vector<ReportedKernel> rows = kernel_rows(c.kernels, names, &c);
  std::erase_if(rows, [](const ReportedKernel& row) { return !row.kernel->in_context_s; });
  return rows;
}

/// Returns one kernel with the summed counts, times and energies of all kernels after the first `shown`.
KernelResult rest_of(const Comparison& c, size_t shown) {
  KernelResult rest;
  rest.in_context_s.emplace();
  for (size_t k = shown; k < c.kernels.size(); ++k) {
    const KernelResult& kernel = c.kernels[k];
    rest.count += kernel.count;
    if (kernel.in_context_s) rest.in_context_s->value += kernel.in_context_s->value;
    if (!kernel.energy) continue;
    if (!rest.energy) rest.energy.emplace();
    rest.energy->joules.value += kernel.energy->joules.value;
  }
  return rest;
}

std::string energy_note(const KernelResult& kernel) {
  if (!kernel.energy || kernel.energy->together <= 1) return {};
  return fmt::format(" (energy measured with {} more)", kernel.energy->together - 1);
}

}  // namespace

std::string largest_kernels(const Comparison& c, size_t top, NameStyle style) {
  const KernelNames names = names_of(c.kernels, style, kTableNameLength);
  std::vector<ReportedKernel> rows = rows_in_sum(c, names);
  rows.resize(std::min(top, rows.size()));
  const size_t others = c.kernels.size() - rows.size();
  const KernelResult rest = rest_of(c, rows.size());
  if (others > 0) rows.push_back({&rest, &names, &c});
  const ShownColumns columns(kernel_columns(), Place::first_screen, rows,
                             kReportWidth - kMargin - kNameWidth);
  std::string text = fmt::format("\n  {:<{}}{}\n", "largest kernels", kNameWidth, columns.heads());
  for (const ReportedKernel& row : rows) {
    const std::string name = row.kernel == &rest ? fmt::format("and {} more (--top N or -v)", others)
                                                 : names.shown(row.kernel->name);
    text += first_cell(name, kNameWidth) + columns.cells(row) + "\n";
  }
  return text;
}

std::string all_kernels(const Comparison& c, size_t top, const KernelNames& names) {
  std::vector<ReportedKernel> rows = rows_in_sum(c, names);
  rows.resize(std::min(top, rows.size()));
  const ShownColumns columns(kernel_columns(), Place::details, rows, kReportWidth);
  std::string text = fmt::format("\n  kernel\n{}\n", columns.heads());
  for (const ReportedKernel& row : rows)
    text += names.row("  ", row.kernel->name,
                      after_name(*row.kernel, kSignatureWidth) + energy_note(*row.kernel)) +
            columns.cells(row) + "\n";
  if (c.kernels.size() > top)
    text += fmt::format("  and {} more kernels (--top N)\n", c.kernels.size() - top);
  return text;
}

std::string after_name(const KernelResult& kernel, size_t width) {
  const bool continues = kernel.signature.starts_with(kernel.name);
  return shortened(continues ? kernel.signature.substr(kernel.name.size()) : kernel.signature, width);
}

}  // namespace kjoule
