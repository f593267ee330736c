// Kernels, and under each the launches that are alike.
import {useContext, useState} from 'preact/hooks';
import type {Launch} from '../data.ts';
import {count, percent, plural, ratio, sizes} from '../format.ts';
import {KernelRow, allLookedUp, allMissed, cost, every, kernels, number, outside, over, percentOf} from '../shape.ts';
import {PageState} from '../state.ts';
import {Section} from '../ui/section.tsx';
import {Column, Table} from '../ui/table.tsx';

type Row = Pick<Launch, 'load' | 'store' | 'atomic' | 'outside' | 'local_memory' | 'cycles'>;

function columns<Of extends Row>(whole: number, misses: number, timed: boolean, conflicts: boolean): Column<Of>[] {
  const found: Column<Of>[] = [
    {title: 'Cost', definition: 'share of the cost', value: (row) => percentOf(cost(row), whole),
     show: (row) => percent(percentOf(cost(row), whole)), bar: (row) => over(cost(row), whole) ?? 0},
    {title: 'Requests', definition: 'requests', value: (row) => every(row, 'requests'), show: (row) => count(every(row, 'requests'))},
    {title: 'Transactions', definition: 'transactions', value: (row) => every(row, 'transactions'),
     show: (row) => count(every(row, 'transactions'))},
    {title: 'per request', definition: 'transactions per request', value: (row) => over(every(row, 'transactions'), every(row, 'requests')),
     show: (row) => ratio(over(every(row, 'transactions'), every(row, 'requests')))},
    {title: 'Hit rate', definition: 'hit rate', value: (row) => hits(row), show: (row) => percent(hits(row))},
    {title: 'Of all misses', definition: 'misses of all', value: (row) => percentOf(allMissed(row), misses),
     show: (row) => percent(percentOf(allMissed(row), misses))}];
  if (conflicts) {
    found.push({title: 'Bank conflicts', definition: 'bank conflicts', value: (row) => outside(row, 'local', 'conflicts'),
                show: (row) => count(outside(row, 'local', 'conflicts'))});
  }
  if (timed) found.push({title: 'Cycles', definition: 'cycles', value: (row) => row.cycles, show: (row) => count(row.cycles)});
  return found;
}

function hits(row: Row): number | null {
  const looked = allLookedUp(row);
  return looked ? 100 - (100 * allMissed(row)) / looked : null;
}

export function Launches() {
  const {page} = useContext(PageState);
  const all = kernels(page.launches.rows);
  const [kernel, setKernel] = useState(all[0]?.kernel ?? '');
  const whole = cost(page.total), misses = allMissed(page.total);
  const timed = page.launches.rows.some((row) => row.cycles !== null);
  const conflicts = outside(page.total, 'local', 'requests') > 0 && number(page.total.local_memory as never, 'passes') > 0;
  const one = all.find((row) => row.kernel === kernel) ?? all[0];
  if (!one) return null;
  return <Section id="launches" title="Kernels and launches" lead={<>{plural(page.launches.count, 'launch', 'launches')} of {plural(all.length, 'kernel')}.
    {page.launches.left_out > 0 && ` The ${count(page.launches.left_out)} lightest of ${count(page.launches.groups)} groups are not in the page; result.json has them.`}</>}>
    <Table label="Kernels" rows={all} keyOf={(row: KernelRow) => row.kernel} sortBy={timed ? 'Cycles' : 'Cost'} columns={[
      {title: 'Kernel', text: true, value: (row) => row.kernel, show: (row) => all.length > 1
        ? <button type="button" class="link" aria-pressed={row.kernel === one.kernel} onClick={() => setKernel(row.kernel)}>{row.kernel || 'text stream'}</button>
        : row.kernel || 'text stream'},
      {title: 'Launches', value: (row) => row.launches, show: (row) => count(row.launches)},
      ...columns<KernelRow>(whole, misses, timed, conflicts)]} rowClass={(row) => row.kernel === one.kernel && all.length > 1 ? 'chosen' : ''} />
    <h3 class="sub">Launches of {one.kernel || 'the stream'}</h3>
    <Table key={one.kernel} label={`Launches of ${one.kernel}`} rows={one.groups} keyOf={(row: Launch) => `${row.first}`} columns={[
      {title: 'Launch', definition: 'launch group', text: true, value: (row) => row.first,
       show: (row) => row.count > 1 ? `${row.launches} (${count(row.count)})` : `${row.first}`},
      {title: 'Work-items', text: true, value: (row) => row.global?.reduce((a, b) => a * b, 1) ?? 0, show: (row) => row.global ? sizes(row.global) : '–'},
      {title: 'Work-group', text: true, value: (row) => row.local?.reduce((a, b) => a * b, 1) ?? 0, show: (row) => row.local ? sizes(row.local) : '–'},
      {title: 'L1 KiB', definition: 'size of the L1', value: (row) => row.l1_kib},
      ...columns<Launch>(whole, misses, timed, conflicts)]} />
  </Section>;
}
