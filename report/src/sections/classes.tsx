// Why accesses miss: the classes of every source access that misses, stacked.
import {useContext} from 'preact/hooks';
import {CLASSES} from '../data.ts';
import {count, percent} from '../format.ts';
import {Access, classShares, number, over} from '../shape.ts';
import {PageState} from '../state.ts';
import {Defined} from '../ui/definition.tsx';
import {Legend, Section, StackedBar} from '../ui/section.tsx';
import {Table} from '../ui/table.tsx';

const classified = (row: {classes?: Record<string, number>}) => CLASSES.reduce((sum, name) => sum + number(row.classes, name), 0);

export function Classes() {
  const {page, accesses, choose, chosen} = useContext(PageState);
  if (!page.total.classes && !page.total.classified) return null;
  const rows = accesses.filter((access) => classified(access) > 0);
  const whole = classShares(page.total), all = classified(page.total);
  if (!all) return null;
  return <Section id="classes" title="Miss classes" lead={<>Why {count(all)} transactions miss. A fully associative LRU cache of the same
    size decides: what it misses too, and what is not the first use, is a <em>capacity</em> miss.</>}>
    <StackedBar label="All misses" parts={whole.map((part) => ({...part, text: percent(part.percent)}))} />
    <Legend parts={whole.map((part) => ({name: part.name, text: <>{count(part.count)}, {percent(part.percent)}: <Defined of={part.name}>{page.classes[part.name]}</Defined></>}))} />
    {rows.length > 0 && <Table label="Misses by source access" rows={rows} keyOf={(row: Access) => row.key} sortBy="Misses"
      rowClass={(row) => chosen && row.source === chosen.source && row.line === chosen.line ? 'chosen' : ''} columns={[
        {title: 'Access', definition: 'access', text: true, value: (row) => row.line,
         show: (row) => row.source === null ? row.key : <button type="button" class="link" onClick={() => choose({source: row.source!, line: row.line}, true)}>
           {row.kind} {row.names.join(', ') || row.space}, line {row.line}</button>},
        {title: 'Misses', definition: 'misses', value: classified, show: (row) => count(classified(row)), bar: (row) => over(classified(row), all) ?? 0},
        {title: 'Why', text: true, value: (row) => number(row.classes, 'cold') / classified(row),
         show: (row) => <StackedBar label={`line ${row.line}`} parts={classShares(row).map((part) => ({...part, text: percent(part.percent)}))} />},
        ...CLASSES.filter((name) => number(page.total.classes, name)).map((name) => ({
          title: name, definition: name, value: (row: Access) => number(row.classes, name), show: (row: Access) => count(number(row.classes, name))}))]} />}
  </Section>;
}
