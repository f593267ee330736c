// Memory objects: what goes to each, how much of it misses, and which lines do it.
import {useContext, useState} from 'preact/hooks';
import type {Buffer, BufferPicture} from '../data.ts';
import {bytes, count, percent, plural, ratio, timesEach} from '../format.ts';
import {allLookedUp, allMissed, every, over, percentOf, placeOf} from '../shape.ts';
import {PageState} from '../state.ts';
import {Defined} from '../ui/definition.tsx';
import {Choice, Legend, Section, StackedBar} from '../ui/section.tsx';
import {Table} from '../ui/table.tsx';

const BY: Record<string, string> = {'first use': 'cold', 'same warp': 'hit', 'another warp of the work-group': 'load', 'another work-group': 'store'};

/** How often each part of a buffer is accessed, as a strip whose shades are text, too. */
function Strip({of, counts, what}: {of: BufferPicture; counts: number[]; what: string}) {
  const most = Math.max(...counts);
  if (!most) return null;
  const used = counts.filter(Boolean), least = Math.min(...used);
  const said = `${what}: ${used.length === counts.length ? 'every part' : `${used.length} of ${counts.length} parts`}, ${least === most ? count(most) : `${count(least)} to ${count(most)}`} accesses each`;
  return <figure class="strip">
    <figcaption>{said}</figcaption>
    <div class="parts" role="img" aria-label={said}>{counts.map((value, at) => <span style={{background: value ? `rgba(var(--heat), ${(0.18 + 0.82 * value / most).toFixed(2)})` : undefined}}
      title={`${bytes(at * of.part_bytes)} to ${bytes(Math.min((at + 1) * of.part_bytes, of.size))}: ${plural(value, 'access', 'accesses')}`} />)}</div>
  </figure>;
}

function Picture({of, lineOf}: {of: BufferPicture; lineOf: (site: number) => string}) {
  const whole = Object.values(of.by).reduce((sum, value) => sum + value, 0);
  const parts = Object.entries(of.by).filter(([, value]) => value).map(([name, value]) => ({name: BY[name], said: name, percent: percentOf(value, whole) ?? 0, text: percent(percentOf(value, whole))}));
  return <div class="picture" role="group" aria-label={`Buffer ${of.name}`}>
    <h4>{of.name || '(not known)'} <span class="muted">{bytes(of.size)}, a cell is {bytes(of.part_bytes)}; {bytes(of.touched)} touched</span></h4>
    <Strip of={of} counts={of.loads} what="Loads" />
    <Strip of={of} counts={of.stores} what="Stores" />
    <ul class="plain">{timesEach(of.patterns.map(([site, kind, text]) => `${kind}${lineOf(site)}: ${text}`)).map((text) => <li>{text}</li>)}</ul>
    <p class="by"><Defined of="reuse by source">Used before by</Defined></p>
    <StackedBar label={`Used before by: ${parts.map((part) => part.said).join(', ')}`} parts={parts} />
    <Legend parts={parts.map((part) => ({name: part.name, text: <>{part.text}</>, said: part.said}))} />
  </div>;
}

/** What the sample of the heaviest kernel says about its buffers. */
function Pictures() {
  const {page} = useContext(PageState);
  const [chosen, setChosen] = useState('0');
  const sample = page.samples[Number(chosen)];
  if (!sample?.buffers?.length) return null;
  const lineOf = (number: number) => {
    const site = page.sites.find((one) => one.site === number && one.kernel === sample.kernel);
    const place = site && placeOf(site, page);
    return place ? `, line ${place[0]}` : '';
  };
  return <><h3 class="sub">Which parts, in which pattern, and who used them before</h3>
    <p class="lead">Launch {sample.launch} of {sample.kernel}: {sample.note}. Stronger cells are accessed more often.
      {sample.near && ` Who used it before: ${sample.near}.`}</p>
    {page.samples.length > 1 && <div class="controls"><Choice label="Kernel" value={chosen} set={setChosen} options={page.samples.map((one, index) => [`${index}`, one.kernel] as [string, string])} /></div>}
    <div class="pictures">{sample.buffers.map((one) => <Picture of={one} lineOf={lineOf} />)}</div></>;
}

export function Buffers() {
  const {page, lines, choose} = useContext(PageState);
  const misses = allMissed(page.total), transactions = every(page.total, 'transactions');
  const rows = page.buffers.filter((row) => every(row, 'transactions') > 0);
  if (!rows.length) return null;
  const users = new Map<number, {source: number; line: number}[]>();
  for (const line of lines) {
    for (const id of new Set(line.accesses.flatMap((access) => access.sites.flatMap((site) => site.buffers.map((buffer) => buffer[0]))))) {
      users.set(id, [...(users.get(id) ?? []), {source: line.source, line: line.line}]);
    }
  }
  return <Section id="buffers" title="Buffers" lead="What goes through the L1 or bypasses it, by memory object.">
    <Table label="Buffers" rows={rows} keyOf={(row: Buffer) => `${row.buffer}`} sortBy="Transactions" columns={[
      {title: 'Buffer', definition: 'buffer', text: true, value: (row) => row.name, show: (row) => row.name || '(not known)'},
      {title: 'Space', text: true, value: (row) => row.space},
      {title: 'Size', value: (row) => row.size, show: (row) => bytes(row.size)},
      {title: 'Transactions', definition: 'transactions', value: (row) => every(row, 'transactions'), show: (row) => count(every(row, 'transactions')),
       bar: (row) => over(every(row, 'transactions'), transactions) ?? 0},
      {title: 'per request', definition: 'transactions per request', value: (row) => over(every(row, 'transactions'), every(row, 'requests')),
       show: (row) => ratio(over(every(row, 'transactions'), every(row, 'requests')))},
      {title: 'Misses', definition: 'misses', value: (row) => allMissed(row), show: (row) => count(allMissed(row))},
      {title: 'Miss rate', definition: 'miss rate', value: (row) => percentOf(allMissed(row), allLookedUp(row)),
       show: (row) => percent(percentOf(allMissed(row), allLookedUp(row)))},
      {title: 'Of all misses', definition: 'misses of all', value: (row) => percentOf(allMissed(row), misses),
       show: (row) => percent(percentOf(allMissed(row), misses)), bar: (row) => over(allMissed(row), misses) ?? 0},
      {title: 'Lines', text: true, value: (row) => users.get(row.buffer)?.[0]?.line ?? null,
       show: (row) => <span class="lines">{(users.get(row.buffer) ?? []).slice(0, 8).map((place) =>
         <button type="button" class="link" aria-label={`Source line ${place.line}`} onClick={() => choose(place, true)}>{place.line}</button>)}</span>}]}
      note={page.buffers_left_out ? `${count(page.buffers_left_out)} lighter buffers are not in the page; result.json has them.` : undefined} />
    <Pictures />
  </Section>;
}
