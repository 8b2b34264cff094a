#include <gmock/gmock.h>

#include <array>
#include <thread>
#include <utility>

#include "dispatch/c_caller.h"
#include "dispatch/two_step.hpp"
#include "dispatch/world.hpp"
#include "hiptune/hiptune.h"

namespace hiptune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using I = std::int64_t;

// A dispatcher on the host device with a cache of its own, and what it bound.
class CInterface : public testing::Test {
 protected:
  void open() {
    const std::string cache = world_.options().cache.string();
    const std::string kernels = world_.options().kernel_paths.empty() ? "" : world_.options().kernel_paths.front();
    ASSERT_EQ(hiptune_open("host", cache.c_str(), kernels.c_str(), &dispatcher_), HIPTUNE_SUCCESS)
        << hiptune_last_error();
  }
  void bind(const char* name, const std::vector<hiptune_trait>& traits = {}) {
    open();
    ASSERT_EQ(hiptune_bind(dispatcher_, name, "f32", traits.data(), traits.size(), &kernel_), HIPTUNE_SUCCESS)
        << hiptune_last_error();
  }
  [[nodiscard]] std::string refusal_of_bind(const char* name, const char* dtype,
                                            const std::vector<hiptune_trait>& traits = {}) {
    EXPECT_EQ(hiptune_bind(dispatcher_, name, dtype, traits.data(), traits.size(), &kernel_), HIPTUNE_FAILED);
    EXPECT_EQ(kernel_, nullptr);
    return hiptune_last_error();
  }
  void TearDown() override {
    hiptune_release(std::exchange(kernel_, nullptr));
    hiptune_close(std::exchange(dispatcher_, nullptr));
  }

  test::World world_;
  hiptune_dispatcher* dispatcher_ = nullptr;
  hiptune_kernel* kernel_ = nullptr;
};

// The values of one RMSNorm call, and their addresses.
struct RmsnormValues {
  test::Matrices matrices{3, 20};
  const float *x{}, *w{};
  float *y{}, epsilon{};
  I rows{}, cols{}, x_stride{}, y_stride{};
  std::array<void*, 8> arguments{&x, &w, &y, &rows, &cols, &x_stride, &y_stride, &epsilon};

  RmsnormValues() { set(); }
  void set() {
    x = matrices.x.data(), w = matrices.w.data(), y = matrices.y.data();
    rows = 3, cols = x_stride = y_stride = 20;
    epsilon = 1e-5f;
  }
};

TEST_F(CInterface, a_c_program_launches_the_tuned_configuration) {
  test::write_two_step(world_);
  world_.tuned("two_step", {9, 7}, {"BLOCK_SIZE=64"});
  std::array<char, 400> explanation{};
  const char* wrong = c_caller_runs_two_step(world_.options().cache.c_str(), world_.kernel_folder().c_str(),
                                             explanation.data(), explanation.size());
  EXPECT_EQ(wrong, nullptr) << wrong;
  EXPECT_STREQ(explanation.data(), "exact\nBLOCK_SIZE=64\nrows=9 cols=7 dtype=f32\nthis very problem was tuned\n");
}

TEST_F(CInterface, codes_are_those_of_status_and_each_has_its_sentence) {
  const std::vector<std::pair<int, Status>> same{{HIPTUNE_SUCCESS, Status::success},
                                                 {HIPTUNE_INVALID_DIMENSION, Status::invalid_dimension},
                                                 {HIPTUNE_INVALID_STRIDE, Status::invalid_stride},
                                                 {HIPTUNE_INVALID_SCALAR, Status::invalid_scalar},
                                                 {HIPTUNE_NULL_POINTER, Status::null_pointer},
                                                 {HIPTUNE_MISALIGNED_POINTER, Status::misaligned_pointer},
                                                 {HIPTUNE_UNEXPECTED_POINTER, Status::unexpected_pointer},
                                                 {HIPTUNE_NOT_READY, Status::not_ready},
                                                 {HIPTUNE_LAUNCH_FAILED, Status::launch_failed},
                                                 {HIPTUNE_KERNEL_FAULT, Status::kernel_fault}};
  for (const auto& [code, status] : same) {
    EXPECT_EQ(code, static_cast<int>(status));
    EXPECT_STREQ(hiptune_status_text(code), to_string(status));
  }
  EXPECT_THAT(hiptune_status_text(HIPTUNE_FAILED), HasSubstr("hiptune_last_error"));
  EXPECT_STREQ(hiptune_status_text(12345), "An unknown status.");
  EXPECT_STREQ(hiptune_version(), HIPTUNE_VERSION);
}

