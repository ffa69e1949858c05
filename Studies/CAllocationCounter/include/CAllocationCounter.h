#ifndef C_ALLOCATION_COUNTER_H
#define C_ALLOCATION_COUNTER_H

#include <stdint.h>

/// The blocks of memory that this process has asked for since the first call, by whatever thread; -1 where they aren't
/// counted. Before the first call nothing is counted, so that work whose speed alone is measured isn't slowed.
///
/// With the GNU C library a program that links this brings its own `malloc` and its kin, which every library then
/// calls; they count and pass on. Swift can't define functions of these names. Elsewhere nothing is counted.
int64_t allocation_counter_total(void);

#endif
