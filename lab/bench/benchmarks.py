"""The benchmarks, as each program of them and `make bench` run them."""
import os
import subprocess

import engine_figures
import iter_figures
import listlru_figures
import memcg_figures
import real_figures
import softlimit_figures
from bench import ROOT, Benchmark, fail
from picture import Picture


def drawn(name):
    picture = Picture(name)
    return {"before": picture.prepare, "after": picture.draw}


def benchmark(name, figures, **more):
    return Benchmark(name, figures.CASES, figures.setup, figures.Table,
                     **{"quick": getattr(figures, "QUICK", ()), **more})


def root_image(_):
    if subprocess.run([os.path.join(ROOT, "lab", "rootfs")]).returncode:
        fail("lab/rootfs failed: there is no image to run programs from")


ENGINE = benchmark("engine", engine_figures, clock="icount")
MEMCG = benchmark("memcg", memcg_figures, **drawn("memcg"))
ITER = benchmark("iter", iter_figures, **drawn("iter"))
SOFTLIMIT = benchmark("softlimit", softlimit_figures, before=softlimit_figures.rounds)
LISTLRU = benchmark("listlru", listlru_figures, kernels=("mglru", "ours"), **drawn("listlru"))
REAL = benchmark("real", real_figures, clock="icount", before=root_image)
# Those of `make bench`
ALL = (ENGINE, MEMCG, ITER, SOFTLIMIT, LISTLRU)
