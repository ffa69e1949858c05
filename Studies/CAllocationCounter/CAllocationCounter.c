#include "CAllocationCounter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#if defined(__GLIBC__)

static _Atomic(int64_t) total;
static atomic_bool counts;

int64_t allocation_counter_total(void) {
    atomic_store_explicit(&counts, true, memory_order_relaxed);
    return atomic_load_explicit(&total, memory_order_relaxed);
}

static void count(void) {
    if (atomic_load_explicit(&counts, memory_order_relaxed))
        atomic_fetch_add_explicit(&total, 1, memory_order_relaxed);
}

// The GNU C library keeps its own functions under these names, for those who replace the others.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    count();
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    count();
    void *new = __libc_memalign(alignment, size);
    if (new == NULL) return ENOMEM;
    *block = new;
    return 0;
}

#else

int64_t allocation_counter_total(void) {
    return -1;
}

#endif
