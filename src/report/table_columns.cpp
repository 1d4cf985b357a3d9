#include "report/table_columns.hpp"

#include "report/kernel_columns.hpp"
#include "report/run_columns.hpp"

namespace kjoule {

namespace {

const Column kKernel{
    "kernel", "short name of the kernel; the grid, block and shared memory of its launches may follow"};

std::vector<Column> with_kernel(std::vector<Column> columns) {
  columns.push_back(kKernel);
  return columns;
}

}  // namespace

std::vector<TableColumns> comparison_columns() {
  return {
      {"the times and energies of one iteration",
       {{"us", "time in microseconds"},
        {"mJ", "energy in millijoules"},
        {"W", "mean power in watts: as the program runs it, or while the work is repeated without pauses"},
        {"us/item", "time of one token or sample (--items)"},
        {"mJ/item", "energy of one token or sample (--items)"},
        {"95 %", "half-width of the 95 % confidence interval"},
        {"to whole", "difference from the time or energy of the whole, in % (-v)"}}},
      {"the largest kernels", explained(kernel_columns(), Place::first_screen)},
      {"the table of all kernels, whose names are in the lines above (-v)",
       explained(kernel_columns(), Place::details)}};
}

std::vector<TableColumns> run_columns() {
  return {{"the parts of a whole run", explained(run_kind_columns(), Place::first_screen)},
          {"the kernels of a whole run", explained(observed_kernel_columns(), Place::first_screen)}};
}

TableColumns isolated_columns() {
  return {"the table of kernels", with_kernel(explained(kernel_columns(), Place::isolated))};
}

TableColumns kernels_columns() {
  return {"the kernels of a recording or results folder",
          with_kernel(explained(kernel_columns(), Place::listed))};
}

}  // namespace kjoule
