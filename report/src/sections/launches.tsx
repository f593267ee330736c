// Kernels, and under each the identical launches.
import {useContext, useState} from 'preact/hooks';
import type {Counts, Launch} from '../data.ts';
import {count, percent, plural, ratio, sizes} from '../format.ts';
import {KernelRow, allLookedUp, allMissed, cost, every, kernels, outside, over, percentOf} from '../shape.ts';
import {PageState} from '../state.ts';
import {Section} from '../ui/section.tsx';
import {Column, Table} from '../ui/table.tsx';

/** What tables of kernels and of launches have in common, and where a row keeps it; null where it is not known. */
interface Read<Row> {
  counts: (row: Row) => Counts | null;
  transactions: (row: Row) => number;
  lookedUp: (row: Row) => number;
  misses: (row: Row) => number;
  cycles: (row: Row) => number | null;
}

interface Wholes {
  cost: number;
  misses: number;
  timed: boolean;
  conflicts: boolean;
}

function columns<Row>(read: Read<Row>, whole: Wholes): Column<Row>[] {
  const of = (row: Row, value: (counts: Counts) => number | null) => {
    const counts = read.counts(row);
    return counts && value(counts);
  };
  const share = (row: Row) => of(row, (counts) => percentOf(cost(counts), whole.cost));
  const perRequest = (row: Row) => of(row, (counts) => over(read.transactions(row), every(counts, 'requests')));
  const missRate = (row: Row) => percentOf(read.misses(row), read.lookedUp(row));
  const hitRate = (row: Row) => missRate(row) === null ? null : 100 - missRate(row)!;
  const ofAll = (row: Row) => percentOf(read.misses(row), whole.misses);
  const found: Column<Row>[] = [
    {title: 'Cost', definition: 'share of the cost', value: share, show: (row) => percent(share(row)), bar: (row) => (share(row) ?? 0) / 100},
    {title: 'Requests', definition: 'requests', value: (row) => of(row, (counts) => every(counts, 'requests')),
     show: (row) => count(of(row, (counts) => every(counts, 'requests')))},
    {title: 'Transactions', definition: 'transactions', value: read.transactions, show: (row) => count(read.transactions(row))},
    {title: 'per request', definition: 'transactions per request', value: perRequest, show: (row) => ratio(perRequest(row))},
    {title: 'Hit rate', definition: 'hit rate', value: hitRate, show: (row) => percent(hitRate(row))},
    {title: 'Of all misses', definition: 'misses of all', value: ofAll, show: (row) => percent(ofAll(row))}];
  if (whole.conflicts) {
    const conflicts = (row: Row) => of(row, (counts) => outside(counts, 'local', 'conflicts'));
    found.push({title: 'Bank conflicts', definition: 'bank conflicts', value: conflicts, show: (row) => count(conflicts(row))});
  }
  if (whole.timed) found.push({title: 'Cycles', definition: 'cycles', value: read.cycles, show: (row) => count(read.cycles(row))});
  return found;
}

const OF_KERNEL: Read<KernelRow> = {counts: (row) => row.covered ? row : null, transactions: (row) => row.transactions,
                                    lookedUp: (row) => row.lookedUp, misses: (row) => row.misses, cycles: (row) => row.cycles};
const OF_LAUNCH: Read<Launch> = {counts: (row) => row, transactions: (row) => every(row, 'transactions'), lookedUp: allLookedUp,
                                 misses: allMissed, cycles: (row) => row.cycles};

function spread(row: KernelRow): string {
  if (!row.spread) return '–';
  const [least, most] = [100 - row.spread[1], 100 - row.spread[0]].map((rate) => rate.toFixed(1));
  return least === most ? `${least} %` : `${least} to ${most} %`;
}
const work = (values: number[] | undefined) => values?.reduce((all, size) => all * size, 1) ?? 0;

export function Launches() {
  const {page} = useContext(PageState);
  const all = kernels(page);
  const [kernel, setKernel] = useState(() => [...all].sort((a, b) => b.transactions - a.transactions)[0]?.kernel ?? '');
  const one = all.find((row) => row.kernel === kernel) ?? all[0];
  if (!one) return null;
  const whole = {cost: cost(page.total), misses: allMissed(page.total), timed: all.some((row) => row.cycles !== null),
                 conflicts: (page.total.local_memory?.passes ?? 0) > 0};
  const shown = page.launches.rows.reduce((sum, row) => sum + row.count, 0);
  const several = all.length > 1, many = page.launches.count > all.length;
  return <Section id="launches" title="Kernels and launches" lead={<>{plural(page.launches.count, 'launch', 'launches')} of {plural(all.length, 'kernel')}.
    {shown < page.launches.count && ` The page has the ${count(shown)} that weigh most; result.json has all.`}</>}>
    <Table label="Kernels" rows={all} keyOf={(row) => row.kernel} sortBy={whole.timed ? 'Cycles' : 'Transactions'} columns={[
      {title: 'Kernel', text: true, value: (row) => row.kernel, show: (row) => several
        ? <button type="button" class="link" aria-pressed={row.kernel === one.kernel} onClick={() => setKernel(row.kernel)}>{row.kernel || 'text stream'}</button>
        : row.kernel || 'text stream'},
      {title: 'Launches', value: (row) => row.launches, show: (row) => count(row.launches)},
      ...columns(OF_KERNEL, whole),
      ...(many ? [{title: 'Hit rate of a launch', definition: 'hit rate', value: (row: KernelRow) => row.spread ? row.spread[1] - row.spread[0] : null, show: spread}] : [])]}
      rowClass={(row) => row.kernel === one.kernel && several ? 'chosen' : ''} />
    <h3 class="sub">Launches of {one.kernel || 'the stream'}</h3>
    {one.groups.length === 0 && <p class="muted">None of them is in the page.</p>}
    {one.groups.length > 0 && <Table key={one.kernel} label={`Launches of ${one.kernel}`} rows={one.groups} keyOf={(row) => `${row.first}`} columns={[
      {title: 'Launch', definition: 'launch group', text: true, value: (row) => row.first,
       show: (row) => row.count > 1 ? `${row.launches} (${count(row.count)})` : `${row.first}`},
      {title: 'Work-items', text: true, value: (row) => work(row.global), show: (row) => row.global ? sizes(row.global) : '–'},
      {title: 'Work-group', text: true, value: (row) => work(row.local), show: (row) => row.local ? sizes(row.local) : '–'},
      {title: 'L1 KiB', definition: 'size of the L1', value: (row) => row.l1_kib},
      ...columns(OF_LAUNCH, {...whole, timed: one.groups.some((row) => row.cycles !== null && row.cycles !== undefined)})]} />}
  </Section>;
}
