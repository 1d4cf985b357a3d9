#include "recording/kernel_rules.hpp"

#include "tests/fuzz/reading.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return kjoule::fuzz_file(data, size, [](const std::filesystem::path& file) {
    kjoule::KernelRules rules = kjoule::KernelRules::with(file);
    for (const char* name :
         {"ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_nn", "void scale<float, 4>(float*, int)",
          "_ZN3foo3barEPfi", "aten::add.Tensor", ""}) {
      rules.classify(name);
      rules.follows_user_rule(name);
    }
  });
}
