#include "run/row_seal.hpp"

#include <fmt/format.h>
#include <zlib.h>

namespace kjoule {

namespace {

constexpr std::string_view kBegin = R"(,"checksum":")";
constexpr std::string_view kEnd = R"("})";
constexpr size_t kDigits = 8;
constexpr size_t kSize = kBegin.size() + kDigits + kEnd.size();

}  // namespace

std::string RowSeal::add(std::string_view row) {
  crc_ = static_cast<uint32_t>(crc32_z(crc_, reinterpret_cast<const Bytef*>(row.data()), row.size()));
  return fmt::format("{:08x}", crc_);
}

std::string RowSeal::sealed(std::string row) {
  const std::string checksum = add(row);
  row.pop_back();
  return row.append(kBegin).append(checksum).append(kEnd);
}

bool RowSeal::is_sealed(std::string_view line) {
  return line.size() > kSize && line.ends_with(kEnd) && line.substr(line.size() - kSize).starts_with(kBegin);
}

bool RowSeal::accepts(std::string_view line) {
  if (!is_sealed(line)) return false;
  const std::string_view checksum = line.substr(line.size() - kEnd.size() - kDigits, kDigits);
  return checksum == add(std::string(line.substr(0, line.size() - kSize)).append("}"));
}

}  // namespace kjoule
