// What is chosen on the page, by everybody: the source line that charts mark, and the colours' theme.
import {createContext} from 'preact';
import type {Access, Line} from './shape.ts';
import type {Page} from './data.ts';

export interface Chosen {
  source: number;
  line: number;
}

export interface State {
  page: Page;
  accesses: Access[];
  lines: Line[];
  chosen: Chosen | null;
  /** Chooses a line; `show` also goes there. */
  choose: (line: Chosen | null, show?: boolean) => void;
}

export const PageState = createContext<State>(null as unknown as State);

export const same = (a: Chosen | null, b: Chosen | null) => a?.source === b?.source && a?.line === b?.line;

/** Unit of the L1's look-up: "sector" or "line". */
export function unitOf(page: Page): string {
  const {line_bytes, sector_bytes} = page.context.cache;
  return Number(sector_bytes) < Number(line_bytes) ? 'sector' : 'line';
}
