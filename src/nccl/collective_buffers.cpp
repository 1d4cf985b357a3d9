#include "nccl/collective_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "base/error.hpp"

namespace kjoule::nccl {

namespace {

/// Returns the number that a rank sends. The numbers are small, so that their sums are exact in fp16 and
/// bf16.
int number_of(int rank) {
  return rank % 4 + 1;
}

/// Returns the bits of a whole number from 0 to 256 in a precision.
uint32_t bits_of(int number, const std::string& precision) {
  if (number == 0) return 0;
  const auto single = std::bit_cast<uint32_t>(static_cast<float>(number));
  if (precision == "fp32") return single;
  if (precision == "bf16") return single >> 16U;
  // A float has 8 bits of the exponent and 23 of the mantissa, fp16 has 5 and 10.
  return (((single >> 23U) - 127 + 15) << 10U) | ((single >> 13U) & 0x3FFU);
}

/// Returns 4 MiB of random numbers from 1 to 2 of either sign: the bits of sign and mantissa are random. A
/// word has two numbers of 16 bits.
std::vector<uint32_t> random_numbers(const std::string& precision, int rank) {
  uint32_t ones = 0x3F800000, random = 0x807FFFFF;
  if (precision == "fp16") ones = 0x3C003C00, random = 0x83FF83FF;
  if (precision == "bf16") ones = 0x3F803F80, random = 0x807F807F;
  std::mt19937 generator(static_cast<uint32_t>(rank));
  std::vector<uint32_t> numbers(size_t{1} << 20U);
  for (uint32_t& number : numbers) number = ones | (static_cast<uint32_t>(generator()) & random);
  return numbers;
}

}  // namespace

CollectiveBuffers::CollectiveBuffers(const RankDriver& driver, const RankOfGroup& place,
                                     const CollectiveRequest& request)
    : driver_(driver),
      place_(place),
      request_(request),
      operation_(collective_operation(request.operation)),
      part_bytes_(static_cast<CUdeviceptr>(request.part * element_bytes(request.precision))) {
  const CollectiveKind kind = operation_.kind;
  if (kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::all_to_all) sent_parts_ = place.ranks;
  if (kind == CollectiveKind::all_gather || kind == CollectiveKind::all_to_all) received_parts_ = place.ranks;
  if (!request.in_place) {
    sent_ = buffer_ = allocate(sent_parts_);
    received_ = other_buffer_ = allocate(received_parts_);
    return;
  }
  sent_ = received_ = buffer_ = allocate(std::max(sent_parts_, received_parts_));
  const CUdeviceptr own_part = static_cast<CUdeviceptr>(place.rank) * part_bytes_;
  if (kind == CollectiveKind::all_gather) sent_ += own_part;
  if (kind == CollectiveKind::reduce_scatter) received_ += own_part;
}

CollectiveBuffers::~CollectiveBuffers() {
  for (const CUdeviceptr buffer : {buffer_, other_buffer_})
    if (buffer != 0) driver_.cuMemFree(buffer);
}

CUdeviceptr CollectiveBuffers::allocate(int64_t parts) const {
  CUdeviceptr buffer = 0;
  const size_t bytes = static_cast<size_t>(parts) * part_bytes_;
  driver_.check(driver_.cuMemAlloc(&buffer, bytes),
                fmt::format("{} bytes could not be allocated on GPU {}", bytes, place_.gpu));
  return buffer;
}

void CollectiveBuffers::set(CUdeviceptr address, int64_t parts, int value) const {
  const uint32_t bits = bits_of(value, request_.precision);
  const auto elements = static_cast<size_t>(parts * request_.part);
  driver_.check(element_bytes(request_.precision) == 4
                    ? driver_.cuMemsetD32(address, bits, elements)
                    : driver_.cuMemsetD16(address, static_cast<uint16_t>(bits), elements),
                "a buffer could not be filled");
}

void CollectiveBuffers::fill() const {
  if (other_buffer_ != 0) set(received_, received_parts_, 0);
  set(sent_, sent_parts_, number_of(place_.rank));
}

void CollectiveBuffers::fill_at_random() const {
  const std::vector<uint32_t> numbers = random_numbers(request_.precision, place_.rank);
  const size_t bytes = static_cast<size_t>(sent_parts_) * part_bytes_, most = 4 * numbers.size();
  for (size_t at = 0; at < bytes; at += most)
    driver_.check(driver_.cuMemcpyHtoD(sent_ + at, numbers.data(), std::min(most, bytes - at)),
                  "a buffer could not be filled");
}

std::optional<int> CollectiveBuffers::expected(int part) const {
  int sum = 0;
  for (int rank = 0; rank < place_.ranks; ++rank) sum += number_of(rank);
  switch (operation_.kind) {
    case CollectiveKind::all_reduce:
    case CollectiveKind::reduce_scatter:
      return sum;
    case CollectiveKind::all_gather:
    case CollectiveKind::all_to_all:
      return number_of(part);
    case CollectiveKind::broadcast:
      return number_of(0);
    case CollectiveKind::send_receive:
      break;
  }
  return place_.rank + 1 == place_.ranks ? std::optional(number_of(0)) : std::nullopt;
}

void CollectiveBuffers::check_result() const {
  const auto element = static_cast<size_t>(element_bytes(request_.precision));
  std::vector<char> result(part_bytes_);
  for (int part = 0; part < received_parts_; ++part) {
    const auto number = expected(part);
    if (!number) continue;
    driver_.check(driver_.cuMemcpyDtoH(result.data(),
                                       received_ + static_cast<CUdeviceptr>(part) * part_bytes_, part_bytes_),
                  "the result could not be read");
    const uint32_t bits = bits_of(*number, request_.precision);
    for (size_t at = 0; at < result.size(); at += element) {
      uint32_t found = 0;
      std::memcpy(&found, result.data() + at, element);
      if (found != bits)
        throw Error(fmt::format("the result of {} is wrong in element {} of part {}", operation_.name,
                                at / element, part),
                    "check the links of the GPUs (nvidia-smi nvlink -e), and try another version of NCCL");
    }
  }
}

}  // namespace kjoule::nccl
