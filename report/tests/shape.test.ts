// Expected values are by hand.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import type {Page, Reuse, Site} from '../src/data.ts';
import {unpack} from '../src/data.ts';
import {accesses, allMissed, classShares, coarse, cost, drawing, efficiency, every, heat, hitRate, kernels, lines, missCurve, outside,
        sorted, sum} from '../src/shape.ts';

const site = (number: number, line: number, more: Partial<Site> = {}): Site => ({
  kernel: 'k', site: number, function: 'k', kind: 'load', space: 'global', width: 4, source: 0, places: [['k.cl', line, 7]],
  bypasses: false, reaches_l1: true, buffers: [[1, 'A', 4, 2]],
  load: {requests: 1, lanes: 32, transactions: 4, hits: 2, misses: 1, sector_misses: 1, bytes: 128, wavefronts: 1},
  classes: {cold: 1, capacity: 1}, ...more});

const page = (sites: Site[]): Pick<Page, 'sites' | 'sources'> => ({
  sites, sources: [{name: 'k.cl', lines: 9, whole: true, pieces: [[1, 'text']]}]});

test('counters that are absent are zero, and hits and misses add up to what was looked up', () => {
  assert.equal(every({}, 'requests'), 0);
  assert.equal(hitRate(undefined), null);
  assert.equal(hitRate({transactions: 10, bypasses: 2, hits: 3, hits_pending: 1, misses: 3, sector_misses: 1}), 50);
  assert.equal(allMissed({load: {misses: 2, sector_misses: 3}, store: {misses: 5}}), 10);
});

test('unrolled copies of a source access are one access, other columns and kinds are not', () => {
  const found = accesses(page([site(0, 3), site(1, 3), site(2, 3, {places: [['k.cl', 3, 9]]}), site(3, 3, {kind: 'store', load: undefined, store: {requests: 5}})]));
  assert.deepEqual(found.map((one) => [one.kind, one.column, one.copies]), [['load', 7, 2], ['store', 7, 1], ['load', 9, 1]]);
  assert.equal(every(found[0], 'transactions'), 8);
  assert.deepEqual(found[0].classes, {cold: 2, capacity: 2});
});

test('lines hold what their accesses hold, and nothing is lost', () => {
  const all = accesses(page([site(0, 3), site(1, 3), site(2, 5)]));
  const found = lines(all);
  assert.deepEqual(found.map((line) => [line.line, every(line.counts, 'requests')]), [[3, 2], [5, 1]]);
  assert.equal(found.reduce((all, line) => all + every(line.counts, 'transactions'), 0), 12);
});

test('an access merged from two files is listed where its own file has it', () => {
  const found = accesses(page([site(0, 3, {places: [['other.h', 99, 1], ['k.cl', 4, 2]]})]));
  assert.deepEqual([found[0].line, found[0].column], [4, 2]);
});

test('used bytes: 32 lanes of 4 bytes over 128 bytes moved are all used, over 1024 an eighth', () => {
  assert.equal(efficiency(accesses(page([site(0, 1)]))), 100);
  assert.equal(efficiency(accesses(page([site(0, 1, {load: {requests: 1, lanes: 32, bytes: 1024}})]))), 12.5);
  assert.equal(efficiency([]), null);
});

test('the cost is wavefronts of the L1 and of local memory, without them transactions', () => {
  const local = {outside: {local: {load: {requests: 1, wavefronts: 32}}}};
  assert.equal(cost({load: {wavefronts: 3, transactions: 9}, ...local}), 35);
  assert.equal(cost({load: {transactions: 9}, outside: {local: {load: {requests: 2}}}}), 11);
  assert.equal(outside(local, 'local', 'wavefronts'), 32);
});

test('a sum has every counter of its parts', () => {
  const total = sum([{load: {hits: 1}, evictions: 2}, {load: {hits: 4, misses: 1}, store: {hits: 7}, classes: {cold: 1}}]);
  assert.deepEqual(total.load, {hits: 5, misses: 1});
  assert.deepEqual([total.store?.hits, total.evictions, total.classes?.cold], [7, 2, 1]);
});

