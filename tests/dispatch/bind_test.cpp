#include <gmock/gmock.h>

#include "dispatch/world.hpp"

namespace hiptune {
namespace {

using made_up::error_of;
using testing::AllOf;
using testing::HasSubstr;
using I = std::int64_t;

class Bind : public testing::Test {
 protected:
  template <class... Args>
  [[nodiscard]] std::string refusal(const std::string& dtype = "f32",
                                    const std::map<std::string, std::string>& traits = {}) {
    const Dispatcher dispatcher(world_.options());
    const Error error = error_of([&] { (void)dispatcher.bind<Args...>("row_rms", dtype, traits); });
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  test::World world_;
};

TEST_F(Bind, a_wrong_count_says_which_arguments_there_are) {
  EXPECT_THAT((refusal<const float*, float*>()), AllOf(HasSubstr("2 argument types given, the kernel takes 8"),
                                                       HasSubstr("x, w, y, rows, cols, x_stride, y_stride, epsilon")));
}

TEST_F(Bind, a_wrong_pointee_is_named) {
  EXPECT_THAT((refusal<const float*, const double*, float*, I, I, I, I, float>()),
              HasSubstr("argument 2, w, must be const float*, and is const double*"));
  EXPECT_THAT((refusal<const int*, const float*, float*, I, I, I, I, float>()),
              HasSubstr("argument 1, x, must be const float*, and is a pointer to const 4-byte elements"));
}

TEST_F(Bind, an_output_may_not_be_const_and_an_input_may_be_writable) {
  EXPECT_THAT((refusal<const float*, const float*, const float*, I, I, I, I, float>()),
              HasSubstr("argument 3, y, must be float*, and is const float*"));
  const Dispatcher dispatcher(world_.options());
  EXPECT_NO_THROW((void)(dispatcher.bind<float*, float*, float*, I, I, I, I, float>("row_rms", "f32")));
  EXPECT_NO_THROW((void)(dispatcher.bind<const void*, void*, void*, I, I, I, I, float>("row_rms", "f32")));
}

TEST_F(Bind, an_int_where_int64_belongs_is_named) {
  EXPECT_THAT((refusal<const float*, const float*, float*, int, I, I, I, float>()),
              HasSubstr("argument 4, rows, must be std::int64_t, and is a 32-bit integer"));
  EXPECT_THAT((refusal<const float*, const float*, float*, I, I, I, double, float>()),
              HasSubstr("argument 7, y_stride, must be std::int64_t, and is double"));
}

TEST_F(Bind, a_wrong_scalar_is_named) {
  EXPECT_THAT((refusal<const float*, const float*, float*, I, I, I, I, double>()),
              HasSubstr("argument 8, epsilon, must be float, and is double"));
}

TEST_F(Bind, unknown_kernels_dtypes_and_traits_are_named) {
  const Dispatcher dispatcher(world_.options());
  EXPECT_THAT(error_of([&] { (void)dispatcher.bind<I>("row_rsm", "f32"); }).what(),
              HasSubstr("did you mean \"row_rms\""));
  EXPECT_THAT((refusal<I>("f16")), HasSubstr("dtype f16: the kernel knows f32"));
  EXPECT_THAT((refusal<I>("f32", {{"WEIGHT", "none"}})), HasSubstr("there is no trait \"WEIGHT\""));
}

TEST_F(Bind, a_trait_that_calls_decide_is_not_given) {
  const Dispatcher dispatcher(world_.options());
  EXPECT_THAT(error_of([&] {
                (void)dispatcher.bind<const float*, float*, I>("copy", "f32", {{"ALIGN", "16"}});
              }).what(),
              HasSubstr("ALIGN is found from each call's pointers"));
}

TEST_F(Bind, an_unknown_device_is_unavailable) {
  world_.options().device = "abacus";
  const Error error = error_of([&] { (void)Dispatcher(world_.options()); });
  EXPECT_EQ(error.kind(), ErrorKind::unavailable);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("abacus"), HasSubstr("host")));
}

TEST_F(Bind, a_bound_kernel_outlives_its_dispatcher) {
  auto rmsnorm = std::make_unique<Dispatcher>(world_.options());
  const test::Rmsnorm bound = test::bind_rmsnorm(*rmsnorm);
  rmsnorm.reset();
  test::Matrices matrices(3, 20);
  ASSERT_EQ(matrices.call(bound), Status::success) << last_error();
  EXPECT_LT(matrices.error(), test::kRightError);
}

}  // namespace
}  // namespace hiptune