TEST_F(CInterface, a_bad_call_has_its_code_and_its_words) {
  bind("row_rms");
  RmsnormValues values;
  const auto expect = [&](int code, const std::string& words) {
    EXPECT_EQ(hiptune_launch(kernel_, nullptr, values.arguments.data()), code);
    EXPECT_THAT(hiptune_last_error(), HasSubstr(words));
    EXPECT_EQ(hiptune_prepare(kernel_, values.arguments.data()), HIPTUNE_FAILED);
    EXPECT_EQ(hiptune_explain(kernel_, values.arguments.data(), nullptr, 0, nullptr), HIPTUNE_FAILED);
    EXPECT_THAT(hiptune_last_error(), HasSubstr(words));
    values.set();
  };
  values.cols = 0;
  expect(HIPTUNE_INVALID_DIMENSION, "cols is 0");
  values.y_stride = 19;
  expect(HIPTUNE_INVALID_STRIDE, "y_stride is 19");
  values.epsilon = -1;
  expect(HIPTUNE_INVALID_SCALAR, "epsilon is -1");
  values.x = nullptr;
  expect(HIPTUNE_NULL_POINTER, "x is null");
  values.y = reinterpret_cast<float*>(reinterpret_cast<std::uintptr_t>(values.y) + 1);
  expect(HIPTUNE_MISALIGNED_POINTER, "y does not begin at a multiple of 4 bytes");
  EXPECT_TRUE(std::isnan(values.matrices.y[0])) << "nothing was launched";
  EXPECT_EQ(hiptune_launch(kernel_, nullptr, values.arguments.data()), HIPTUNE_SUCCESS) << hiptune_last_error();
  EXPECT_LT(values.matrices.error(), test::kRightError);
}

// The shipped kernel, bound without its weights.
TEST_F(CInterface, a_buffer_that_is_bound_away_must_be_null) {
  bind("rmsnorm", {{"WEIGHT", "none"}});
  RmsnormValues values;
  EXPECT_EQ(hiptune_launch(kernel_, nullptr, values.arguments.data()), HIPTUNE_UNEXPECTED_POINTER);
  EXPECT_STREQ(hiptune_last_error(), "rmsnorm: w must be null: the kernel was bound without this buffer");
  EXPECT_EQ(hiptune_prepare(kernel_, values.arguments.data()), HIPTUNE_FAILED);
  EXPECT_TRUE(std::isnan(values.matrices.y[0])) << "nothing was launched";
  values.w = nullptr;
  EXPECT_EQ(hiptune_launch(kernel_, nullptr, values.arguments.data()), HIPTUNE_SUCCESS) << hiptune_last_error();
  values.matrices.w.assign(values.matrices.w.size(), 1.0f);  // what no weights mean
  EXPECT_LT(values.matrices.error(), test::kRightError);
}

TEST_F(CInterface, without_a_fallback_for_any_shape_a_call_is_not_ready_until_prepared) {
  test::write_two_step(world_, "4 * cols");
  bind("two_step");
  test::TwoStepCall call(9, 7);
  const float* x = call.x.data();
  float* y = call.y.data();
  I rows = 9, cols = 7;
  const std::array<void*, 4> arguments{&x, &y, &rows, &cols};
  EXPECT_EQ(hiptune_launch(kernel_, nullptr, arguments.data()), HIPTUNE_NOT_READY);
  EXPECT_THAT(hiptune_last_error(), HasSubstr("no fallback for any shape"));
  ASSERT_EQ(hiptune_prepare(kernel_, arguments.data()), HIPTUNE_SUCCESS) << hiptune_last_error();
  EXPECT_EQ(hiptune_launch(kernel_, nullptr, arguments.data()), HIPTUNE_SUCCESS) << hiptune_last_error();
  EXPECT_TRUE(call.is_right());
}

