// make_ptx SOURCE.cu OUT.ptx: compiles device code with NVRTC, which needs neither nvcc nor a GPU.
#include <nvrtc.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

namespace {

/// Whether it went well; says on standard error what did not.
bool good(nvrtcResult result, const char* what) {
  if (result != NVRTC_SUCCESS)
    std::cerr << "make_ptx: " << what << ": " << nvrtcGetErrorString(result) << "\n";
  return result == NVRTC_SUCCESS;
}

std::string log_of(nvrtcProgram program) {
  size_t bytes = 0;
  if (nvrtcGetProgramLogSize(program, &bytes) != NVRTC_SUCCESS) return "";
  std::string log(bytes, '\0');
  nvrtcGetProgramLog(program, log.data());
  return log;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  std::ifstream file(arguments[1]);
  const std::string source{std::istreambuf_iterator<char>(file), {}};
  nvrtcProgram program = nullptr;
  if (!good(nvrtcCreateProgram(&program, source.c_str(), arguments[1], 0, nullptr, nullptr),
            "nvrtcCreateProgram"))
    return 1;
  const char* options[] = {"--gpu-architecture=compute_75"};  // the oldest that CUDA 13 knows
  if (!good(nvrtcCompileProgram(program, 1, options), arguments[1])) {
    std::cerr << log_of(program);
    return 1;
  }
  size_t bytes = 0;
  if (!good(nvrtcGetPTXSize(program, &bytes), "nvrtcGetPTXSize") || bytes == 0) return 1;
  std::string ptx(bytes, '\0');
  if (!good(nvrtcGetPTX(program, ptx.data()), "nvrtcGetPTX")) return 1;
  ptx.resize(bytes - 1);  // it ends with a zero
  std::ofstream out(arguments[2]);
  out << ptx << std::flush;
  return out ? 0 : 1;
}
