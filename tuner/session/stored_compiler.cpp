#include "session/stored_compiler.hpp"

#include <link.h>

#include <filesystem>
#include <string_view>

#include "hiptune/error.hpp"
#include "problem/log.hpp"

namespace hiptune {
namespace {

// Size and time of a file; empty where it cannot be read.
std::string stamp_of(const std::filesystem::path& file) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file, error);
  const auto written = std::filesystem::last_write_time(file, error);
  return error ? "" : std::to_string(bytes) + ":" + std::to_string(written.time_since_epoch().count()) + ";";
}

int add_stamp(dl_phdr_info* library, std::size_t, void* stamps) {
  const std::filesystem::path path = library->dlpi_name;
  if (path.filename().string().starts_with("libhiptune")) *static_cast<std::string*>(stamps) += stamp_of(path);
  return 0;
}

}  // namespace

std::string loaded_build() {
  std::string stamps = stamp_of("/proc/self/exe");
  ::dl_iterate_phdr(add_stamp, &stamps);
  return stamps;
}

StoredCompiler::StoredCompiler(std::unique_ptr<Compiler> compiler, CodeStore store, std::string machine,
                               std::string build)
    : compiler_(std::move(compiler)),
      store_(std::move(store)),
      machine_(std::move(machine)),
      build_(std::move(build)) {}

CompileResult StoredCompiler::compile(const CompileRequest& request) {
  const std::string key = CodeStore::key_of(request, machine_);
  const std::string maker = compiler_->version() + '\0' + build_;
  if (auto code = store_.find(key, maker)) {
    store_.mark_used(key, maker);
    return std::move(*code);
  }
  CompileResult result = compiler_->compile(request);
  try {
    if (const auto* code = std::get_if<CodeObject>(&result)) store_.put(key, maker, *code);
  } catch (const Error& error) {
    log().warn("{}", error.what());  // who needs it compiles it again
  }
  return result;
}

}  // namespace hiptune