test('a kernel has the counters of its launches where the page has all of them', () => {
  const group = (kernel: string, count: number) => ({kernel, global: [1], local: [1], count, first: 0, launches: '0', l1_kib: 16, carveout_kib: null,
    cycles: null, load: {requests: 10 * count}});
  const found = kernels({kernels: [['a', 5, 50, 50, 5, [0, 20], 12], ['b', 3, 9, 9, 9, null, null]],
                         launches: {count: 8, groups: 4, left_out: 1, rows: [group('a', 2), group('b', 1), group('a', 3)]}});
  assert.deepEqual(found.map((one) => [one.kernel, one.launches, one.covered, every(one, 'requests'), one.groups.length, one.cycles]),
                   [['a', 5, true, 50, 2, 12], ['b', 3, false, 0, 1, null]]);
});

test('shares of the miss classes leave out what is none of them', () => {
  assert.deepEqual(classShares({classes: {conflict: 1, cold: 3, anti_conflict: 8}}),
                   [{name: 'cold', count: 3, percent: 75}, {name: 'conflict', count: 1, percent: 25}]);
});

const reuse: Reuse = {capacity: 4, cold: [2, 0], bins: [[0, 0, 4, 0], [1, 1, 2, 0], [2, 2, 0, 0], [3, 3, 0, 1], [4, 4, 1, 0], [5, 7, 0, 0]]};

test('the miss curve starts with all but distance 0 and ends with first uses', () => {
  assert.deepEqual(missCurve(reuse), [[1, 60], [2, 40], [3, 40], [4, 30], [5, 20], [8, 20]]);
});

test('coarse bins are powers of two, with an edge at the capacity', () => {
  assert.deepEqual(coarse(reuse), [[0, 0, 4, 0], [1, 1, 2, 0], [2, 3, 0, 1], [4, 7, 1, 0]]);
  assert.deepEqual(coarse({...reuse, capacity: 5}).slice(-2), [[4, 4, 1, 0], [5, 7, 0, 0]]);
});

test('32 lanes on neighbouring words touch 4 sectors of one line, a stride of 128 bytes touches 32 of 32', () => {
  const near = drawing({kernel: 'k', site: 0, space: 'global', of: 1, addresses: Array.from({length: 32}, (_, lane) => 4096 + 4 * lane)}, 4, 32, 128);
  assert.deepEqual([near.sectors.length, near.lines], [4, 1]);
  const far = drawing({kernel: 'k', site: 0, space: 'global', of: 1, addresses: Array.from({length: 32}, (_, lane) => 128 * lane)}, 4, 32, 128);
  assert.deepEqual([far.sectors.length, far.lines], [32, 32]);
});

test('an access over the end of a sector touches both', () => {
  assert.deepEqual(drawing({kernel: 'k', site: 0, space: 'global', of: 1, addresses: [28]}, 8, 32, 128).sectors, [0, 1]);
});

test('bank conflicts: a column of 32×32 words is 32 words in one bank, of 32×33 one in each; a broadcast is one word', () => {
  const column = (pitch: number) => drawing({kernel: 'k', site: 0, space: 'local', of: 1, addresses: Array.from({length: 32}, (_, lane) => 4 * pitch * lane)}, 4, 32, 128).degree;
  assert.deepEqual([column(32), column(33), column(16), column(0)], [32, 1, 16, 1]);
});

test('sorting keeps the order of equal rows, and puts what is missing last both ways', () => {
  const rows = [{n: 'a', v: 1}, {n: 'b', v: null}, {n: 'c', v: 2}, {n: 'd', v: 1}];
  const names = (descending: boolean) => sorted(rows, (row) => row.v, descending).map((row) => row.n).join('');
  assert.equal(names(false), 'adcb');
  assert.equal(names(true), 'cadb');
});

test('heat has no step without cost and the last for the largest', () => {
  assert.deepEqual([heat(0, 9), heat(1, 600), heat(300, 600), heat(600, 600)], [0, 1, 3, 6]);
});

test('packed numbers are little-endian', () => {
  assert.deepEqual([...unpack(Buffer.from([1, 0, 0, 0, 0, 2, 0, 128]).toString('base64'), 4)], [1, 0x80000200]);
  assert.deepEqual([...unpack(Buffer.from([1, 0, 0, 2]).toString('base64'), 2)], [1, 512]);
});
