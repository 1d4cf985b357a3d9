#include "cubin_symbols.hpp"

#include <elf.h>

#include <cstring>
#include <span>
#include <string_view>

namespace facts {

namespace {

/// Reads the sections of an ELF file. One that reaches beyond the data counts as empty.
class Elf {
 public:
  explicit Elf(std::string_view data) : data_(data) {
    if (data.size() >= sizeof(Elf64_Ehdr) && data.starts_with(ELFMAG) && data[EI_CLASS] == ELFCLASS64)
      std::memcpy(&header_, data.data(), sizeof header_);
  }

  std::span<const Elf64_Shdr> sections() const {
    return array<Elf64_Shdr>(header_.e_shoff, header_.e_shnum * sizeof(Elf64_Shdr));
  }

  std::span<const Elf64_Sym> symbols(const Elf64_Shdr& table) const {
    return array<Elf64_Sym>(table.sh_offset, table.sh_size);
  }

  /// Returns a name in the section of strings with this number.
  std::string name(size_t strings, size_t offset) const {
    if (strings >= sections().size()) return "";
    const Elf64_Shdr& table = sections()[strings];
    const std::string_view text = part(table.sh_offset, table.sh_size);
    return offset < text.size() ? std::string(text.substr(offset, text.find('\0', offset) - offset)) : "";
  }

  std::string section_name(size_t section) const {
    return section < sections().size() ? name(header_.e_shstrndx, sections()[section].sh_name) : "";
  }

 private:
  std::string_view part(size_t offset, size_t bytes) const {
    if (offset > data_.size() || bytes > data_.size() - offset) return {};
    return data_.substr(offset, bytes);
  }

  template <class T>
  std::span<const T> array(size_t offset, size_t bytes) const {
    const std::string_view text = part(offset, bytes);
    return {reinterpret_cast<const T*>(text.data()), text.size() / sizeof(T)};
  }

  std::string_view data_;
  Elf64_Ehdr header_{};
};

}  // namespace

std::vector<CubinVariable> cubin_variables(const void* cubin, size_t bytes) {
  std::vector<CubinVariable> found;
  const Elf elf({static_cast<const char*>(cubin), bytes});
  for (const Elf64_Shdr& table : elf.sections()) {
    if (table.sh_type != SHT_SYMTAB) continue;
    for (const Elf64_Sym& symbol : elf.symbols(table))
      if (ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT)
        found.push_back(
            {elf.name(table.sh_link, symbol.st_name), elf.section_name(symbol.st_shndx), symbol.st_size});
  }
  return found;
}

}  // namespace facts
