// The source with its numbers: heat by cost, and what a line does when it is pointed at, focused or chosen.
import type {JSX} from 'preact';
import {useContext, useEffect, useMemo, useRef, useState} from 'preact/hooks';
import {count, percent, plural, ratio} from '../format.ts';
import {Access, Line, allHits, allLookedUp, allMissed, classShares, cost, efficiency, every, heat, outside, over, percentOf} from '../shape.ts';
import {PageState, same, unitOf} from '../state.ts';
import {DefinitionButton} from '../ui/definition.tsx';
import {RequestPicture} from '../ui/request.tsx';
import {Choice, Legend, Section, StackedBar} from '../ui/section.tsx';

const AROUND = 2;
const SHOWN = 8;  // accesses of a line in its details

const byCost = (all: Access[]) => [...all].sort((a, b) => cost(b) - cost(a));

interface Head {
  title: string;
  definition: string;
  cell: (line: Line) => string;
}

function heads(whole: number, unit: string, conflicts: boolean): Head[] {
  const found: Head[] = [
    {title: 'cost', definition: 'share of the cost', cell: (line) => percent(percentOf(cost(line.counts), whole))},
    {title: 'requests', definition: 'requests', cell: (line) => count(every(line.counts, 'requests') || outside(line.counts, 'local', 'requests'))},
    {title: `${unit}s / req.`, definition: 'transactions per request',
     cell: (line) => ratio(over(every(line.counts, 'transactions'), every(line.counts, 'requests')))},
    {title: 'used', definition: 'used bytes', cell: (line) => percent(efficiency(line.accesses), 0)},
    {title: 'hit rate', definition: 'hit rate', cell: (line) => percent(percentOf(allHits(line.counts), allLookedUp(line.counts)))}];
  if (conflicts) found.push({title: 'conflicts', definition: 'bank conflicts', cell: (line) => line.counts.outside?.local ? count(outside(line.counts, 'local', 'conflicts')) : '–'});
  return found;
}

function AccessDetail({access, several}: {access: Access; several: boolean}) {
  const {page} = useContext(PageState);
  const site = access.sites.find((one) => page.samples.some((sample) => sample.requests.some(
    (request) => request.kernel === one.kernel && request.site === one.site)));
  const request = site && page.samples.flatMap((sample) => sample.requests).find((one) => one.kernel === site.kernel && one.site === site.site);
  const {line_bytes, sector_bytes} = page.context.cache;
  const classes = classShares(access), local = access.outside?.local;
  const rows: [string, string, string][] = every(access, 'requests') ? [
    ['requests', 'requests', count(every(access, 'requests'))],
    ['transactions', 'transactions', `${count(every(access, 'transactions'))} (${ratio(over(every(access, 'transactions'), every(access, 'requests')))} per request)`],
    ['used bytes', 'used bytes', percent(efficiency([access]), 0)],
    ['hits', 'hits', `${count(allHits(access))} (${percent(percentOf(allHits(access), allLookedUp(access)))})`],
    ['misses', 'misses', `${count(allMissed(access))} (${percent(percentOf(allMissed(access), allMissed(page.total)))} of all)`]] : [];
  if (local) {
    rows.push(['requests of local memory', 'requests', count(outside(access, 'local', 'requests'))],
              ['wavefronts', 'wavefronts', count(outside(access, 'local', 'wavefronts'))],
              ['bank conflicts', 'bank conflicts', count(outside(access, 'local', 'conflicts'))]);
  }
  return <div class="access">
    <h4>{access.kind} {access.names.join(', ') || access.space} <span class="muted">{several && `kernel ${access.kernel}, `}{access.space}, {plural(access.width, 'byte')}, column {access.column}
      {access.copies > 1 && `, ${access.copies} copies made by the compiler`}{access.sites[0].bypasses && ', bypasses the L1'}</span></h4>
    {rows.length === 0 ? <p class="muted">Not executed, or served by neither the L1 nor local memory.</p>
      : <dl class="pairs compact">{rows.map(([name, definition, value]) => <><dt>{name}<DefinitionButton of={definition} /></dt><dd>{value}</dd></>)}</dl>}
    {classes.length > 0 && <><StackedBar label="Miss classes" parts={classes.map((part) => ({...part, text: percent(part.percent)}))} />
      <Legend parts={classes.map((part) => ({name: part.name, text: percent(part.percent)}))} /></>}
    {request && <RequestPicture request={request} width={site!.width} sectorBytes={Number(sector_bytes)} lineBytes={Number(line_bytes)} warp={page.context.warp_size} />}
  </div>;
}

function Detail({line, pinned, unpin}: {line: Line | undefined; pinned: boolean; unpin: () => void}) {
  const {page} = useContext(PageState);
  const samples = page.samples.length > 0, several = page.kernels.length > 1;
  return <aside class="detail" aria-label="The chosen line" aria-live="polite">
    {line ? <><h3>Line {line.line}{pinned && <button type="button" class="small" onClick={unpin}>Release</button>}</h3>
      {byCost(line.accesses).slice(0, SHOWN).map((access) => <AccessDetail access={access} several={several} />)}
      {line.accesses.length > SHOWN && <p class="muted">And {count(line.accesses.length - SHOWN)} more that cost less.</p>}
      {!samples && <p class="muted">A drawing of a request needs the capture: this page was made from a result alone.</p>}</>
      : <p class="muted">Point at a line with numbers, or choose its number: here is what it does.</p>}
  </aside>;
}

