#include "gate/far_buffers.hpp"

#include <gtest/gtest.h>

#include "gate_bench.hpp"
#include "hiptune/error.hpp"

namespace hiptune::test {
namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 31;

// RMSNorm's x and y have strides, w has none.
class Far : public testing::Test {
 protected:
  const GateBench bench_{"host"};
  const Space space_ = test::row_rms().space;
  const Problem problem_ = make_problem(space_, {2, 40}, Dtype::f32, {});
  const std::vector<BufferLayout> images_ = buffer_layouts(space_, problem_, bench_.facts(), true);
};

TEST_F(Far, have_strides_beyond_32_bits_where_there_is_a_stride) {
  const FarBuffers buffers(*bench_.device, images_);
  EXPECT_TRUE(FarBuffers::has_far_rows(images_));
  for (std::size_t i : {0, 2}) EXPECT_EQ(buffers.layouts()[i].stride, kFar + images_[i].stride);
  EXPECT_EQ(buffers.layouts()[1].stride, images_[1].stride);
  EXPECT_NE(buffers.layouts()[0].stride, buffers.layouts()[2].stride) << "one stride taken for another shows";
}

TEST_F(Far, take_four_times_2_to_31_elements_for_two_rows_of_two_buffers) {
  EXPECT_NEAR(FarBuffers::bytes_for(images_), 4.0 * 4 * static_cast<double>(kFar), 1e6);
  EXPECT_LE(FarBuffers::bytes_for(images_), bench_.device->sparse_bytes());
}

TEST_F(Far, are_none_where_a_problem_has_one_row) {
  const Problem one_row = make_problem(space_, {1, 40}, Dtype::f32, {});
  EXPECT_FALSE(FarBuffers::has_far_rows(buffer_layouts(space_, one_row, bench_.facts(), true)));
}

TEST_F(Far, keep_what_images_hold_with_each_row_at_its_place) {
  FarBuffers buffers(*bench_.device, images_);
  const Images images = make_images(images_, Pattern::random, 1);
  buffers.upload(images);
  EXPECT_EQ(buffers.download(), images);
  const auto* x = static_cast<const float*>(buffers.addresses()[0]);
  const std::int64_t stride = buffers.layouts()[0].stride;
  for (std::int64_t row : {0, 1})
    for (std::int64_t col : {0, 39})
      EXPECT_EQ(x[row * stride + col], load_as_double(images[0].data() + images_[0].offset(row, col), Dtype::f32));
}

// Else an offset that became negative would end the process instead of giving wrong results.
TEST_F(Far, have_room_before_the_first_row_for_an_offset_that_became_negative) {
  const FarBuffers buffers(*bench_.device, images_);
  auto* y = static_cast<float*>(buffers.addresses()[2]);
  y[static_cast<int>(buffers.layouts()[2].stride)] = 1.0f;
  EXPECT_LT(static_cast<int>(buffers.layouts()[2].stride), 0);
}

TEST_F(Far, say_what_memory_there_is_not) {
  std::vector<BufferLayout> images = images_;
  images[0].shape.type = Dtype::f64;
  images[0].shape.rows = std::int64_t{1} << 14;  // 2^48 bytes
  EXPECT_THROW(FarBuffers(*bench_.device, images), Error);
}

}  // namespace
}  // namespace hiptune::test
