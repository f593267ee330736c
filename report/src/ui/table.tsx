// A table that sorts by a click or a key, shows its first rows, and the rest where asked for.
import type {ComponentChildren} from 'preact';
import {useMemo, useState} from 'preact/hooks';
import {count} from '../format.ts';
import {sorted} from '../shape.ts';
import {DefinitionButton} from './definition.tsx';

export interface Column<Row> {
  title: string;
  definition?: string;
  /** What sorting compares; null where the row has none. */
  value: (row: Row) => number | string | null;
  show?: (row: Row) => ComponentChildren;
  text?: boolean;           // left-aligned
  bar?: (row: Row) => number;  // 0 to 1: drawn behind the number
}

interface Props<Row> {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
  sortBy?: string;
  ascending?: boolean;
  first?: number;
  rowClass?: (row: Row) => string;
  note?: string;
}

const STEP = 100;

export function Table<Row>({label, columns, rows, keyOf, sortBy, ascending, first = 12, rowClass, note}: Props<Row>) {
  const [sort, setSort] = useState<{title: string; descending: boolean} | null>(
    sortBy ? {title: sortBy, descending: !ascending} : null);
  const [shown, setShown] = useState(first);
  const column = columns.find((one) => one.title === sort?.title);
  const ordered = useMemo(() => column && sort ? sorted(rows, column.value, sort.descending) : rows, [rows, sort, columns.length]);
  const visible = ordered.slice(0, shown);
  const toggle = (one: Column<Row>) => setSort((old) => ({
    title: one.title, descending: old?.title === one.title ? !old.descending : !one.text}));
  return <div class="table-box">
    <div class="scroll" tabIndex={0} role="group" aria-label={label}>
      <table>
        <caption class="hidden">{label}</caption>
        <thead><tr>{columns.map((one) => {
          const active = sort?.title === one.title;
          return <th scope="col" class={one.text ? 'text' : ''}
                     aria-sort={active ? (sort!.descending ? 'descending' : 'ascending') : undefined}>
            <span class="head"><button type="button" class="sort" onClick={() => toggle(one)}>
              {one.title}<span class="arrow" aria-hidden="true">{active ? (sort!.descending ? '▼' : '▲') : ''}</span>
            </button><DefinitionButton of={one.definition} /></span>
          </th>;
        })}</tr></thead>
        <tbody>{visible.map((row) => <tr key={keyOf(row)} class={rowClass?.(row)}>
          {columns.map((one, index) => {
            const content = one.show ? one.show(row) : one.value(row) ?? '–';
            const style = one.bar ? {'--share': `${Math.min(100, 100 * one.bar(row)).toFixed(1)}%`} : undefined;
            const kind = `${one.text ? 'text' : ''} ${one.bar ? 'bar' : ''}`.trim();
            return index === 0 ? <th scope="row" class={kind} style={style}>{content}</th> : <td class={kind} style={style}>{content}</td>;
          })}
        </tr>)}</tbody>
      </table>
    </div>
    {ordered.length > shown && <p class="more">
      {count(shown)} of {count(ordered.length)} rows. <button type="button" onClick={() => setShown(shown + STEP)}>Show more</button>
    </p>}
    {note && <p class="note">{note}</p>}
  </div>;
}
