#pragma once
#include <elf.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

// Cubins as CUPTI reports them, but without code.

namespace stand_in {

/// Returns a cubin with variables of these names and sizes in the section .nv.global.
inline std::string cubin_with(const std::vector<std::pair<std::string, size_t>>& variables) {
  const auto bytes_of = [](const auto& value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  };
  const std::string section_names("\0.nv.global\0.symtab\0.strtab", 27);
  std::string names(1, '\0'), symbols(sizeof(Elf64_Sym), '\0');
  for (const auto& [name, bytes] : variables) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(names.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
    symbol.st_shndx = 1;
    symbol.st_size = bytes;
    symbols += bytes_of(symbol);
    names += name + '\0';
  }
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shnum = 5;
  header.e_shstrndx = 4;
  header.e_shoff = sizeof header;
  const size_t contents = sizeof header + header.e_shnum * sizeof(Elf64_Shdr);
  Elf64_Shdr global{}, symbol_table{}, name_table{}, section_table{};
  global.sh_name = 1;
  global.sh_type = SHT_NOBITS;
  symbol_table.sh_name = 12;
  symbol_table.sh_type = SHT_SYMTAB;
  symbol_table.sh_link = 3;
  symbol_table.sh_offset = contents;
  symbol_table.sh_size = symbols.size();
  name_table.sh_name = section_table.sh_name = 20;
  name_table.sh_type = section_table.sh_type = SHT_STRTAB;
  name_table.sh_offset = contents + symbols.size();
  name_table.sh_size = names.size();
  section_table.sh_offset = name_table.sh_offset + names.size();
  section_table.sh_size = section_names.size();
  return bytes_of(header) + bytes_of(Elf64_Shdr{}) + bytes_of(global) + bytes_of(symbol_table) +
         bytes_of(name_table) + bytes_of(section_table) + symbols + names + section_names;
}

}  // namespace stand_in
