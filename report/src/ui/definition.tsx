// What a number means, one click away: a button next to a heading, and the dialog that it opens.
import {createContext} from 'preact';
import type {ComponentChildren} from 'preact';
import {useContext, useEffect, useRef} from 'preact/hooks';
import {codeParts} from '../format.ts';

export interface Meaning {
  name: string;
  unit: string;
  text: string;
  vendors: [string, string][];
}

export const Definitions = createContext<{find: (name: string) => Meaning | null; open: (name: string) => void}>(
  {find: () => null, open: () => undefined});

/** What follows from counters; docs/reference/counters.md, "Rates". */
export const RATES: Record<string, [string, string]> = {
  'hit rate': ['%', '(`hits` + `hits_pending`) / (`transactions` − `bypasses`).'],
  'miss rate': ['%', '(`misses` + `sector_misses`) / (`transactions` − `bypasses`).'],
  'transactions per request': ['transactions', '`transactions` / `requests`. A transaction is what the L1 looks up: a sector where its lines have sectors (Maxwell and later), else a line. Few are good: lanes that read neighbouring bytes share them.'],
  'used bytes': ['%', 'Bytes that the lanes asked for / `bytes` that the transactions move. Below 100 %: what was moved and not used. Above 100 %: lanes read the same bytes, a broadcast.'],
  'bank conflict degree': ['ratio', '`local_memory.beta`: `wavefronts` / `passes` of local memory. 1 = no conflict; 32 = every lane waits for every other.'],
  'wavefronts': ['wavefronts', 'Cycles that requests occupy the L1: of each the larger of tag and data stage. Of local memory: cycles of its banks.'],
  'bank conflicts': ['wavefronts', 'Cycles of the banks of local memory beyond one per pass.'],
  'theoretical occupancy': ['%', 'Warps that a core holds at once / `max_warps_per_core`.'],
  'share of the cost': ['%', 'Wavefronts of this line in the L1 and in local memory / all wavefronts. Where wavefronts are not counted: transactions.'],
  'reuse distance': ['distinct lines', 'Lines that the core touched since it last touched this line. A fully associative LRU cache of more lines hits.'],
  'misses of all': ['%', 'Share of all misses of the L1, loads and stores and atomics together.'],
  'stall reasons': ['scheduler cycles', 'Cycles of all schedulers: `issued`, or the first reason that applies, in this order: queue of the load-store unit full, unit busy, waiting for short instructions, for data, at a barrier, no warp.'],
  'warp stalls': ['cycles of warps', 'Every cycle of a resident warp is in one of these, under the names of Nsight Compute: `selected` (it issued), `not_selected` (it could, another warp did), `wait` (a fixed number of cycles after its last instruction), `long_scoreboard` (data of global, private or texture memory), `short_scoreboard` (data of local memory, constants, special functions, shuffles), `barrier`, `math_pipe_throttle` (its unit is busy), `mio_throttle` and `lg_throttle` (the queue in front of the L1 is full: of local memory, of global and private memory), `branch_resolve`, `no_instruction`, `imc_miss`, `dispatch_stall`, `drain` (it has ended, its stores have not). Only machine code has them.'],
  'warp cycles per issued instruction': ['cycles', '`resident_warp_cycles` / `warp_instructions`: how long a warp takes from one instruction to its next, on average. Nsight Compute: Warp Cycles Per Issued Instruction (`smsp__average_warp_latency_per_inst_issued.ratio`).'],
  'access': ['', 'A memory access of the source. The compiler may make several instructions of it, where it unrolls a loop: copies.'],
  'buffer': ['', 'Memory object; named after the argument of the kernel that it is passed as.'],
  'cycles': ['cycles', 'Of the core clock, launches one after the other; an estimate of the timed engine.'],
  'load latency': ['cycles', 'From the issue of a load to its data, mean of all loads that got their data (`load_latency_cycles_mean`).'],
  'DRAM bandwidth': ['GB/s', '`dram_read_bytes` + `dram_write_bytes`, over the cycles at the core clock of the GPU.'],
  'achieved occupancy': ['%', '`resident_warp_cycles` / (`active_cycles` · `max_warps_per_core`), from the timed engine.'],
  'memory chart': ['bytes', 'Of the L1: `requests`, and `bytes` of their transactions; private memory (spills, arrays without a register) as the profiler names it. Between L1, L2 and DRAM: `l2_to_core_bytes`, `core_to_l2_bytes`, `dram_read_bytes`, `dram_write_bytes` of the timed engine, in sectors of 32 bytes. Hit rates: hits and pending hits / look-ups. Bytes decide how thick an arrow is. Textures and surfaces count as global memory. What misses the constant caches is not simulated.'],
  'roofline': ['per second', 'Work per second against work per byte: Williams, Waterman and Patterson, 2009. Seconds are `cycles` of the timed engine at the core clock. Operations are those of the instruction mix, all lanes of a warp counted; a fused multiply-add is two. Bytes of the L1 are `bytes` of its transactions, of the L2 what cores and L2 exchange, of the DRAM what it reads and writes. With warp instructions: Ding and Williams, 2019.'],
  'warp states': ['cycles', 'Each warp is in one state: ready (its next instruction waits for its turn, or for a unit that is busy), waiting for the result of a short instruction, for the data of a load, or at a barrier. An instruction takes the cycle in which it issues.'],
  'reuse by source': ['requests × sectors', 'Of the accesses of a request to a sector of 32 bytes: who accessed that sector last, in the order of the warps.'],
  'size of the L1': ['KiB', 'What a core of this GPU has, less what local memory takes of a memory that they share.'],
  'launch group': ['launches', 'Launches of one kernel, with the same sizes and the same value of every counter.'],
};

