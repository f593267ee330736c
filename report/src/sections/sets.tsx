// Set pressure: how evenly the look-ups and misses are spread over the sets.
import {useContext} from 'preact/hooks';
import {count, ratio} from '../format.ts';
import {PageState} from '../state.ts';
import {Chart, Look, axis} from '../ui/chart.tsx';
import {Numbers, Section} from '../ui/section.tsx';
import {Table} from '../ui/table.tsx';
import uPlot from 'uplot';

const MOST_SETS = 4096;

export function Sets() {
  const {page} = useContext(PageState);
  const sets = page.sets;
  if (!sets || sets.transactions.length < 2 || sets.transactions.length > MOST_SETS) return null;
  const whole = sets.transactions.reduce((sum, value) => sum + value, 0);
  if (!whole) return null;
  const most = Math.max(...sets.transactions), mean = whole / sets.transactions.length;
  const build = (look: Look) => ({
    data: [sets.transactions.map((_, at) => at), sets.transactions, sets.misses] as uPlot.AlignedData,
    options: {
      scales: {x: {time: false, range: [-0.6, sets.transactions.length - 0.4] as [number, number]}, y: {range: [0, most * 1.08] as [number, number]}},
      cursor: {drag: {x: false, y: false}},
      axes: [axis(look, 'Set', {incrs: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512], grid: {show: false}}), axis(look, 'Transactions', {size: 64})],
      series: [{}, {fill: look.series('hit'), stroke: look.series('hit'), width: 0, paths: uPlot.paths.bars!({size: [0.85, 48]}), points: {show: false}},
        {fill: look.series('mark'), stroke: look.series('mark'), width: 0, paths: uPlot.paths.bars!({size: [0.85, 48]}), points: {show: false}}]}});
  const said = `The fullest of ${sets.transactions.length} sets has ${ratio(most / mean)} times the look-ups of the mean.`;
  return <Section id="sets" title="Set pressure" lead={said}>
    <Chart label={said} build={build} deps={[page]} height={240}
           caption={<span class="legend inline"><span class="swatch is-hit" aria-hidden="true" />hits <span class="swatch is-miss" aria-hidden="true" />misses</span>} />
    <Numbers><Table label="Look-ups by set" rows={sets.transactions.map((value, set) => ({set, value, missed: sets.misses[set]}))}
      keyOf={(row) => `${row.set}`} columns={[{title: 'Set', value: (row) => row.set}, {title: 'Look-ups', value: (row) => row.value, show: (row) => count(row.value)},
        {title: 'Misses', value: (row) => row.missed, show: (row) => count(row.missed)}]} /></Numbers>
  </Section>;
}
