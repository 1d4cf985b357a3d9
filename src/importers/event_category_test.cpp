#include "importers/event_category.hpp"

#include <gtest/gtest.h>

namespace kjoule {
namespace {

TEST(EventCategory, KernelsAndCopiesHaveManySpellings) {
  for (const char* name :
       {"kernel", "Kernel", "KERNEL", "cuda_kernel", "GPU Kernel", "hip-kernels", "gpu,kernel"}) {
    EXPECT_EQ(category_named(name).sort, EventSort::operation) << name;
    EXPECT_EQ(category_named(name).kind, ActivityKind::kernel) << name;
  }
  for (const char* name : {"gpu_memcpy", "Memcpy", "CUDA memory copy"})
    EXPECT_EQ(category_named(name).kind, ActivityKind::memcpy) << name;
  for (const char* name : {"gpu_memset", "Memset", "memory_set"})
    EXPECT_EQ(category_named(name).kind, ActivityKind::memset) << name;
}

TEST(EventCategory, WorkOfTheHostIsNoKernel) {
  for (const char* name : {"cpu_kernel", "kernel launch", "host kernel", "python_kernel"})
    EXPECT_EQ(category_named(name).sort, EventSort::unknown) << name;
  for (const char* name : {"cuda_runtime", "Runtime", "cuda_driver", "xpu_runtime", "CUDA API"})
    EXPECT_EQ(category_named(name).sort, EventSort::call) << name;
  for (const char* name : {"cpu_op", "Operator", "CPU op"})
    EXPECT_EQ(category_named(name).sort, EventSort::cpu_operator) << name;
}

TEST(EventCategory, RangesOfTheDeviceAreNotThoseOfTheHost) {
  EXPECT_EQ(category_named("user_annotation").sort, EventSort::range);
  EXPECT_EQ(category_named("gpu_user_annotation").sort, EventSort::other);
  EXPECT_EQ(category_named("GPU user annotation").sort, EventSort::other);
  EXPECT_EQ(category_named(kLibraryRange).sort, EventSort::library_range);
}

TEST(EventCategory, AllElseIsUnknown) {
  for (const char* name : {"", ",", "graph", "kernel2", "_"})
    EXPECT_EQ(category_named(name).sort, EventSort::unknown) << name;
}

}  // namespace
}  // namespace kjoule
