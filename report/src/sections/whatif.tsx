// What-ifs that were run so far: what changed, and what it did to the main counts.
import {useContext} from 'preact/hooks';
import type {WhatIf} from '../data.ts';
import {count, percent, ratio} from '../format.ts';
import {PageState} from '../state.ts';
import {Section} from '../ui/section.tsx';
import {Table} from '../ui/table.tsx';

const MEASURES: [string, string][] = [['transactions', 'transactions'], ['l1_misses', 'L1 misses'], ['local_wavefronts', 'local wavefronts'], ['l1_to_l2_read_sectors', 'sectors from L2']];

function change(row: WhatIf, name: string) {
  const before = row.fixed.before[name], after = row.fixed.after[name];
  if (before === null || after === null || before === undefined || after === undefined) return '–';
  return before === after ? count(before) : <>{count(before)} → <strong>{count(after)}</strong></>;
}

export function WhatIfs() {
  const rows = useContext(PageState).page.what_ifs;
  if (!rows.length) return null;
  const speed = (row: WhatIf) => row.timed?.ratio.cycles ? 1 / row.timed.ratio.cycles : null;
  return <Section id="what-if" title="What-ifs" lead="Changed layouts and machines that were simulated from the same capture: what the advice gained, and what warpscope what-if tried. Counts are exact; cycles are with unchanged instructions.">
    <Table label="What-ifs" rows={rows} keyOf={(row) => [row.advice, ...row.changes, ...row.machine, row.gpu].join(' ')} sortBy="Speed" columns={[
      {title: 'Change', text: true, value: (row) => [...row.changes, ...row.machine].join(' '), show: (row) => <div class="change"><code>{[...row.changes, ...row.machine].join(' ')}</code>
        {row.advice && <><br /><span>{row.advice}</span></>}
        {row.done.map((line) => <><br /><span class="muted">{line}</span></>)}</div>},
      {title: 'GPU', text: true, value: (row) => row.gpu},
      {title: 'Speed', value: speed, show: (row) => speed(row) === null ? '–' : <strong>{`${ratio(speed(row))} ×`}</strong>},
      {title: 'L1 hit rate', value: (row) => row.fixed.after.l1_hit_rate, show: (row) => `${percent(100 * (row.fixed.before.l1_hit_rate ?? NaN))} → ${percent(100 * (row.fixed.after.l1_hit_rate ?? NaN))}`},
      ...MEASURES.filter(([name]) => rows.some((row) => row.fixed.before[name])).map(([name, title]) => ({title, value: (row: WhatIf) => row.fixed.after[name] ?? null, show: (row: WhatIf) => change(row, name)}))]} />
  </Section>;
}
