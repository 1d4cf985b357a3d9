#include "base/process/library.hpp"

#include <dlfcn.h>

namespace kjoule {

// The code remains loaded after the last close (NODELETE), because threads of drivers may still use it.
std::optional<Library> Library::open(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE))
      return Library(handle, name);
  }
  return std::nullopt;
}

void Library::Close::operator()(void* handle) const {
  dlclose(handle);
}

void* Library::find(const char* symbol_name) const {
  return dlsym(handle_.get(), symbol_name);
}

}  // namespace kjoule
