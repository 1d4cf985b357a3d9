#include "cuda/driver/cubin_variables.hpp"

#include <elf.h>

#include <cstring>
#include <string_view>

namespace kjoule::cuda {

namespace {

class Elf {
 public:
  explicit Elf(std::string_view data) : data_(data) {
    if (data.size() >= sizeof header_ && data.starts_with(ELFMAG) && data[EI_CLASS] == ELFCLASS64)
      std::memcpy(&header_, data.data(), sizeof header_);
  }

  size_t sections() const { return header_.e_shnum; }
  Elf64_Shdr section(size_t number) const {
    if (number >= sections()) return {};
    return entry<Elf64_Shdr>(part(header_.e_shoff, sections() * sizeof(Elf64_Shdr)), number);
  }
  std::string_view contents(const Elf64_Shdr& section) const {
    return part(section.sh_offset, section.sh_size);
  }
  /// Returns the text at an offset of the string table in section number `table`; an empty text if there is
  /// none.
  std::string name(size_t table, size_t offset) const {
    const std::string_view text = contents(section(table));
    return offset < text.size() ? std::string(text.substr(offset, text.find('\0', offset) - offset)) : "";
  }
  std::string section_name(size_t number) const { return name(header_.e_shstrndx, section(number).sh_name); }

  /// Returns an entry of a table; a zeroed one if it lies outside of the data.
  template <class Entry>
  static Entry entry(std::string_view table, size_t number) {
    Entry read{};
    if ((number + 1) * sizeof read <= table.size())
      std::memcpy(&read, table.data() + number * sizeof read, sizeof read);
    return read;
  }

 private:
  std::string_view part(size_t offset, size_t bytes) const {
    if (offset > data_.size() || bytes > data_.size() - offset) return {};
    return data_.substr(offset, bytes);
  }

  std::string_view data_;
  Elf64_Ehdr header_{};
};

}  // namespace

std::vector<CubinVariable> cubin_variables(const void* cubin, size_t bytes) {
  std::vector<CubinVariable> found;
  const Elf elf({static_cast<const char*>(cubin), bytes});
  for (size_t number = 0; number < elf.sections(); ++number) {
    const Elf64_Shdr table = elf.section(number);
    if (table.sh_type != SHT_SYMTAB) continue;
    const std::string_view symbols = elf.contents(table);
    for (size_t i = 0; i < symbols.size() / sizeof(Elf64_Sym); ++i) {
      const auto symbol = Elf::entry<Elf64_Sym>(symbols, i);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT) continue;
      found.push_back(
          {elf.name(table.sh_link, symbol.st_name), elf.section_name(symbol.st_shndx), symbol.st_size});
    }
  }
  return found;
}

}  // namespace kjoule::cuda
