#include "blas/matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "base/error.hpp"

namespace kjoule::blas {

namespace {

/// Share of the GPU's memory that remains free, because kjoule keeps copies there of the memory that replays
/// change.
constexpr double kShareKept = 1. / 16;
/// Size in bytes of the distinct values of a matrix; larger matrices repeat them.
constexpr size_t kValuesBytes = size_t{1} << 20;

struct MemoryInfo {
  size_t free = 0, total = 0;
};

MemoryInfo memory_info(const Driver& driver) {
  MemoryInfo info;
  driver.check(driver.cuMemGetInfo(&info.free, &info.total), "the free memory of the GPU could not be read");
  return info;
}

/// The layout of a floating-point type.
struct FloatFormat {
  int exponent_bits, mantissa_bits;
};

FloatFormat format_of(DataType type) {
  switch (type) {
    case DataType::float64:
      return {11, 52};
    case DataType::float32:
      return {8, 23};
    case DataType::float16:
      return {5, 10};
    case DataType::bfloat16:
      return {8, 7};
    case DataType::float8_e5m2:
      return {5, 2};
    default:
      return {4, 3};
  }
}

/// Returns the bits of a value with random sign, random mantissa, and an exponent from -4 to -1.
uint64_t random_value(DataType type, std::mt19937_64& random) {
  const uint64_t bits = random();
  if (type == DataType::int8 || type == DataType::int32) return bits;
  const auto [exponent_bits, mantissa_bits] = format_of(type);
  const uint64_t exponent_of_one = (uint64_t{1} << (exponent_bits - 1)) - 1;
  const uint64_t mantissa = bits & ((uint64_t{1} << mantissa_bits) - 1);
  const uint64_t exponent = exponent_of_one - 1 - ((bits >> 56) & 3U);
  return (bits >> 63) << (exponent_bits + mantissa_bits) | exponent << mantissa_bits | mantissa;
}

std::vector<std::byte> random_values(DataType type, size_t bytes) {
  std::mt19937_64 random(1);
  const size_t size = element_bytes(type);
  std::vector<std::byte> values(bytes / size * size);
  for (size_t at = 0; at < values.size(); at += size) {
    const uint64_t value = random_value(type, random);
    std::memcpy(values.data() + at, &value, size);  // little-endian
  }
  return values;
}

CUdeviceptr address(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

void fill(const Driver& driver, void* pointer, size_t bytes, DataType type) {
  const std::vector<std::byte> values = random_values(type, std::min(bytes, kValuesBytes));
  driver.check(driver.cuMemcpyHtoD(address(pointer), values.data(), values.size()),
               "matrices could not be filled");
  for (size_t done = values.size(); done < bytes; done *= 2)
    driver.check(driver.cuMemcpyDtoD(address(pointer) + done, address(pointer), std::min(done, bytes - done)),
                 "matrices could not be filled");
}

std::string gigabytes(double bytes) {
  return fmt::format("{:.{}f} GB", bytes / 1e9, bytes < 1e9 ? 3 : 1);
}

}  // namespace

Matrices::Matrices(const Driver& driver, const MatrixProduct& product, const std::vector<ProductForm>& forms)
    : driver_(driver) {
  size_t out_bytes = 1;
  for (const ProductForm& form : forms) out_bytes = std::max(out_bytes, element_bytes(form.out_type));
  const auto bytes_of = [&](int64_t rows, int64_t columns, size_t element) {
    return static_cast<double>(product.batch) * static_cast<double>(rows) * static_cast<double>(columns) *
           static_cast<double>(element);
  };
  const ProductForm& first = forms.front();
  const double a = bytes_of(product.n, product.k, element_bytes(first.a_type)),
               b = bytes_of(product.m, product.k, element_bytes(first.b_type)),
               c = bytes_of(product.m, product.n, out_bytes),
               bias = static_cast<double>(product.n) * static_cast<double>(out_bytes);
  const MemoryInfo memory = memory_info(driver);
  const double room = static_cast<double>(memory.free) - kShareKept * static_cast<double>(memory.total);
  const double need = a + b + c + bias, room_alone = (1 - kShareKept) * static_cast<double>(memory.total);
  if (need > room)
    throw Error(fmt::format("its matrices need {}, but only {} of the GPU's {} are available to them",
                            gigabytes(need), gigabytes(std::max(0., room)),
                            gigabytes(static_cast<double>(memory.total))),
                room_alone < need ? "replay it on a GPU with more memory"
                                  : "replay it from a table without other products");
  for (const double bytes : {a, b, c, bias}) pointers_.push_back(allocate(bytes));
  fill(driver, pointers_[0], static_cast<size_t>(a), first.a_type);
  fill(driver, pointers_[1], static_cast<size_t>(b), first.b_type);
  driver.check(driver.cuMemsetD8(address(pointers_[2]), 0, static_cast<size_t>(c)),
               "matrices could not be filled");
  driver.check(driver.cuMemsetD8(address(pointers_[3]), 0, static_cast<size_t>(bias)),
               "matrices could not be filled");
}

Matrices::~Matrices() {
  for (const void* pointer : pointers_) driver_.cuMemFree(address(pointer));
}

void* Matrices::allocate(double bytes) {
  CUdeviceptr pointer = 0;
  const CUresult result = driver_.cuMemAlloc(&pointer, static_cast<size_t>(bytes));
  if (result != CUDA_SUCCESS)
    for (const void* earlier : pointers_) driver_.cuMemFree(address(earlier));
  driver_.check(result, fmt::format("{} for a matrix could not be allocated", gigabytes(bytes)));
  return reinterpret_cast<void*>(pointer);  // NOLINT(performance-no-int-to-ptr)
}

double free_share(const Driver& driver) {
  const MemoryInfo memory = memory_info(driver);
  return static_cast<double>(memory.free) / static_cast<double>(memory.total);
}

}  // namespace kjoule::blas
