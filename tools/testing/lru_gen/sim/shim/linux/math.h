/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIM_SHIM_MATH_H
#define SIM_SHIM_MATH_H

/* A macro in the kernel. */
static inline unsigned long DIV_ROUND_UP(unsigned long x, unsigned long by)
{
	return x / by + !!(x % by);
}

/* The root, rounded down. */
static inline unsigned long int_sqrt(unsigned long x)
{
	unsigned long root = 0, bit;

	for (bit = 1ul << (sizeof(x) * 4 - 1); bit; bit >>= 1)
		if ((root | bit) <= x / (root | bit))
			root |= bit;
	return root;
}

#endif
