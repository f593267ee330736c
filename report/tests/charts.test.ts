// The roofline's marks and the warps of a timeline. Expected values are by hand.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {roofOf, warpRows} from '../src/shape.ts';

const data = {ceilings: {flops: 1000, instructions: 100, L1: 500, DRAM: 10}, assumed: [],
              kernels: [{kernel: 'k', seconds: 2, flops: 400, fp64: null, integers: null, instructions: 40, bytes: {L1: 800, L2: 50, DRAM: 8}},
                        {kernel: 'copy', seconds: 1, flops: null, fp64: null, integers: null, instructions: 30, bytes: {L1: 60}}]};

test('a mark is at work per byte and work per second, for each memory whose bandwidth is known', () => {
  const roof = roofOf(data, 'flops')!;
  assert.deepEqual(roof.points.map((one) => [one.kernel, one.level, one.intensity, one.rate, one.labelled]),
                   [['k', 'L1', 0.5, 200, false], ['k', 'DRAM', 50, 200, true]]);
  assert.deepEqual(roof.slopes, [{level: 'L1', bandwidth: 500}, {level: 'DRAM', bandwidth: 10}]);
});

test('a kernel without floating-point operations has marks of its instructions', () => {
  assert.deepEqual(roofOf(data, 'instructions')!.points.map((one) => [one.kernel, one.rate]), [['k', 20], ['k', 20], ['copy', 30]]);
});

test('axes are decades around ridges and marks; without a peak or a mark there is no roofline', () => {
  const roof = roofOf(data, 'flops')!;  // ridges at 2 and 100, marks at 0.5 and 50
  assert.deepEqual(roof.x, [0.1, 1000]);
  assert.deepEqual(roof.y, [100, 4000]);
  assert.equal(roofOf({...data, ceilings: {L1: 500}}, 'flops'), null);
  assert.equal(roofOf({...data, kernels: []}, 'flops'), null);
});

test('rows of a timeline add up stretches and issues by warp', () => {
  const rows = warpRows({launch: 0, core: 0, cycles: 10, states: ['ready', 'memory'], look_ups: [],
                         stretches: [[1, 7, 0, 4, 0], [0, 7, 0, 2, 0], [1, 7, 4, 9, 1], [1, 8, 9, 10, 0]], issues: [[0, 1, 0], [4, 1, 1], [2, 0, 1]]});
  assert.deepEqual(rows, [{warp: 0, groups: [7], present: 2, states: [2, 0], issued: 1, memory: 1},
                          {warp: 1, groups: [7, 8], present: 10, states: [5, 5], issued: 2, memory: 1}]);
});
