#include "gate/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hiptune {
namespace {

constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15ULL;

// SplitMix64 (Steele, Lea, Flood 2014). Its state after n numbers is seed + n steps, so that any part can be drawn
// alone.
std::uint64_t mix(std::uint64_t z) {
  z += kStep;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

// Uniform in [-1, 1), never within 2^-24 of zero, so that no weight is lost by chance.
double uniform(std::uint64_t seed, std::uint64_t index) {
  const double unit = static_cast<double>(mix(seed + index * kStep) >> 11) * 0x1p-52 - 1.0;
  return std::abs(unit) < 0x1p-24 ? 0x1p-24 : unit;
}

struct Element {
  std::int64_t row, col;
  const BufferShape& shape;
  const Domain& domain;
  std::uint64_t seed;

  [[nodiscard]] std::uint64_t index() const { return static_cast<std::uint64_t>(row * shape.cols + col); }
  [[nodiscard]] bool is_marked() const { return row == shape.rows / 2 && col == shape.cols / 2; }
  // The usual magnitude: 1 where that lies well within the domain of a floating type; else the domain's own end, so
  // that a domain such as [100, 1000], or one of integers, still gets different values.
  [[nodiscard]] double reach() const {
    return is_floating(shape.type) && domain.smallest < 0.5 ? std::min(1.0, domain.largest) : domain.largest;
  }
  [[nodiscard]] double within_domain(double value) const {
    return std::copysign(std::clamp(std::abs(value), domain.smallest, domain.largest), value);
  }
  [[nodiscard]] double random() const { return within_domain(uniform(seed, index()) * reach()); }
  // Between 1/2 and 1 times `scale`, of either sign.
  [[nodiscard]] double around(double scale) const {
    const double unit = uniform(seed, index());
    return within_domain(std::copysign(scale * (0.5 + std::abs(unit) / 2), unit));
  }
};

double marked_or_random(const Element& element, double mark, bool in_vectors = false) {
  const bool allowed =
      element.domain.non_finite && (element.shape.rows == 1) == in_vectors && is_floating(element.shape.type);
  return allowed && element.is_marked() ? mark : element.random();
}

// Far enough from zero that a maximum or an exponential that starts there shows.
constexpr double kManyNegative = 200;

double value_of(Pattern pattern, const Element& element) {
  const double step = element.reach() / static_cast<double>(element.shape.elements());
  switch (pattern) {
    case Pattern::random:
      return element.random();
    case Pattern::zeros:
      return 0.0;
    case Pattern::one_element:
      return element.is_marked() ? element.reach() : 0.0;
    case Pattern::mixed_signs:
      return (element.index() % 2 == 0 ? 1 : -1) * std::abs(element.random());
    case Pattern::negative:
      return -std::abs(element.around(std::min(kManyNegative, element.domain.largest)));
    case Pattern::ramp:
      return element.within_domain(step * static_cast<double>(element.index() + 1));
    case Pattern::huge:
      return element.around(element.domain.largest);
    case Pattern::tiny:
      return element.around(2 * element.domain.smallest);
    case Pattern::not_a_number:
      return marked_or_random(element, std::numeric_limits<double>::quiet_NaN());
    case Pattern::infinite:
      return marked_or_random(element, std::numeric_limits<double>::infinity());
    case Pattern::nan_in_vector:
      return marked_or_random(element, std::numeric_limits<double>::quiet_NaN(), true);
  }
  throw std::logic_error("unknown input pattern");
}

// A NaN; of integers, for which all ones is -1 and may be right, another value that nobody computes.
std::byte poison_of(Dtype type) { return is_floating(type) ? kPoisonByte : kGuardByte; }

// The nearest value of the type that is at least, or at most, a magnitude within its range.
enum class Toward { zero, infinity };
double representable(Dtype type, double magnitude, Toward direction) {
  std::uint64_t bits = 0;  // those of a positive element count upwards with its value, and so does an integer
  store_from_double(&bits, type, magnitude);
  const double rounded = load_as_double(&bits, type);
  if (direction == Toward::zero && rounded > magnitude) --bits;
  if (direction == Toward::infinity && rounded < magnitude) ++bits;
  return load_as_double(&bits, type);
}

// Ends that the type has: what lies between them is rounded to nothing beyond them.
Domain domain_in(Dtype type, const Domain& domain) {
  return {representable(type, domain.smallest, Toward::infinity), representable(type, domain.largest, Toward::zero),
          domain.non_finite};
}

// work(row, first column, column behind the last), side by side.
template <class Work>
void for_parts_of_rows(const BufferShape& shape, const Work& work) {
  in_parallel(shape.elements(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end;) {
      const std::int64_t row = i / shape.cols, first = i - row * shape.cols;
      const std::int64_t last = std::min(shape.cols, first + end - i);
      work(row, first, last);
      i += last - first;
    }
  });
}

Image input_image(const BufferLayout& layout, Pattern pattern, std::uint64_t seed, const Fill& fill) {
  const Domain domain = domain_in(layout.shape.type, layout.buffer.domain);
  Image image = filled(layout.bytes, fill.around);
  for_parts_of_rows(layout.shape, [&](std::int64_t row, std::int64_t first, std::int64_t last) {
    for (std::int64_t col = first; col < last; ++col)
      store_from_double(image.data() + layout.offset(row, col), layout.shape.type,
                        value_of(pattern, {row, col, layout.shape, domain, seed}));
  });
  return image;
}

void copy_elements(Image& to, const Image& from, const BufferLayout& layout) {
  for (std::int64_t row = 0; row < layout.shape.rows; ++row) {
    const auto offset = static_cast<std::ptrdiff_t>(layout.offset(row, 0));
    std::copy_n(from.begin() + offset, layout.row_bytes(), to.begin() + offset);
  }
}

Image output_image(const BufferLayout& layout, const Fill& fill) {
  Image image = filled(layout.bytes, fill.around);
  if (!layout.buffer.has_memory()) return image;
  for_parts_of_rows(layout.shape, [&](std::int64_t row, std::int64_t first, std::int64_t last) {
    std::fill(image.data() + layout.offset(row, first), image.data() + layout.offset(row, last), fill.element);
  });
  return image;
}

}  // namespace

