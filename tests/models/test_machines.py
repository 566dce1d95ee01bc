"""Fits decide the same under the BLAS kernels of other processors, without wide vectors, and with any threads."""

import os
import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from corpus.canonical import digest_of
from tests.flows.command import ROOT
from tests.models.fit_sample import decided
from tests.tiers import in_turn

OLD = {
    "NPY_DISABLE_CPU_FEATURES": "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR AVX2 FMA3",
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F",
}
"""numpy and the C library as on a processor without AVX2 and without fused multiplication."""
KERNELS = {"SkylakeX": ("avx512f", {}), "Haswell": ("avx2", {}), "Prescott": ("sse3", OLD)}


def decide(kernel: str, threads: int, extra: dict[str, str]) -> str:
    """A digest of what fits decide in a process with these kernels and threads, and the kernels that it had."""
    env = os.environ | extra | {"OPENBLAS_CORETYPE": kernel, "OPENBLAS_NUM_THREADS": str(threads)}
    command = [sys.executable, "-W", "ignore", "-m", "tests.models.fit_sample"]
    result = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, encoding="utf-8", check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the kernels are those of x86 processors")
def test_the_same_is_decided_under_three_kernels_and_one_and_two_threads() -> None:
    flags = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    able = [(kernel, extra) for kernel, (flag, extra) in KERNELS.items() if flag in flags or kernel == "Prescott"]
    jobs = [(kernel, threads, extra) for (kernel, extra), threads in zip(able, (1, 2, 1), strict=False)]
    jobs.append((able[0][0], 3 - jobs[0][1], able[0][1]))
    jobs = in_turn(jobs, 2)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda job: decide(*job), jobs))
    names, digests = zip(*(line.split() for line in found), strict=True)
    assert len(set(names)) == len({kernel for kernel, _, _ in jobs})  # the kernels really were others
    assert set(digests) == {digest_of(decided())}
