import assert from 'node:assert/strict';
import {test} from 'node:test';
import {bytes, codeParts, count, percent, ratio, short, sizes, timesEach} from '../src/format.ts';

test('counts have groups of three, whatever the language', () => {
  assert.deepEqual([0, 999, 1000, 33554432].map(count), ['0', '999', '1,000', '33,554,432']);
  assert.equal(count(null), '–');
});

test('what has no denominator is a dash', () => {
  assert.deepEqual([percent(null), ratio(undefined), percent(Number.NaN)], ['–', '–', '–']);
  assert.deepEqual([percent(12.345), ratio(1.5), ratio(12345.6)], ['12.3 %', '1.50', '12,346']);
});

test('short numbers and bytes', () => {
  assert.deepEqual([999, 1000, 12345, 2.5e6, 3e9, 67e12].map(short), ['999', '1 k', '12.3 k', '2.5 M', '3 G', '67 T']);
  assert.deepEqual([12, 1024, 262144, 1536 << 20].map(bytes), ['12 B', '1 KiB', '256 KiB', '1.5 GiB']);
});

test('sizes without dimensions of one, but for the first', () => {
  assert.deepEqual([sizes([256, 256, 1]), sizes([1, 1, 1]), sizes([8, 1, 2])], ['256×256', '1', '8×1×2']);
});

test('code in a definition', () => {
  assert.deepEqual(codeParts('`hits` / all'), [['hits', true], [' / all', false]]);
});

test('copies of a text are counted', () => {
  assert.deepEqual(timesEach(['b', 'a', 'b', 'b']), ['b (×3)', 'a']);
});