std::string to_string(Pattern pattern) {
  switch (pattern) {
    case Pattern::random:
      return "random";
    case Pattern::zeros:
      return "zeros";
    case Pattern::one_element:
      return "one element";
    case Pattern::mixed_signs:
      return "mixed signs";
    case Pattern::negative:
      return "all negative";
    case Pattern::ramp:
      return "ramp";
    case Pattern::huge:
      return "huge";
    case Pattern::tiny:
      return "tiny";
    case Pattern::not_a_number:
      return "NaN in a row";
    case Pattern::infinite:
      return "Inf in a row";
    case Pattern::nan_in_vector:
      return "NaN in a vector";
  }
  throw std::logic_error("unknown input pattern");
}

const std::vector<Pattern>& adversarial_patterns() {
  static const std::vector<Pattern> patterns{
      Pattern::zeros, Pattern::one_element, Pattern::mixed_signs,  Pattern::negative, Pattern::ramp,
      Pattern::huge,  Pattern::tiny,        Pattern::not_a_number, Pattern::infinite, Pattern::nan_in_vector};
  return patterns;
}

bool applies(Pattern pattern, const std::vector<BufferLayout>& layouts) {
  const bool in_rows = pattern == Pattern::not_a_number || pattern == Pattern::infinite;
  const bool in_vectors = pattern == Pattern::nan_in_vector;
  if (!in_rows && !in_vectors) return true;
  return std::ranges::any_of(layouts, [&](const BufferLayout& layout) {
    const ProblemBuffer& buffer = layout.buffer;
    return buffer.is_filled() && buffer.domain.non_finite && buffer.is_vector == in_vectors;
  });
}

Fill fill_of(const ProblemBuffer& buffer, std::size_t index, std::byte poison) {
  if (poison != kPoisonByte) return {std::byte(std::to_integer<std::size_t>(poison) - 1 - index % 16), poison};
  return {buffer.role == Role::out ? kGuardByte : poison_of(buffer.type), poison_of(buffer.type)};
}

Images repoisoned(const std::vector<BufferLayout>& layouts, const Images& images, std::byte poison) {
  Images again;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    again.push_back(output_image(layouts[i], fill_of(layouts[i].buffer, i, poison)));
    if (layouts[i].buffer.is_filled()) copy_elements(again[i], images[i], layouts[i]);
  }
  return again;
}

Images make_images(const std::vector<BufferLayout>& layouts, Pattern pattern, std::uint64_t seed) {
  Images images;
  for (std::size_t i = 0; i < layouts.size(); ++i) {
    const Fill fill = fill_of(layouts[i].buffer, i, kPoisonByte);
    images.push_back(layouts[i].buffer.is_filled() ? input_image(layouts[i], pattern, mix(seed + i), fill)
                                                   : output_image(layouts[i], fill));
  }
  return images;
}

}  // namespace hiptune
