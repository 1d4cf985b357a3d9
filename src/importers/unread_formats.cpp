#include "importers/unread_formats.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

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

}  // namespace

void refuse_unread_text(std::string_view text, const std::string& file) {
  text = text.substr(0, kSearchedBytes);
  if (text.find("No kernels were profiled") != std::string_view::npos)
    throw Error(file + ": ncu profiled no kernels", "check the options of ncu that choose kernels");
  for (const TextMark& known : kTextMarks)
    if (text.find(known.mark) != std::string_view::npos)
      throw Error(fmt::format("{}: this is text output of {}", file, known.tool),
                  fmt::format("write it again with {}", known.command));
}

void refuse_utf16(std::string_view text, const std::string& file) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    throw Error(file + ": this file is UTF-16 text", "convert it with iconv -f UTF-16 -t UTF-8");
}

void refuse_unread_json(std::string_view key, const std::string& file) {
  if (key == "rocprofiler-sdk-tool")
    throw Error(file + ": this file is JSON of ROCm's rocprofv3",
                fmt::format("write the kernels as CSV with {}", kRocprofCommand));
  constexpr std::string_view kNsysKeys[] = {"CudaEvent", "TraceProcessEvent", "NvtxEvent", "GenericEvent",
                                            "GlobalVId"};
  if (std::ranges::find(kNsysKeys, key) != std::end(kNsysKeys))
    throw Error(file + ": this file is JSON of Nsight Systems, which kjoule does not read",
                "export the report (.nsys-rep) again with nsys export --type sqlite");
}

}  // namespace kjoule
