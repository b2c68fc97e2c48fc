// Pictures are of what was answered: whatever the values, lines stay in their panel, and scales can be read.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawDashboard, panelsOf } from './draw-dashboard.ts'
import { inUnit } from './draw-panel.ts'

const value = fc.oneof(fc.double({ min: 0, max: 1e100, noNaN: true }), fc.constant(Number.NaN), fc.nat(1_000_000))
const range = { from: 1_000, to: 1_600 }

test('any answer is drawn within its panel', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(value, { maxLength: 300 }), { maxLength: 12 }),
      fc.constantFrom('s', 'bytes', 'Bps', 'percentunit', 'cps', 'short'),
      (of, unit) => {
        const series = of.map((values, at) => ({
          metric: { topic: `<${at}>` },
          values: values.map((each, second) => [range.from + 2 * second, each] as const),
        }))
        const answer = { dashboard: 'd', title: 'svc / Why?', panel: 'How many & why?', unit, legend: '{{topic}}', series }
        const svg = drawDashboard('Why?', panelsOf([answer]), range)
        expect(svg).not.toMatch(/NaN|Infinity|undefined/)
        expect(svg).toContain('How many &amp; why?')
        for (const [, path] of svg.matchAll(/d="(M[^"]*)" fill="none"/g)) {
          let [x, y] = [0, 0]
          for (const [, kind, dx, dy] of path!.matchAll(/([Ml])(-?\d+) (-?\d+)/g)) {
            ;[x, y] = kind === 'M' ? [Number(dx), Number(dy)] : [x + Number(dx), y + Number(dy)]
            expect(x >= 0 && x <= 544 && y >= 44 && y <= 286).toBe(true)
          }
        }
      },
    ),
  )
})

test.each([
  [0, 's', '0'],
  [0.005, 's', '5 ms'],
  [90, 's', '1.5 min'],
  [5, 'cps', '5/s'],
  [0.5, 'reqps', '0.5/s'],
  [2_500_000, 'short', '2.5 M'],
  [3 * 2 ** 20, 'bytes', '3 MiB'],
  [2 ** 10, 'Bps', '1 KiB/s'],
  [0.25, 'percentunit', '25 %'],
])('%s in %s is %s', (value, unit, text) => {
  expect(inUnit(value, unit)).toBe(text)
})
