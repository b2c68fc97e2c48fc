// F26: Each project has a share of units of work per second. The gateway subtracts the work of the project's direct spans from this share,
// as long as enough units are left. A unit of work must take about the same time for any span. The test compares ratios within one run,
// because machines differ in speed.
import { expect, test } from 'vitest'
import { dearShapes } from './dear-shapes.ts'
import { measureShape } from './measured-shape.ts'

const bytes = 240_000
const allowed = 8

test('no shape takes much longer per unit than others', () => {
  const measured = Object.keys(dearShapes).map(name => measureShape(name, bytes, 5))
  const median = measured.map(({ perUnit }) => perUnit).sort((a, b) => a - b)[measured.length >> 1]!
  expect(measured.filter(({ perUnit }) => perUnit > allowed * median)).toEqual([])
}, 300_000)