TEST_F(CInterface, what_the_device_refuses_and_what_a_kernel_breaks_are_codes_with_words) {
  const auto replaced = [](std::string text, const std::string& old, const std::string& now) {
    const std::size_t at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    return text.replace(at, old.size(), now);
  };
  const auto launch = [&] {
    bind("two_step");
    test::TwoStepCall call(1000, 3);
    const float* x = call.x.data();
    float* y = call.y.data();
    const std::array<void*, 4> arguments{&x, &y, &call.rows, &call.cols};
    const int code = hiptune_launch(kernel_, nullptr, arguments.data());
    TearDown();
    return code;
  };
  test::write_two_step(world_);
  EXPECT_EQ(launch(), HIPTUNE_SUCCESS) << hiptune_last_error();
  const std::string workspace = R"({"buffer": "sums", "extent": "rows)";
  world_.write_kernel_file("two_step.json",
                           replaced(test::two_step_space(), workspace, workspace + " * 1099511627776"));
  EXPECT_EQ(launch(), HIPTUNE_LAUNCH_FAILED);
  EXPECT_STRNE(hiptune_last_error(), "");
  test::write_two_step(world_);
  world_.write_kernel_file("two_step.hip", replaced(test::kTwoStepSource, "scalar_t sum = 0;",
                                                    "scalar_t sum = 0;\nif (r == 1) hiptune::barrier();"));
  EXPECT_EQ(launch(), HIPTUNE_KERNEL_FAULT);
  EXPECT_THAT(hiptune_last_error(), HasSubstr("divergent barrier"));
}

TEST_F(CInterface, no_rows_are_success_and_write_nothing) {
  bind("row_rms");
  RmsnormValues values;
  values.rows = 0;
  EXPECT_EQ(hiptune_launch(kernel_, nullptr, values.arguments.data()), HIPTUNE_SUCCESS);
  EXPECT_TRUE(std::isnan(values.matrices.y[0]));
}

TEST_F(CInterface, a_device_that_is_not_there_fails_with_words) {
  hiptune_dispatcher* none = reinterpret_cast<hiptune_dispatcher*>(this);
  EXPECT_EQ(hiptune_open("abacus", "", nullptr, &none), HIPTUNE_FAILED);
  EXPECT_EQ(none, nullptr);
  EXPECT_THAT(hiptune_last_error(), HasSubstr("abacus"));
}

TEST_F(CInterface, kernels_dtypes_and_traits_that_are_not_there_are_named) {
  open();
  EXPECT_THAT(refusal_of_bind("row_rsm", "f32"), HasSubstr("did you mean \"row_rms\""));
  EXPECT_THAT(refusal_of_bind("row_rms", "f33"), HasSubstr("dtype f33: the kernel knows"));
  EXPECT_THAT(refusal_of_bind("row_rms", "f32", {{"COLOUR", "red"}}), HasSubstr("there is no trait \"COLOUR\""));
  EXPECT_THAT(refusal_of_bind("copy", "f32", {{"ALIGN", "16"}}), HasSubstr("ALIGN is found from each call's pointers"));
  EXPECT_THAT(refusal_of_bind("copy", "f32", {{"A", "1"}, {"A", "2"}}), HasSubstr("trait A is given twice"));
}

