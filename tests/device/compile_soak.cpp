// Compiles a small kernel many times, each time with another constant, and shows whether memory or open files grow:
// compile_soak BACKEND ARCHITECTURE COUNT. Exits with 1 when the second half of the compilations adds more than 5 % to
// the resident memory or leaves a file open.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "device/bench.hpp"

namespace {

struct Usage {
  long resident_kb = 0;
  long descriptors = 0;
};

Usage usage() {
  long all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  namespace fs = std::filesystem;
  const auto open = std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  return {resident * (sysconf(_SC_PAGESIZE) / 1024), static_cast<long>(open)};
}

Usage show(int compiled) {
  const Usage now = usage();
  std::printf("%6d compiled  %8ld kB resident  %4ld descriptors\n", compiled, now.resident_kb, now.descriptors);
  std::fflush(stdout);
  return now;
}

hiptune::CompileRequest request_with(const hiptune::Target& target, int constant) {
  using namespace hiptune::device_tests;
  const std::string body = "out[threadIdx.x] = wave_sum(out[threadIdx.x] + " + std::to_string(constant) + ");";
  return request_for(target, kernel_text("int* out", body), {"k"});
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc == 4 ? std::atoi(argv[3]) : 0;
  if (count < 20) {
    std::fputs("usage: compile_soak BACKEND ARCHITECTURE COUNT, 20 or more of them\n", stderr);
    return 2;
  }
  const auto compiler = hiptune::open_compiler(argv[1], {});
  std::printf("%s for %s\n", compiler->version().c_str(), argv[2]);
  hiptune::Target target;
  target.architecture = argv[2];
  target.facts = compiler->facts(argv[2]);
  Usage last = show(0), middle;
  for (int i = 1; i <= count; ++i) {
    const hiptune::CompileResult result = compiler->compile(request_with(target, i));
    if (const auto* failure = std::get_if<hiptune::CompileFailure>(&result)) {
      std::fputs(failure->log.c_str(), stderr);
      return 1;
    }
    if (i % (count / 10) == 0) last = show(i);
    if (i == count / 2) middle = usage();
  }
  const double growth =
      static_cast<double>(last.resident_kb - middle.resident_kb) / static_cast<double>(middle.resident_kb);
  std::printf("the second half adds %.2f %% memory and %ld descriptors\n", 100 * growth,
              last.descriptors - middle.descriptors);
  return growth <= 0.05 && last.descriptors <= middle.descriptors ? 0 : 1;
}
