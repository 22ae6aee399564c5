# drifts.awk [-v top=/CGROUP]: of the counters of the system, of its nodes, of memory
# cgroups and of generations, as `grep -H` shows them, all those that must be the same:
# lines of NAME and differences in pages (of sizes) or events. Generations are compared
# with -v on=1; sizes that differ by more than -v slack=PAGES are named on standard error.
BEGIN {
	cg = "/sys/fs/cgroup"
	node = "/sys/devices/system/node/node"
	split("inactive_anon active_anon inactive_file active_file unevictable", lrus)
}

{
	path = substr($0, 1, index($0, ":") - 1)
	n = split(substr($0, length(path) + 2), w, /[ =]+/)
	# generations begin with blanks, hence with an empty word
	if (path ~ /lru_gen$/)
		generation()
	else
		for (i = n == 2 ? 2 : 3; i <= n; i += 2)
			v[path, w[1], n == 2 ? "" : w[i - 1]] = w[i]
}

function generation()
{
	if (w[1] == "memcg") {
		who = w[3] == "/" ? "" : w[3]
	} else if (w[2] == "node") {
		nid = "N" w[3]
	} else if (n >= 5 && w[2] ~ /^[0-9]+$/) {
		gen[who, nid, "anon"] += w[4]
		gen[who, nid, "file"] += w[5]
		gen["all", nid, "anon"] += w[4]
		gen["all", nid, "file"] += w[5]
	}
}

function vm(key) { return v["/proc/vmstat", key, ""] }

function of_node(n, key) { return v[node n "/vmstat", "nr_" key, ""] }

function stat(dir, key) { return v[cg dir "/memory.stat", key, ""] + 0 }

function drift(d, where)
{
	printf " %d", d
	if (slack && (d > slack || d < -slack))
		printf "%s: %d pages\n", where, d | "cat >&2"
}

# both the active and the inactive ones
function pages(dir, type, n)
{
	n = "N" n
	return (v[cg dir "/memory.numa_stat", "active_" type, n] + \
		v[cg dir "/memory.numa_stat", "inactive_" type, n]) / 4096
}

function sizes(	i, n)
{
	printf "vmstat_memory_stat"
	for (i = 1; i <= 5; i++)
		drift(vm("nr_" lrus[i]) - stat("", lrus[i]) / 4096, "/proc/vmstat less memory.stat, " lrus[i])
	printf "\nnodes_memcgs"
	for (i = 1; i <= 5; i++)
		for (n = 0; n < 2; n++)
			drift(of_node(n, lrus[i]) - v[cg "/memory.numa_stat", lrus[i], "N" n] / 4096,
			      "node " n " less memory.numa_stat, " lrus[i])
	print ""
}

function generations(	n, t, d)
{
	printf "nodes_generations"
	for (n = 0; n < 2; n++)
		for (t in types)
			drift(of_node(n, "active_" t) + of_node(n, "inactive_" t) - gen["all", "N" n, t],
			      "node " n " less lru_gen, " t)
	printf "\nmemcgs_generations"
	for (d in leaf)
		for (n = 0; n < 2; n++)
			for (t in types)
				drift(pages(d, t, n) - gen[d, "N" n, t],
				      d " on node " n " less lru_gen, " t)
	print ""
}

# What is global is counted alike; who is limited counts for its memcg, and its type.
function events(	i, key)
{
	printf "pgscan_pgsteal %d %d %d %d\n", \
		vm("pgscan_anon") + vm("pgscan_file") - stat("", "pgscan"), \
		vm("pgsteal_anon") + vm("pgsteal_file") - stat("", "pgsteal"), \
		vm("pgscan_kswapd") - stat("", "pgscan_kswapd"), \
		vm("pgsteal_kswapd") - stat("", "pgsteal_kswapd")
	printf "workingset"
	n = split("refault_anon refault_file activate_anon activate_file restore_anon restore_file", key)
	for (i = 1; i <= n; i++)
		printf " %d", vm("workingset_" key[i]) - stat("", "workingset_" key[i])
	print ""
}

# A parent has what its children have, and what those had that are gone: how often not
function hierarchy(	i, n, key, p, d, sum, less)
{
	n = split("inactive_anon active_anon inactive_file active_file unevictable pgscan " \
		  "pgsteal workingset_refault_anon workingset_refault_file", key)
	for (i = 1; i <= n; i++)
		for (p = 0; (cg top "/p" p "/memory.stat", "pgscan", "") in v; p++) {
			sum = 0
			for (d in leaf)
				if (index(d, top "/p" p "/") == 1)
					sum += stat(d, key[i])
			less += stat(top "/p" p, key[i]) < sum
			compared++
		}
	printf "parents_less %d\n", compared ? less : 1
}

END {
	types["anon"]; types["file"]
	for (k in v) {
		split(k, w, SUBSEP)
		if (w[1] ~ /\/l[0-9]+\/memory.numa_stat$/)
			leaf[substr(w[1], length(cg) + 1, length(w[1]) - length(cg "/memory.numa_stat"))]
	}
	sizes()
	if (on)
		generations()
	events()
	hierarchy()
}
