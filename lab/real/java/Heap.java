// SPDX-License-Identifier: GPL-2.0
/*
 * Heap LIVE_MIB SECONDS: keep LIVE_MIB of objects, replace some of them all the time,
 * so that the collector runs, and touches the whole heap, again and again.
 *
 * Prints rounds (a thousand objects replaced each) and the longest of them.
 */
public final class Heap {
	private static final int BYTES = 1000;

	public static void main(String[] args) {
		byte[][] live = new byte[Integer.parseInt(args[0]) * 1024][];
		long end = System.nanoTime() + Long.parseLong(args[1]) * 1_000_000_000L;
		long random = 1, longest = 0, rounds = 0;

		for (int i = 0; i < live.length; i++)
			live[i] = new byte[BYTES];
		while (System.nanoTime() < end) {
			long began = System.nanoTime();

			for (int i = 0; i < 1000; i++) {
				random = random * 6364136223846793005L + 1442695040888963407L;
				live[(int) ((random >>> 33) % live.length)] = new byte[BYTES];
			}
			rounds++;
			longest = Math.max(longest, System.nanoTime() - began);
		}
		System.out.println("rounds " + rounds);
		System.out.println("longest_ms " + longest / 1_000_000);
	}
}
