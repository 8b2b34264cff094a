#include "nvidia/ptxas_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hiptune::nvidia {

using testing::Optional;

TEST(PtxasReport, gives_each_entry_its_own_numbers) {
  const auto report = read_ptxas_report(R"(ptxas info    : 20 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_90'
ptxas info    : Function properties for first
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 30 registers, used 1 barriers
ptxas info    : Compile time = 44.629 ms
ptxas info    : Compiling entry function 'second' for 'sm_90'
ptxas info    : Function properties for second
ptxas         .     64 bytes stack frame, 12 bytes spill stores, 18 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 400 bytes smem, 364 bytes cmem[0]
)");
  ASSERT_EQ(report.size(), 2U);
  const Resources& first = report.at("first");
  EXPECT_THAT(first.vgprs, Optional(30));
  EXPECT_EQ(first.sgprs, std::nullopt);
  EXPECT_THAT(first.lds_bytes, Optional(0));
  EXPECT_THAT(first.scratch_bytes, Optional(0));
  EXPECT_THAT(first.spilled_registers, Optional(0));
  const Resources& second = report.at("second");
  EXPECT_THAT(second.vgprs, Optional(255));
  EXPECT_THAT(second.lds_bytes, Optional(400));
  EXPECT_THAT(second.scratch_bytes, Optional(64));
  EXPECT_THAT(second.spilled_registers, Optional(5));  // 18 bytes, in registers of 4
}

TEST(PtxasReport, counts_the_stack_of_called_functions_and_keeps_their_own_lines_apart) {
  const auto report = read_ptxas_report(R"(ptxas info    : Compiling entry function 'k' for 'sm_90'
ptxas info    : Function properties for k
    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 264 bytes cumulative stack size
ptxas info    : Function properties for _Z1fPfi
    256 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
)");
  EXPECT_THAT(report.at("k").scratch_bytes, Optional(264));
  EXPECT_THAT(report.at("k").spilled_registers, Optional(0));
  EXPECT_THAT(report.at("k").vgprs, Optional(32));
}

TEST(PtxasReport, what_it_does_not_know_is_unknown_and_never_zero) {
  for (const char* log : {"", "a line\nptxas info    : Compiling entry function 'k' for 'sm_90'\n", "\n\n", "ptxas"})
    EXPECT_TRUE(read_ptxas_report(log).empty()) << log;
  const auto report = read_ptxas_report(R"(ptxas info    : Compiling entry function 'k' for 'sm_200'
ptxas info    : Function properties for k
ptxas         .     many bytes stack frame, few bytes spill stores
ptxas info    : Used some registers, x bytes smem)");
  const Resources& unknown = report.at("k");
  EXPECT_EQ(unknown.vgprs, std::nullopt);
  EXPECT_EQ(unknown.lds_bytes, std::nullopt);
  EXPECT_EQ(unknown.scratch_bytes, std::nullopt);
  EXPECT_EQ(unknown.spilled_registers, std::nullopt);
}

}  // namespace hiptune::nvidia
