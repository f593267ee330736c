// Machine code next to the source: which instructions a line became, which line an instruction is from.
import {useContext, useMemo, useRef, useState} from 'preact/hooks';
import type {MachineCode} from '../data.ts';
import {count, percent, plural} from '../format.ts';
import {percentOf} from '../shape.ts';
import {PageState} from '../state.ts';
import {Choice, Section} from '../ui/section.tsx';

const BELOW_HEAD = 48;  // pixels, where a chosen line's first instruction comes to

const keyOf = (file: string, line: number) => `${file}:${line}`;
const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

interface SourceLine {
  key: string;
  file: string;
  line: number;
  text: string;
  instructions: number;
  executed: number;
  cycles: WarpCycles;
}

type Instruction = MachineCode['instructions'][number];
/** Number of what warps did → cycles. */
type WarpCycles = Map<number, number>;

const sumOf = (cycles: WarpCycles) => [...cycles.values()].reduce((sum, value) => sum + value, 0);
const cyclesOf = (one: Instruction): WarpCycles => new Map(one[9]);

/** "76.3 %", and in a title what the cycles went to. */
function Cycles({cycles, whole, names}: {cycles: WarpCycles; whole: number; names: string[]}) {
  const sum = sumOf(cycles);
  if (!sum) return <td />;
  const each = [...cycles].sort((a, b) => b[1] - a[1]).map(([number, value]) => `${names[number]} ${percent(percentOf(value, sum))}`);
  return <td class="bar" title={`${count(sum)} cycles of warps: ${each.join(', ')}`} style={{'--share': `${(100 * sum / whole).toFixed(1)}%`}}>{percent(percentOf(sum, whole))}</td>;
}

/** The lines that have instructions, by file and number, with their text where the page has it. */
function linesOf(code: MachineCode, texts: Map<string, string>): SourceLine[] {
  const found = new Map<string, SourceLine>();
  for (const one of code.instructions) {
    const [, file, line, , , , , , counts, cycles] = one;
    if (!line) continue;
    const key = keyOf(file, line), known = found.get(key) ?? {key, file, line, text: texts.get(key) ?? '', instructions: 0, executed: 0, cycles: new Map<number, number>()};
    ++known.instructions;
    known.executed += counts[0] ?? 0;
    for (const [number, value] of cycles) known.cycles.set(number, (known.cycles.get(number) ?? 0) + value);
    found.set(key, known);
  }
  return [...found.values()].sort((a, b) => a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line);
}

