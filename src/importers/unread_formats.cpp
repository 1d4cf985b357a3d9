#include "importers/unread_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/files/files.hpp"

namespace kjoule {

namespace {

constexpr size_t kSearchedBytes = 64 << 10;  ///< bytes of a text in which marks are searched

/// A text that only one tool prints.
struct TextMark {
  std::string_view mark, tool;
  const char* command;
};

constexpr const char* kNsysCommand = "nsys stats --report cuda_gpu_kern_sum --format csv";
constexpr const char* kRocprofCommand = "rocprofv3 --kernel-trace --stats --output-format csv";

constexpr TextMark kTextMarks[] = {
    {"Self CPU time total", "torch.profiler in an unknown form",
     "print(profiler.key_averages().table(row_limit=-1)), and keep the lines of this table only"},
    {"==PROF==", "ncu", "ncu --csv"},
    {"Section: GPU Speed Of Light", "ncu", "ncu --csv"},
    {"NVPROF is profiling", "nvprof", "nvprof --csv"},
    {"GPU activities:", "nvprof", "nvprof --csv"},
    {"== Profiling result:", "nvprof", "nvprof --csv"},
    {"CUDA Kernel Statistics", "nsys stats", kNsysCommand},
    {"(cuda_gpu_", "nsys stats", kNsysCommand},
    {"(cuda_api_", "nsys stats", kNsysCommand},
    {"Total Time (ns)", "nsys stats", kNsysCommand},
    {"ROCPROFV3 ", "rocprofv3", kRocprofCommand},
};

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

void refuse_unread_file(const std::filesystem::path& file) {
  constexpr size_t kMostMagic = 8;
  const std::string begin = read_beginning(file, kMostMagic), name = file.string();
  const auto found = std::ranges::find_if(kFormats, [&](const ForeignFormat& format) {
    return format.magic.empty() ? name.ends_with(format.ending) : begin.starts_with(format.magic);
  });
  if (found == kFormats.end() || begin.starts_with('{') || begin.starts_with('[')) return;
  throw Error(fmt::format("{}: this file is {}, which kjoule does not read", name, found->what),
              found->remedy);
}

void refuse_unread_text(std::string_view text, const std::string& file) {
  text = text.substr(0, kSearchedBytes);
  const auto has = [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; };
  if (has("No kernels were profiled") && !has("GPU activities:"))
    throw has("NVPROF is profiling")
        ? Error(file + ": nvprof profiled no kernels", "check that the program launches kernels")
        : Error(file + ": ncu profiled no kernels", "check the options of ncu that choose kernels");
  for (const TextMark& known : kTextMarks)
    if (has(known.mark))
      throw Error(fmt::format("{}: this is text output of {}", file, known.tool),
                  fmt::format("write it again with {}", known.command));
}

void refuse_unread_json(std::string_view key, const std::string& file) {
  if (key == "rocprofiler-sdk-tool")
    throw Error(file + ": this file is JSON of ROCm's rocprofv3",
                fmt::format("write the kernels as CSV with {}", kRocprofCommand));
  constexpr std::string_view kNsysKeys[] = {"CudaEvent", "TraceProcessEvent", "NvtxEvent", "GenericEvent",
                                            "GlobalVId"};
  if (std::ranges::find(kNsysKeys, key) != std::end(kNsysKeys))
    throw Error(file + ": this file is JSON of Nsight Systems, which kjoule does not read", kExportReport);
}

}  // namespace kjoule
