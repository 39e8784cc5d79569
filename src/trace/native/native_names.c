#include "trace/native/native_names.h"

#include <string.h>

/* Makes the keys of the next names, at most `most`, and asks for their slots, so that these are in
 * the cache when the names are entered. Returns how many; fewer than `most` when the text ends
 * first. */
static size_t make_keys(const struct st_names *names, struct native_cursor *text,
                        struct st_name_key *keys, size_t most) {
    for (size_t i = 0; i < most; i++) {
        const unsigned char *end = text->left ? memchr(text->next, '\0', text->left) : NULL;
        if (!end)
            return i;
        size_t length = (size_t)(end - text->next);
        keys[i] = text->left >= 16 ? st_name_key_padded((const char *)text->next, length)
                                   : st_name_key((const char *)text->next, length);
        st_names_prefetch(names, keys[i].hash);
        text->next += length + 1;
        text->left -= length + 1;
    }
    return most;
}

const char *native_take_variables(struct st_names *names, uint32_t count,
                                  struct native_cursor text) {
    for (; count; count--) {
        const unsigned char *end = text.left ? memchr(text.next, '\0', text.left) : NULL;
        if (!end)
            return "it holds fewer names than its head says";
        size_t length = (size_t)(end - text.next);
        if (st_names_append(names, (const char *)text.next, length) == ST_NAMES_FULL)
            return "there are too many names";
        text.next += length + 1;
        text.left -= length + 1;
    }
    if (text.left)
        return "it holds more names than its head says";
    return NULL;
}

const char *native_take_names(struct st_names *names, uint32_t count, struct native_cursor text) {
    enum { GROUP = 32 };
    struct st_name_key keys[GROUP];
    while (count) {
        size_t most = count < GROUP ? count : GROUP;
        size_t n = make_keys(names, &text, keys, most);
        for (size_t i = 0; i < n; i++) {
            uint32_t expected = names->count;
            uint32_t number = st_names_number(names, &keys[i]);
            if (number == ST_NAMES_FULL)
                return "there are too many names";
            if (number != expected)
                return "a name appears twice in its table";
        }
        if (n < most)
            return "it holds fewer names than its head says";
        count -= (uint32_t)n;
    }
    if (text.left)
        return "it holds more names than its head says";
    return NULL;
}