export function meaningOf(definitions: Record<string, [string, string, string, string]>, name: string): Meaning | null {
  if (RATES[name]) return {name, unit: RATES[name][0], text: RATES[name][1], vendors: []};
  const found = definitions[name] ?? definitions[`timing.${name}`] ?? definitions[`timing.memory.${name}`];
  if (!found) return null;
  const [unit, text, fermi, volta] = found;
  const vendors = ([['Fermi: CUPTI, nvprof', fermi], ['Volta and later: Nsight Compute', volta]] as [string, string][])
    .filter(([, names]) => names);
  return {name, unit, text, vendors};
}

export function Marked({text}: {text: string}) {
  return <>{codeParts(text).map(([part, code]) => code ? <code>{part}</code> : part)}</>;
}

/** The "?" next to a name. Renders nothing where there is no definition. */
export function DefinitionButton({of}: {of?: string}) {
  const {find, open} = useContext(Definitions);
  if (!of || !find(of)) return null;
  return <button type="button" class="what" aria-label={`What is ${of}?`} aria-haspopup="dialog" onClick={() => open(of)}>?</button>;
}

export function Defined({of, children}: {of: string; children?: ComponentChildren}) {
  return <span class="defined">{children ?? of}<DefinitionButton of={of} /></span>;
}

export function MeaningText({meaning}: {meaning: Meaning}) {
  return <>
    <p><Marked text={meaning.text} /></p>
    <dl class="pairs">
      {meaning.unit && <><dt>Unit</dt><dd><Marked text={meaning.unit} /></dd></>}
      {meaning.vendors.map(([who, names]) => <><dt>{who}</dt><dd><Marked text={names} /></dd></>)}
    </dl>
  </>;
}

export function DefinitionDialog({name, close}: {name: string | null; close: () => void}) {
  const {find} = useContext(Definitions);
  const dialog = useRef<HTMLDialogElement>(null);
  const meaning = name === null ? null : find(name);
  useEffect(() => {
    const element = dialog.current;
    if (meaning && element && !element.open) element.showModal();
  }, [meaning]);
  return <dialog ref={dialog} class="definition" aria-labelledby="definition-name" onClose={close}
                 onClick={(event) => event.target === dialog.current && dialog.current?.close()}>
    {meaning && <div>
      <h2 id="definition-name">{meaning.name}</h2>
      <MeaningText meaning={meaning} />
      <form method="dialog"><button type="submit">Close</button></form>
    </div>}
  </dialog>;
}
