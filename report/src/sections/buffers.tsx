// Memory objects: what goes to each, how much of it misses, and which lines do it.
import {useContext} from 'preact/hooks';
import type {Buffer} from '../data.ts';
import {bytes, count, percent, ratio} from '../format.ts';
import {allLookedUp, allMissed, every, over, percentOf} from '../shape.ts';
import {PageState} from '../state.ts';
import {Section} from '../ui/section.tsx';
import {Table} from '../ui/table.tsx';

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
  </Section>;
}
