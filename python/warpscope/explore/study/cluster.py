"""Job files for engines that many machines have: thin layers over `warpscope study worker`, which skips what is done."""
from __future__ import annotations

import shlex
from typing import Callable

SLURM = """#!/bin/bash
# {shards} workers of a study as a job array: sbatch FILE. A worker that is killed is started again and goes on; so is a job whose node is
# lost, and a job array that is submitted again. When all are done:
#   {merge}
#SBATCH --job-name=warpscope-study
#SBATCH --array=1-{shards}
#SBATCH --cpus-per-task=1
#SBATCH --requeue
#SBATCH --open-mode=append

for attempt in $(seq 100); do
  {worker} --shard "$SLURM_ARRAY_TASK_ID/{shards}" --jobs "$SLURM_CPUS_PER_TASK" && exit 0
  status=$?
  [ "$status" = 2 ] && exit 2 # bad input: the next attempt would say the same
  echo "attempt $attempt ended with status $status" >&2
  [ "$status" -ge 128 ] || sleep 10 # a disk may be full; a worker that was killed goes on at once
done
exit "$status"
"""

SNAKEMAKE = """# A study as a workflow: snakemake --snakefile FILE --cores N. A worker that is killed is started again and goes on.
STUDY, OUT, FOLDER = {study!r}, {out!r}, {folder!r}
SHARDS = {shards}

rule merge:
    input: expand(OUT + "/done/{{shard}}", shard=range(1, SHARDS + 1))
    output: FOLDER + "/study.sqlite"
    shell: "warpscope study merge {{STUDY:q}} {{OUT:q}} -o {{FOLDER:q}}"

rule worker:
    output: touch(OUT + "/done/{{shard}}")
    threads: 1
    retries: 100
    shell: "warpscope study worker {{STUDY:q}} --shard {{wildcards.shard}}/{{SHARDS}} --out {{OUT:q}} --jobs {{threads}}"
"""


def slurm(study: str, out: str, folder: str, shards: int) -> str:
    """A job array."""
    return SLURM.format(shards=shards, worker=shlex.join(["warpscope", "study", "worker", study, "--out", out]),
                        merge=shlex.join(["warpscope", "study", "merge", study, out, "-o", folder]))


def snakemake(study: str, out: str, folder: str, shards: int) -> str:
    """A Snakefile."""
    return SNAKEMAKE.format(study=study, out=out, folder=folder, shards=shards)


TEMPLATES: dict[str, Callable[[str, str, str, int], str]] = {"slurm": slurm, "snakemake": snakemake}
