#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/files/files.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/gpu_rates_of.hpp"
#include "prediction/sampled_data.hpp"
#include "prediction/transferred_model.hpp"

namespace kjoule {

/// Options of a prediction for a GPU from the tables of another one.
struct TransferOptions {
  std::string like;  ///< name of the GPU whose tables are used; empty: the predicted GPU itself
  std::string rows;  ///< folder with a few rows of the predicted GPU; empty if there are none
  std::string roof;  ///< file with the peak rates of the predicted GPU; empty: built-in

  void declare(CLI::App& app) {
    CLI::Option* like_option = app.add_option(
        "--gpu-like", like,
        "predict from the tables of this GPU, with the peak rates of both; for a GPU without tables");
    input_file(app.add_option("--rows", rows,
                              "with --gpu-like: folder with a table of GPU, of at least 3 rows, to which the "
                              "prediction is adapted"))
        ->needs(like_option);
    input_file(app.add_option("--roof", roof,
                              "with --gpu-like: JSON file with the peak rates of GPU; default: built-in "
                              "rates (A100, H100, H200)"))
        ->needs(like_option);
  }

  /// Returns the model of `gpu` that follows from the source's model, which must outlive it. Throws Error if
  /// peak rates are unknown, if --rows has no rows of this operator, or if its columns are not the source's.
  TransferredModel transfer(const OperatorModel& source, const std::string& gpu, const std::string& operation,
                            const std::string& precision, Direction direction) const {
    const GpuRates from =
        needed(rates_of(like, precision), like, precision, "choose another GPU for --gpu-like");
    const auto own = roof.empty() ? rates_of(gpu, precision)
                                  : rates_for(read_device_roofs(read_json(roof), roof), precision);
    const GpuRates to = needed(own, gpu, precision, "give its peak rates in a file with --roof");
    if (rows.empty()) return TransferredModel::scale(source, from, to);
    const SampledData data = SampledData::open_folder(rows);
    const TableName table = data.find(gpu, operation, precision);
    const Samples samples = data.samples(table);
    if (samples.columns != source.kind().columns)
      throw Error(
          fmt::format("{}: the columns with sizes of {}.csv are {}, but those of the table of {} are {}",
                      rows, table.stem(), fmt::join(samples.columns, ","), like,
                      fmt::join(source.kind().columns, ",")),
          "sample both GPUs with the same configuration");
    const MeasuredShapes measured = samples.select(direction, Measurand::time);
    try {
      return TransferredModel::fit(source, from, to, measured.shapes, measured.costs);
    } catch (const Error& error) {
      throw Error(rows + ": " + error.what(), error.remedy());
    }
  }

 private:
  static GpuRates needed(const std::optional<GpuRates>& rates, const std::string& gpu,
                         const std::string& precision, const char* remedy) {
    if (!rates) throw Error(fmt::format("the peak rates of {} in {} are not known", gpu, precision), remedy);
    return *rates;
  }
};

}  // namespace kjoule
