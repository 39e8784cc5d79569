/* What stands where in a line of STD text, found for many bytes at once, and the numbers in it.
 * Only for std_reader.c.
 *
 * There are two forms: for any processor, and `wide` for those with AVX2, BMI, BMI2 and LZCNT. */
#ifndef SERIATIM_TRACE_STD_MARKS_H
#define SERIATIM_TRACE_STD_MARKS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#define ST_HAS_WIDE
#define ST_WIDE __attribute__((target("avx2,bmi,bmi2,lzcnt")))

/* Compilers have no common name for LZCNT, which all processors with the others have. Without it,
 * the same bytes are an instruction with another result. */
static inline bool st_may_use_wide(void) {
    unsigned a, b, c = 0, d;
    bool has_lzcnt = __get_cpuid(0x80000001, &a, &b, &c, &d) && c & 1 << 5;
    return has_lzcnt && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
}
#endif

/* What reads usual lines is compiled twice, see read_lines in std_reader.c. */
#define ST_USUAL static inline __attribute__((always_inline))

/* Tables, in a file of their own so that compilers cannot know what is in them. They would make
 * vectors of the same bytes anew for every line, with a dozen instructions. */
extern const struct st_std_bytes {
    char end[32], bar[32], zero[32], nine[32], low_half[16];
} st_std_bytes;

/* st_std_masks + 64 - n masks the first n of 32 bytes, n <= 64. */
extern const char st_std_masks[64 + 32];

/* The least number of so many digits without zeros in front. There is none of 0, and we take none
 * of more than 8. */
extern const uint32_t st_least_of_digits[64];

/* Bit i for byte i, from the start of a line on. */
struct marks {
    uint64_t ends, bars, digits;
};

#ifdef __SSE2__
ST_USUAL struct marks marks_of_16(const char *text) {
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
    __m128i value = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
    __m128i digit = _mm_cmpeq_epi8(_mm_min_epu8(value, _mm_set1_epi8(9)), value);
    return (struct marks){
        .ends = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'))),
        .bars = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('|'))),
        .digits = (uint32_t)_mm_movemask_epi8(digit),
    };
}
#else
ST_USUAL struct marks marks_of_16(const char *text) {
    struct marks marks = {0, 0, 0};
    for (int i = 0; i < 16; i++) {
        marks.ends |= (uint64_t)(text[i] == '\n') << i;
        marks.bars |= (uint64_t)(text[i] == '|') << i;
        marks.digits |= (uint64_t)(text[i] >= '0' && text[i] <= '9') << i;
    }
    return marks;
}
#endif

ST_USUAL struct marks join_marks(struct marks marks, struct marks more, unsigned shift) {
    return (struct marks){marks.ends | more.ends << shift, marks.bars | more.bars << shift,
                          marks.digits | more.digits << shift};
}

ST_USUAL struct marks marks_of_32(const char *text) {
    return join_marks(marks_of_16(text), marks_of_16(text + 16), 16);
}

#ifdef ST_HAS_WIDE
ST_WIDE ST_USUAL __m256i load_32(const char *bytes) {
    return _mm256_loadu_si256((const __m256i *)(const void *)bytes);
}

ST_WIDE ST_USUAL struct marks wide_marks_of_32(const char *text) {
    __m256i bytes = load_32(text), value = _mm256_sub_epi8(bytes, load_32(st_std_bytes.zero));
    __m256i digit = _mm256_cmpeq_epi8(_mm256_min_epu8(value, load_32(st_std_bytes.nine)), value);
    __m256i end = _mm256_cmpeq_epi8(bytes, load_32(st_std_bytes.end));
    __m256i bar = _mm256_cmpeq_epi8(bytes, load_32(st_std_bytes.bar));
    return (struct marks){
        .ends = (uint32_t)_mm256_movemask_epi8(end),
        .bars = (uint32_t)_mm256_movemask_epi8(bar),
        .digits = (uint32_t)_mm256_movemask_epi8(digit),
    };
}
#endif

/* Is this, of so many digits, a number as it is printed? */
ST_USUAL bool is_short_number(uint32_t number, unsigned count) {
    return number >= st_least_of_digits[count];
}

/* The bytes text[0 .. count), 8 at most, with anything but digits in front of them. */
ST_USUAL uint64_t digits_at_end(const char *text, unsigned count) {
    uint64_t bytes;
    memcpy(&bytes, text, sizeof bytes);
    return (bytes << ((64 - 8 * count) & 63)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
}

/* The numbers text[0 .. count) and other[0 .. other_count), of 1 to 8 digits; with another count, a
 * number without meaning below UINT32_MAX. Digits are paired, then pairs of pairs, each step one
 * multiplication, however many there are. */
ST_USUAL void short_numbers(const char *text, unsigned count, const char *other,
                            unsigned other_count, uint32_t *number, uint32_t *other_number) {
    uint64_t values[2] = {digits_at_end(text, count), digits_at_end(other, other_count)};
    for (int i = 0; i < 2; i++) {
        uint64_t value = values[i] * (10 * 256 + 1) >> 8;
        value = (value & UINT64_C(0x00ff00ff00ff00ff)) * (100 * 65536 + 1) >> 16;
        values[i] = (value & UINT64_C(0x0000ffff0000ffff)) * (UINT64_C(10000) << 32 | 1) >> 32;
    }
    *number = (uint32_t)values[0];
    *other_number = (uint32_t)values[1];
}

#ifdef ST_HAS_WIDE
ST_WIDE ST_USUAL void wide_short_numbers(const char *text, unsigned count, const char *other,
                                         unsigned other_count, uint32_t *number,
                                         uint32_t *other_number) {
    uint64_t low, high;
    memcpy(&low, text, sizeof low);
    memcpy(&high, other, sizeof high);
    low <<= (64 - 8 * count) & 63;
    high <<= (64 - 8 * other_count) & 63;
    __m128i mask = _mm_loadu_si128((const __m128i *)(const void *)st_std_bytes.low_half);
    __m128i digits = _mm_and_si128(_mm_set_epi64x((int64_t)high, (int64_t)low), mask);
    __m128i pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(256 + 10));
    __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(65536 + 100));
    __m128i packed = _mm_packus_epi32(fours, fours);
    __m128i eights = _mm_madd_epi16(packed, _mm_set1_epi32(65536 + 10000));
    uint64_t both = (uint64_t)_mm_cvtsi128_si64(eights);
    *number = (uint32_t)both;
    *other_number = (uint32_t)(both >> 32);
}
#endif

#endif
