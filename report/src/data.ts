// The page's data. Its types are those of python/warpscope/show/page (types.ts is generated from them).
export * from './types.ts';

export type Kind = 'load' | 'store' | 'atomic';
export type Numbers = Record<string, number>;
export const KINDS: Kind[] = ['load', 'store', 'atomic'];
export const CLASSES = ['cold', 'capacity', 'conflict', 'invalidated'] as const;

/** Numbers that Python packed: little-endian, in base64. */
export function unpack(text: string, bytes: 2 | 4): Uint16Array | Uint32Array {
  const raw = atob(text);
  const view = new DataView(new ArrayBuffer(raw.length));
  for (let at = 0; at < raw.length; ++at) view.setUint8(at, raw.charCodeAt(at));
  const count = raw.length / bytes;
  const numbers = bytes === 2 ? new Uint16Array(count) : new Uint32Array(count);
  for (let at = 0; at < count; ++at) numbers[at] = bytes === 2 ? view.getUint16(2 * at, true) : view.getUint32(4 * at, true);
  return numbers;
}
