// The code that all programs in this folder share: selection of a case by the command line, and output of
// answers.
#pragma once
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace facts {

/// One case of a question. It runs in a process of its own, because a fault makes the GPU unusable for the
/// process.
struct Case {
  std::string name;
  std::function<void()> run;
};

/// The main() of a program. Without arguments it prints the names of the cases. With a name it runs this
/// case; if anything stops it early, the reason is printed as an answer.
int answer(int count, char** arguments, const std::vector<Case>& cases);

/// Prints one answer at once, so that it is kept when the process dies.
void tell(const std::string& what, const std::string& answer);

/// Ends the case without a further answer, because the last answer shows that nothing more can be tested.
[[noreturn]] void end_case();

/// Makes the primary context of device 0 current, which is the one that programs of the runtime API use.
void use_device();

/// If the call failed, ends the case with an answer that names it.
void need(CUresult result, const char* call);
void need(cudaError_t result, const char* call);
#define NEED(call) ::facts::need((call), #call)

/// Returns the name of the result, for example "CUDA_ERROR_INVALID_VALUE".
std::string name_of(CUresult result);
std::string name_of(cudaError_t result);

std::string hexadecimal(CUdeviceptr address);

/// Returns the size as text, for example "1 MiB".
std::string size_name(size_t bytes);

/// Returns the driver's description of the allocation that contains the address.
std::string range_of(CUdeviceptr address);

}  // namespace facts
