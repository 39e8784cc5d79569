/* How lines of STD text begin. Only for std_reader.c.
 *
 * All lines `T3|w(x17)|42` of one thread, operation and series of names begin alike, so one look at
 * a small table says what thread, operation and series that is. A lead is the text up to the number
 * of the operand (`T3|w(x`), or, where there is no number, up to and including the second bar
 * (`T3|end|`, `T3|begin(transfer)|`). A text of the first form has one bar and does not end with
 * it, so no two lines with different meanings have the same lead. */
#ifndef SERIATIM_TRACE_STD_LEADS_H
#define SERIATIM_TRACE_STD_LEADS_H

#include "base/names.h"
#include "trace/std_marks.h"

/* A lead is shorter than LEAD_BYTES, so its text ends with a zero and no longer one equals it. */
enum { LEAD_BITS = 13, LEAD_COUNT = 1 << LEAD_BITS, LEAD_BYTES = 32 };

/* One cache line. All zero: there is none, for no line contains a zero byte. */
struct lead {
    char text[LEAD_BYTES]; /* zeros behind it */
    /* With a number: where the name is looked up. Otherwise a series without any. */
    const struct st_series *series;
    uint64_t last; /* of the event, apart from its location */
    uint32_t thread;
    uint32_t value; /* without a number: that of the operand plus 1, or 0 */
    uint32_t named; /* all ones, or 0: there is no operand */
    uint8_t name;   /* where the operand starts */
    bool numbered;
};

_Static_assert(sizeof(struct lead) == 64, "a lead is one cache line");

/* The place of a lead that begins with these 16 bytes; another one may be there. */
ST_USUAL size_t lead_place(uint64_t low, uint64_t high, unsigned length) {
    return (low * UINT64_C(0x9E3779B97F4A7C15) ^ (high + length) * UINT64_C(0xD6E8FEB86659FD93)) >>
           (64 - LEAD_BITS);
}

/* The lead text[0 .. length), length <= 64, or NULL: it is not known. It can be in two places
 * beside each other, of which *place is the last that was looked at. */
ST_USUAL const struct lead *find_lead(const struct lead *leads, const char *text, unsigned length,
                                      size_t *place) {
    uint64_t words[4], masks[4];
    memcpy(words, text, sizeof words);
    memcpy(masks, st_std_masks + 64 - length, sizeof masks);
    for (int i = 0; i < 4; i++)
        words[i] &= masks[i];
    *place = lead_place(words[0], words[1], length);
    if (memcmp(words, leads[*place].text, sizeof words) == 0)
        return &leads[*place];
    *place ^= 1;
    return memcmp(words, leads[*place].text, sizeof words) == 0 ? &leads[*place] : NULL;
}

#ifdef ST_HAS_WIDE
ST_WIDE ST_USUAL bool is_wide_lead(const struct lead *lead, __m256i bytes) {
    __m256i known = load_32(lead->text);
    return _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, known)) == -1;
}

ST_WIDE ST_USUAL const struct lead *find_wide_lead(const struct lead *leads, const char *text,
                                                   unsigned length, size_t *place) {
    const char *masks = st_std_masks + 64 - length;
    uint64_t words[2], word_masks[2];
    memcpy(words, text, sizeof words);
    memcpy(word_masks, masks, sizeof word_masks);
    *place = lead_place(words[0] & word_masks[0], words[1] & word_masks[1], length);
    __m256i bytes = load_32(text);
    bytes = _mm256_and_si256(bytes, load_32(masks));
    if (__builtin_expect(is_wide_lead(&leads[*place], bytes), 1))
        return &leads[*place];
    *place ^= 1;
    return is_wide_lead(&leads[*place], bytes) ? &leads[*place] : NULL;
}
#endif

#endif