TEST_F(CInterface, null_is_refused_where_it_may_not_be) {
  bind("row_rms");
  RmsnormValues values;
  hiptune_kernel* none = nullptr;
  const auto expect = [](int code, const std::string& words) {
    EXPECT_EQ(code, HIPTUNE_FAILED);
    EXPECT_EQ(hiptune_last_error(), words + " is NULL");
  };
  const hiptune_trait nameless{nullptr, "1"};
  char text = 'a';
  expect(hiptune_open("host", nullptr, nullptr, nullptr), "hiptune_open: dispatcher");
  expect(hiptune_bind(nullptr, "row_rms", "f32", nullptr, 0, &none), "hiptune_bind: dispatcher");
  expect(hiptune_bind(dispatcher_, nullptr, "f32", nullptr, 0, &none), "hiptune_bind: name");
  expect(hiptune_bind(dispatcher_, "row_rms", nullptr, nullptr, 0, &none), "hiptune_bind: dtype");
  expect(hiptune_bind(dispatcher_, "row_rms", "f32", nullptr, 1, &none), "hiptune_bind: traits");
  expect(hiptune_bind(dispatcher_, "row_rms", "f32", &nameless, 1, &none), "hiptune_bind: a trait's name or value");
  expect(hiptune_bind(dispatcher_, "row_rms", "f32", nullptr, 0, nullptr), "hiptune_bind: kernel");
  expect(hiptune_launch(nullptr, nullptr, values.arguments.data()), "hiptune_launch: kernel");
  expect(hiptune_launch(kernel_, nullptr, nullptr), "hiptune_launch: arguments");
  expect(hiptune_prepare(nullptr, values.arguments.data()), "hiptune_prepare: kernel");
  expect(hiptune_explain(nullptr, values.arguments.data(), &text, 1, nullptr), "hiptune_explain: kernel");
  expect(hiptune_explain(kernel_, values.arguments.data(), nullptr, 1, nullptr), "hiptune_explain: text");
  expect(hiptune_forget(nullptr, nullptr), "hiptune_forget: kernel");
  values.arguments[3] = nullptr;
  expect(hiptune_launch(kernel_, nullptr, values.arguments.data()), "hiptune_launch: the address of argument rows");
  EXPECT_EQ(hiptune_device(nullptr), nullptr);
  EXPECT_EQ(hiptune_argument_count(nullptr), 0u);
  EXPECT_EQ(hiptune_argument_name(nullptr, 0), nullptr);
  hiptune_close(nullptr);
  hiptune_release(nullptr);
}

TEST_F(CInterface, an_explanation_is_cut_to_the_caller_s_buffer_and_tells_its_length) {
  bind("row_rms");
  RmsnormValues values;
  std::size_t length = 0;
  ASSERT_EQ(hiptune_explain(kernel_, values.arguments.data(), nullptr, 0, &length), HIPTUNE_SUCCESS);
  std::string whole(length + 1, '?');
  ASSERT_EQ(hiptune_explain(kernel_, values.arguments.data(), whole.data(), whole.size(), nullptr), HIPTUNE_SUCCESS);
  EXPECT_EQ(whole[length], '\0');
  EXPECT_THAT(whole, AllOf(StartsWith("fallback\n"), HasSubstr("\n\n"), HasSubstr("no usable entry")));
  std::array<char, 5> cut{'?', '?', '?', '?', '?'};
  ASSERT_EQ(hiptune_explain(kernel_, values.arguments.data(), cut.data(), 4, &length), HIPTUNE_SUCCESS);
  EXPECT_EQ(std::string_view(cut.data(), cut.size()), std::string_view("fal\0?", 5));
  EXPECT_EQ(length + 1, whole.size());
}

TEST_F(CInterface, words_are_the_calling_thread_s_own) {
  bind("row_rms");
  EXPECT_EQ(hiptune_launch(kernel_, nullptr, nullptr), HIPTUNE_FAILED);
  std::thread([&] {
    EXPECT_STREQ(hiptune_last_error(), "");
    EXPECT_EQ(hiptune_forget(nullptr, nullptr), HIPTUNE_FAILED);
  }).join();
  EXPECT_STREQ(hiptune_last_error(), "hiptune_launch: arguments is NULL");
}

TEST_F(CInterface, folders_of_kernels_are_separated_by_colons) {
  test::write_two_step(world_);
  const std::string kernels = HIPTUNE_SOURCE_DIR "/tests/session/kernels:" + world_.kernel_folder().string();
  ASSERT_EQ(hiptune_open("host", "", kernels.c_str(), &dispatcher_), HIPTUNE_SUCCESS) << hiptune_last_error();
  EXPECT_EQ(hiptune_bind(dispatcher_, "two_step", "f32", nullptr, 0, &kernel_), HIPTUNE_SUCCESS)
      << hiptune_last_error();
}

}  // namespace
}  // namespace hiptune
