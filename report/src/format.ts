// Numbers and sizes as text. The same everywhere, whatever language the browser has.

export function count(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  return Math.round(value).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

export function percent(value: number | null | undefined, digits = 1): string {
  return value === null || value === undefined || !Number.isFinite(value) ? '–' : `${value.toFixed(digits)} %`;
}

export function ratio(value: number | null | undefined, digits = 2): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  return value >= 1000 ? count(value) : value.toFixed(digits);
}

/** 3.4 T, 1.2 M, 34 k, 567. */
export function short(value: number): string {
  for (const [limit, unit] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']] as [number, string][]) {
    if (Math.abs(value) >= limit) return `${+(value / limit).toPrecision(3)} ${unit}`;
  }
  return `${+value.toPrecision(3)}`;
}

export function bytes(value: number): string {
  for (const [limit, unit] of [[1 << 30, 'GiB'], [1 << 20, 'MiB'], [1 << 10, 'KiB']] as [number, string][]) {
    if (value >= limit) return `${+(value / limit).toPrecision(3)} ${unit}`;
  }
  return `${value} B`;
}

/** 256×256 of [256, 256, 1]. */
export function sizes(values: number[]): string {
  const shown = [...values];
  while (shown.length > 1 && shown[shown.length - 1] === 1) shown.pop();
  return shown.join('×');
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** Parts of `code` in a definition's text, as [text, is code]. */
export function codeParts(text: string): [string, boolean][] {
  return text.split('`').map((part, index) => [part, index % 2 === 1] as [string, boolean]).filter(([part]) => part !== '');
}

/** Each text once, in order of the first; one that was there n times ends with (×n). */
export function timesEach(texts: string[]): string[] {
  const times = new Map<string, number>();
  for (const text of texts) times.set(text, (times.get(text) ?? 0) + 1);
  return [...times].map(([text, number]) => number > 1 ? `${text} (×${number})` : text);
}
