// Expected values are by hand.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {flowText, memoryChart} from '../src/memory.ts';

const timed = {load_requests: 10, load_bytes: 4096, l1_load_looked_up: 128, l1_load_hits: 32, private_load_requests: 2, private_load_bytes: 1024,
               store_requests: 4, store_bytes: 512, l1_store_looked_up: 16, l1_store_hits: 0, private_store_requests: 0, private_store_bytes: 0,
               shared_load_requests: 7, shared_store_requests: 0, shared_wavefronts: 9, shared_conflicts: 2, warp_instructions: 100,
               l2_to_l1_bytes: 3072, l1_to_l2_bytes: 512, l2_load_hits: 32, l2_load_looked_up: 96, l2_store_hits: 8, l2_store_looked_up: 16,
               dram_read_bytes: 2048, dram_write_bytes: 0, dram_gb_per_s: 50};

const texts = (numbers: Record<string, number>, area: string) => memoryChart(numbers, null).links.find((one) => one.area === area)?.flows.map(flowText);

test('private memory is taken out of what goes to the L1', () => {
  assert.deepEqual(texts(timed, 'global'), ['8 loads, 3 KiB', '4 stores, 512 B']);
  assert.deepEqual(texts(timed, 'private'), ['2 loads, 1 KiB', '0 stores, 0 B']);
});

test('where no profiler tells it apart there is one arrow for both', () => {
  const {private_load_requests, private_load_bytes, private_store_requests, private_store_bytes, ...both} = timed;
  assert.deepEqual(texts(both, 'global'), ['10 loads, 4 KiB', '4 stores, 512 B']);
  assert.equal(memoryChart(both, null).links[0].title, 'global and private memory');
  assert.equal(texts(both, 'private'), undefined);
});

test('arrows have a direction: what is read goes towards the warps', () => {
  for (const one of memoryChart(timed, null).links.flatMap((link) => link.flows)) assert.equal(one.back, ['loads', 'read'].includes(one.what), flowText(one));
});

test('hit rates are hits of what was looked up, and the DRAM has its share of the bandwidth', () => {
  const places = Object.fromEntries(memoryChart(timed, 200).places.map((one) => [one.area, one]));
  assert.deepEqual(places.l1.rates, [['loads', 128, 32], ['stores', 16, 0]]);
  assert.deepEqual(places.l2.rates, [['loads', 96, 32], ['stores', 16, 8]]);
  assert.deepEqual(places.dram.lines, ['50 GB/s', '25.0 % of 200 GB/s']);
  assert.deepEqual(places.shared.lines, ['9 wavefronts', '2 conflicts']);
  assert.equal(places.constant, undefined);
});

test('fixed order has no L2', () => {
  const chart = memoryChart({load_requests: 1, load_bytes: 128, l1_load_looked_up: 4, l1_load_hits: 0, l2_to_l1_bytes: 128}, 200);
  assert.deepEqual(chart.links.find((one) => one.area === 'l1-l2')!.flows.map(flowText), ['128 B read']);
  assert.equal(chart.places.find((one) => one.area === 'dram'), undefined);
  assert.deepEqual(chart.places.find((one) => one.area === 'l2')!.lines, ['not simulated in fixed order']);
});

test('constants have their own box, with one load in the singular', () => {
  assert.deepEqual(texts({...timed, constant_load_requests: 1, constant_wavefronts: 3}, 'constant-link'), ['1 load']);
});