function visible(all: [number, string][], found: Map<number, Line>, whole: boolean): ([number, string] | null)[] {
  if (whole) return all;
  const near = new Set<number>();
  for (const line of found.keys()) for (let step = -AROUND; step <= AROUND; ++step) near.add(line + step);
  const rows: ([number, string] | null)[] = [];
  let last = 0;
  for (const row of all.filter(([line]) => near.has(line))) {
    if (row[0] !== last + 1) rows.push(null);
    rows.push(row);
    last = row[0];
  }
  return rows;
}

interface RowProps {
  row: [number, string];
  line: Line | undefined;
  columns: Head[];
  steps: number;
  pinned: boolean;
  active: boolean;
  pointer: {current: boolean};
  point: (line: number) => void;
  pin: (line: number) => void;
}

/** Whether the pointer moved in its last event. Scrolling moves lines under a pointer that rests: that is not pointing at one. */
function usePointer(): {current: boolean} {
  const moved = useRef(false);
  useEffect(() => {
    let last = '';
    const follow = (event: MouseEvent) => {
      const here = `${event.screenX},${event.screenY}`;
      moved.current = here !== last;
      last = here;
    };
    addEventListener('mousemove', follow, true);
    return () => removeEventListener('mousemove', follow, true);
  }, []);
  return moved;
}

function Row({row: [number, text], line, columns, steps, pinned, active, pointer, point, pin}: RowProps): JSX.Element {
  const share = line ? columns[0].cell(line) : '';
  return <tr id={`line-${line?.source ?? 'x'}-${number}`} class={`${line ? `hot heat-${steps}` : ''} ${pinned ? 'chosen' : ''} ${active ? 'active' : ''}`.trim()}
             onMouseMove={line ? () => { if (pointer.current) point(number); } : undefined}>
    <th scope="row">{line ? <button type="button" aria-pressed={pinned} aria-label={`Line ${number}, ${share} of the cost`}
                                    onFocus={() => point(number)} onClick={() => pin(number)}>{number}</button> : number}</th>
    <td class="code"><code>{text}</code></td>
    {columns.map((column) => <td>{line ? column.cell(line) : ''}</td>)}
  </tr>;
}

export function SourceView() {
  const {page, lines, chosen, choose} = useContext(PageState);
  const used = useMemo(() => [...new Set(lines.map((line) => line.source))].sort((a, b) => {
    const of = (source: number) => lines.filter((line) => line.source === source).reduce((sum, line) => sum + cost(line.counts), 0);
    return of(b) - of(a) || a - b;
  }), [lines]);
  const [source, setSource] = useState(used[0] ?? 0);
  const [pointed, setPointed] = useState<number | null>(null);
  const pointer = usePointer();
  const file = page.sources[source];
  const all = useMemo(() => (file?.pieces ?? []).flatMap(([first, text]) =>
    text.split('\n').map((line, at) => [first + at, line] as [number, string])), [file]);
  const [whole, setWhole] = useState(all.length <= 120);
  useEffect(() => { if (chosen && chosen.source !== source) setSource(chosen.source); }, [chosen]);
  if (!file || !used.length) return null;
  const found = new Map(lines.filter((line) => line.source === source).map((line) => [line.line, line]));
  const largest = Math.max(...[...found.values()].map((line) => cost(line.counts)));
  const conflicts = lines.some((line) => line.counts.outside?.local);
  const columns = heads(cost(page.total), unitOf(page), conflicts);
  const pinned = chosen?.source === source ? chosen.line : null;
  const heaviest = [...found.values()].sort((a, b) => cost(b.counts) - cost(a.counts))[0];
  const shown = pinned ?? pointed ?? heaviest?.line;
  const pin = (line: number) => choose(same(chosen, {source, line}) ? null : {source, line});
  return <Section id="source" title="Annotated source" lead="Shading is the share of the cost. Point at a line for its details; choose its number to keep them and to mark it in the charts.">
    <div class="controls">
      {used.length > 1 && <Choice label="File" value={`${source}`} set={(value) => { setSource(Number(value)); setPointed(null); }}
        options={used.map((one) => [`${one}`, page.sources[one].name] as [string, string])} />}
      <label class="choice"><input type="checkbox" checked={whole} onChange={(event) => setWhole(event.currentTarget.checked)} />
        <span>{file.whole ? 'Whole file' : 'All lines that the page has'}</span></label>
    </div>
    <div class="source">
      <div class="scroll" tabIndex={0} role="group" aria-label={`Source ${file.name}`}>
        <table class="listing"><caption class="hidden">{file.name} with its counters by line</caption>
          <thead><tr><th scope="col">line</th><th scope="col" class="text">{file.name}</th>
            {columns.map((column) => <th scope="col"><span class="head">{column.title}<DefinitionButton of={column.definition} /></span></th>)}</tr></thead>
          <tbody>{visible(all, found, whole).map((row) => row === null ? <tr class="gap"><td colSpan={columns.length + 2}>⋯</td></tr>
            : <Row row={row} line={found.get(row[0])} columns={columns} steps={heat(found.has(row[0]) ? cost(found.get(row[0])!.counts) : 0, largest)}
                   pinned={pinned === row[0]} active={shown === row[0]} point={setPointed} pin={pin} pointer={pointer} />)}</tbody></table>
      </div>
      <Detail line={shown === undefined || shown === null ? undefined : found.get(shown)} pinned={pinned !== null} unpin={() => choose(null)} />
    </div>
    {page.sites_left_out > 0 && <p class="note">{count(page.sites_left_out)} memory instructions of little weight are not in the page; result.json has them.</p>}
  </Section>;
}
