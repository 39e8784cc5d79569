#define _GNU_SOURCE
#include "report/sarif/sarif_size.h"

#include "base/memory.h"

#include <stdlib.h>
#include <zstd.h>

enum { GZIP_WINDOW_BITS = 15, LEVEL = 5 };

struct st_sarif_size {
    FILE *file;
    ZSTD_CCtx *compressor;
    void *room;
    size_t room_size;
    uint64_t packed;
};

static void pack(struct st_sarif_size *size, const char *text, size_t length) {
    ZSTD_inBuffer in = {text, length, 0};
    while (in.pos < in.size) {
        ZSTD_outBuffer out = {size->room, size->room_size, 0};
        if (ZSTD_isError(ZSTD_compressStream2(size->compressor, &out, &in, ZSTD_e_continue)))
            return;
        size->packed += out.pos;
    }
}

static ssize_t pass_on(void *cookie, const char *text, size_t length) {
    struct st_sarif_size *size = cookie;
    pack(size, text, length);
    return fwrite(text, 1, length, size->file) == length ? (ssize_t)length : 0;
}

FILE *st_sarif_measure(FILE *file, struct st_sarif_size **size) {
    struct st_sarif_size *made = st_alloc(1, sizeof *made);
    made->file = file;
    made->compressor = ZSTD_createCCtx();
    made->room_size = ZSTD_CStreamOutSize();
    made->room = st_alloc(made->room_size, 1);
    ZSTD_CCtx_setParameter(made->compressor, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(made->compressor, ZSTD_c_windowLog, GZIP_WINDOW_BITS);
    FILE *measured = fopencookie(made, "w", (cookie_io_functions_t){.write = pass_on});
    if (!made->compressor || !measured)
        st_out_of_memory();
    *size = made;
    return measured;
}

uint64_t st_sarif_packed(const struct st_sarif_size *size) {
    return size->packed;
}

void st_sarif_size_free(struct st_sarif_size *size) {
    ZSTD_freeCCtx(size->compressor);
    free(size->room);
    free(size);
}