export function MachineCodeView() {
  const {page} = useContext(PageState);
  const [kernel, setKernel] = useState(0);
  const [at, setAt] = useState<string | null>(null);
  const listing = useRef<HTMLDivElement>(null);
  const texts = useMemo(() => new Map(page.sources.flatMap((source) => source.pieces.flatMap(([first, text]) =>
    text.split('\n').map((line, step) => [keyOf(baseName(source.name), first + step), line] as [string, string])))), [page]);
  const code = page.machine_code[kernel];
  const lines = useMemo(() => code ? linesOf(code, texts) : [], [code, texts]);
  if (!code) return null;
  const wasExecuted = code.counters.length > 0;
  const whole = code.instructions.reduce((sum, one) => sum + sumOf(cyclesOf(one)), 0);
  const warpCycles = whole > 0 && <th scope="col" class="warp-cycles" title="cycles that warps were at it, of all cycles of warps; timed, an estimate">warp cycles</th>;
  const show = (key: string) => {
    setAt(key);
    const box = listing.current, row = box?.querySelector(`[data-line="${CSS.escape(key)}"]`);
    if (box && row) box.scrollTop += row.getBoundingClientRect().top - box.getBoundingClientRect().top - BELOW_HEAD;
  };
  const marked = (key: string) => key === at ? 'linked' : '';
  return <Section id="machine-code" title="Machine code" lead={<>{plural(code.instructions.length + code.left_out, 'instruction')} of {code.kernel}, sm_{code.architecture},
    {' '}{code.compiler || 'unknown compiler'}, {plural(code.registers, 'register')}. {wasExecuted && 'The launches executed these; counters have the names of Nsight Compute\'s source page. '}Point at a line to see what it became, or at an instruction to see where it is from.</>}>
    {page.machine_code.length > 1 && <div class="controls"><Choice label="Kernel" value={`${kernel}`} set={(value) => { setKernel(Number(value)); setAt(null); }}
      options={page.machine_code.map((one, number) => [`${number}`, one.kernel] as [string, string])} /></div>}
    {code.facts.length > 0 && <ul class="facts">{code.facts.map((fact) => <li>{fact}</li>)}</ul>}
    <div class={lines.length ? wasExecuted ? 'machine counted' : 'machine' : ''}>
      {lines.length > 0 && <div class="scroll" tabIndex={0} role="group" aria-label="Source lines">
        <table class="listing"><caption class="hidden">Source lines and how many instructions each became</caption>
          <thead><tr><th scope="col">line</th>{warpCycles}<th scope="col" class="text">source</th><th scope="col">instr.</th>
            {wasExecuted && <th scope="col" title="inst_executed of the line's instructions">executed</th>}</tr></thead>
          <tbody>{lines.map((one) => <tr class={marked(one.key)} onMouseEnter={() => setAt(one.key)}>
            <th scope="row"><button type="button" aria-label={`Instructions of ${one.key}`} onFocus={() => setAt(one.key)} onClick={() => show(one.key)}>{one.line}</button></th>
            {whole > 0 && <Cycles cycles={one.cycles} whole={whole} names={code.stalls} />}
            <td class="code"><code>{one.text || one.file}</code></td><td>{count(one.instructions)}</td>
            {wasExecuted && <td>{count(one.executed)}</td>}</tr>)}</tbody></table>
      </div>}
      <div class="scroll" tabIndex={0} role="group" aria-label="Instructions" ref={listing}>
        <table class="listing"><caption class="hidden">Instructions of {code.kernel}</caption>
          <thead><tr><th scope="col">address</th><th scope="col">line</th>{warpCycles}<th scope="col" class="text">instruction</th>
            {code.counters.map(([name, unit, meaning]) => <th scope="col" class="counter" title={`${unit}: ${meaning}`}>{name.replaceAll('_', '_\u200b')}</th>)}
            {!wasExecuted && <th scope="col" class="text">access</th>}
            <th scope="col" title="counters that have to be 0 before it issues">waits for</th>
            <th scope="col" title="counters that fall when its operands are read, or its results are there">sets</th>
            <th scope="col" title="until the next instruction of the warp may issue">cycles</th></tr></thead>
          <tbody>{code.instructions.map((one) => { const [address, file, line, text, access, waits, sets, stall, counts] = one; return (
            <tr class={`${marked(keyOf(file, line))} ${text.startsWith('@') ? 'predicated' : ''}`.trim()} data-line={keyOf(file, line)}
                onMouseEnter={line ? () => setAt(keyOf(file, line)) : undefined}>
              <th scope="row">{address.toString(16).padStart(4, '0')}</th><td>{line || '–'}</td>
              {whole > 0 && <Cycles cycles={cyclesOf(one)} whole={whole} names={code.stalls} />}<td class="code"><code>{text}</code></td>
              {counts.map((value) => <td>{value === null ? '' : count(value)}</td>)}
              {!wasExecuted && <td class="access-kind">{access}</td>}<td>{waits}</td><td>{sets}</td><td>{stall}</td></tr>); })}</tbody></table>
      </div>
    </div>
    {!lines.length && <p class="note">No source lines: rebuild with -lineinfo: the code stays the same.</p>}
    {code.left_out > 0 && <p class="note">{plural(code.left_out, 'instruction')} more are not in the page; warpscope disassemble shows all.</p>}
  </Section>;
}
