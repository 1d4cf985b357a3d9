#include "importers/foreign_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/files/files.hpp"

namespace kjoule {

namespace {

/// A format that kjoule does not read. A file has it if it begins with `magic` or its name ends with
/// `ending`; an empty text matches nothing.
struct ForeignFormat {
  std::string_view magic, ending;
  const char* what;
  const char* remedy;
};

constexpr const char* kExportSqlite = "export it with nsys export --type sqlite FILE";
constexpr const char* kExportReport = "export the report (.nsys-rep) again with nsys export --type sqlite";
constexpr const char* kReadsTraceJson =
    "import the .trace.json.gz that the profiler writes into the same folder";

constexpr std::array<ForeignFormat, 14> kFormats = {{
    {"", ".nsys-rep", "a report of Nsight Systems", kExportSqlite},
    {"", ".qdrep", "a report of Nsight Systems", kExportSqlite},
    {"", ".qdstrm", "an unfinished report of Nsight Systems",
     "convert it with QdstrmImporter, then nsys export --type sqlite"},
    {"", ".ncu-rep", "a report of Nsight Compute", "print it with ncu --import FILE --csv --page raw"},
    {"", ".nvprof", "a profile of nvprof",
     "profile the program with nsys profile, then nsys export --type sqlite"},
    {"", ".nvvp", "a profile of nvprof",
     "profile the program with nsys profile, then nsys export --type sqlite"},
    {"", ".xplane.pb", "a profile of XLA (JAX, TensorFlow) in its own format", kReadsTraceJson},
    {"", ".pftrace", "a trace in Perfetto's binary format",
     "let the tool write JSON or CSV, for example rocprofv3 --kernel-trace --output-format csv"},
    {"", ".perfetto-trace", "a trace in Perfetto's binary format",
     "let the tool write JSON or CSV, for example rocprofv3 --kernel-trace --output-format csv"},
    {"", ".rpd", "a database of ROCm's rocpd",
     "write the kernels as CSV with rocprofv3 --kernel-trace --output-format csv"},
    {"NVR", "", "a report of Nsight Compute", "print it with ncu --import FILE --csv --page raw"},
    {"\x89HDF\r\n", "", "an HDF5 file, such as nsys export --type hdf writes", kExportReport},
    {"PAR1", "", "a Parquet file, such as nsys export --type parquetdir writes", kExportReport},
    {"ARROW1", "", "an Arrow file, such as nsys export --type arrow writes", kExportReport},
}};

}  // namespace

void refuse_foreign_file(const std::filesystem::path& file) {
  constexpr size_t kMostMagic = 8;
  const std::string begin = read_beginning(file, kMostMagic), name = file.string();
  const auto found = std::ranges::find_if(kFormats, [&](const ForeignFormat& format) {
    return format.magic.empty() ? name.ends_with(format.ending) : begin.starts_with(format.magic);
  });
  if (found == kFormats.end() || begin.starts_with('{') || begin.starts_with('[')) return;
  throw Error(fmt::format("{}: this file is {}, which kjoule does not read", name, found->what),
              found->remedy);
}

}  // namespace kjoule
