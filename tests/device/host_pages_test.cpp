// Memory that touches inaccessible pages: an access beyond it ends the process.
#include <sys/wait.h>

#include <csignal>

#include "device/bench.hpp"
#include "device/buffer_set.hpp"
#include "device/host/backend.hpp"
#include "device/loaded_plan.hpp"

namespace hiptune::device_tests {

using host::HostSettings;

namespace {

bool ends_with_a_page_fault(int status) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return WIFEXITED(status) && WEXITSTATUS(status) != 0;  // the sanitizer's handler reports it and exits
#else
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
#endif
}

}  // namespace

class HostPages : public testing::TestWithParam<Pages> {
 protected:
  static std::unique_ptr<Device> device_with(Pages pages) {
    return host::open_with(HostSettings{.pages = pages, .workers = 1});
  }
  // Reads byte `at` of an allocation, which may be negative.
  void touch(const DeviceMemory& memory, std::int64_t at) {
    const auto module = bench.load_body("volatile char* p, int64 at", "p[at];");
    bench.launch(*module, geometry(1, 1), pointer<char>(memory), at);
  }
  Bench bench{device_with(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(Ends, HostPages, testing::Values(Pages::behind, Pages::before), [](const auto& setup) {
  return std::string(setup.param == Pages::behind ? "behind" : "before");
});

TEST_P(HostPages, the_first_byte_beyond_ends_the_process) {
  for (const std::size_t bytes : {1, 100, 4096, 10000}) {
    const DeviceMemory memory(bench.device(), bytes);
    const auto last = static_cast<std::int64_t>(bytes) - 1;
    touch(memory, 0);
    touch(memory, last);
    EXPECT_EXIT(touch(memory, GetParam() == Pages::behind ? last + 1 : -1), ends_with_a_page_fault, "");
  }
}

TEST_P(HostPages, memory_can_be_given_back_and_had_again) {
  const auto most = static_cast<std::size_t>(bench.device().target().memory_bytes) / 4 * 3;
  for (int i = 0; i < 4; ++i) EXPECT_NO_THROW(DeviceMemory(bench.device(), most));
  for (int i = 0; i < 1000; ++i) EXPECT_NO_THROW(DeviceMemory(bench.device(), 0));
}

TEST_P(HostPages, layouts_put_an_end_of_each_buffer_at_its_page) {
  const Kernel kernel = KernelPath({}, {}).load("rmsnorm");
  for (const std::int64_t cols : {1, 13, 256}) {
    const Problem problem = make_problem(kernel.space, {3, cols}, Dtype::f32, {});
    for (const bool padded : {false, true}) {
      const std::vector<BufferLayout> layouts =
          buffer_layouts(kernel.space, problem, bench.facts(), padded, GetParam());
      for (const BufferLayout& layout : layouts) {
        EXPECT_EQ(layout.first_byte, 0U);
        const auto span = static_cast<std::size_t>(layout.shape.span(layout.stride)) * sizeof(float);
        EXPECT_GE(layout.bytes, span);
        EXPECT_LT(layout.bytes, span + 16);
      }
      const BufferSet set(bench.device(), layouts);
      for (void* address : set.addresses()) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(address) % 16, 0U);
    }
  }
}

TEST_P(HostPages, a_claimed_alignment_is_kept_and_no_more_lies_behind) {
  const Kernel kernel = KernelPath({}, {}).load("copy");
  for (const std::int64_t alignment : {4, 8, 16}) {
    const Problem problem = make_problem(kernel.space, {1001}, Dtype::f32, {{"ALIGN", alignment}});
    const BufferSet set(bench.device(), buffer_layouts(kernel.space, problem, bench.facts(), true, GetParam()));
    for (void* address : set.addresses())
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(address) % static_cast<std::size_t>(alignment), 0U);
    EXPECT_LT(set.layouts()[0].bytes, 4004 + static_cast<std::size_t>(alignment));
  }
}

TEST_P(HostPages, workspaces_keep_their_alignment_and_the_rest_is_a_guard) {
  WorkspaceSet workspaces(bench.device(), {100, 4096});
  workspaces.poison(std::byte{0x5a}, nullptr);
  for (void* address : workspaces.addresses()) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(address) % 256, 0U);
  EXPECT_TRUE(workspaces.guards_intact(std::byte{0x5a}, nullptr));
  static_cast<char*>(workspaces.addresses()[0])[99] = 1;
  EXPECT_TRUE(workspaces.guards_intact(std::byte{0x5a}, nullptr));
  static_cast<char*>(workspaces.addresses()[0])[100] = 1;
  EXPECT_FALSE(workspaces.guards_intact(std::byte{0x5a}, nullptr));
}

}  // namespace hiptune::device_tests
