/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#define NSEC	1000000000LL

/* Of a clock that only goes on; a signal ends the sleep. */
long long now_ns(void);
void sleep_until(long long ns);

#endif /* COMMON_CLOCK_H */
