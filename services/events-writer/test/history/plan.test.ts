// `npm test` runs only short histories. Together, these histories must contain every condition under which the writer could lose rows.
import { expect, test } from 'vitest'
import { ofEveryRun, planOf, short } from './plan.ts'

const plans = ofEveryRun.map(seed => planOf(seed, short))
const lives = plans.flatMap(({ logs }) => logs.flat())

test('they contain every kind, every death and every fault', () => {
  expect(new Set(plans.map(({ kind }) => kind))).toEqual(new Set(short.kinds))
  expect(new Set(lives.flatMap(({ dies }) => dies ?? [])).size).toBe(6)
  expect(new Set(lives.flatMap(({ fault }) => fault?.kind ?? [])).size).toBe(5)
})

test('they contain batches of several chunks and two months, offsets that move back, and earlier rules that reject more', () => {
  const has = (isSo: (life: (typeof lives)[number]) => boolean) => lives.filter(isSo).length
  expect(has(({ sent, chunkMaxRows }) => sent.some(({ count }) => count > chunkMaxRows))).toBeGreaterThanOrEqual(2)
  expect(has(({ sent }) => sent.some(({ twoMonths }) => twoMonths))).toBeGreaterThanOrEqual(4)
  expect(has(({ movedBackTo }) => movedBackTo !== null)).toBeGreaterThanOrEqual(1)
  expect(has(({ brandAliases }) => brandAliases.length > 0)).toBeGreaterThanOrEqual(1)
  const isRejecting = ({ sent, maxRecordBytes }: (typeof lives)[number]) =>
    maxRecordBytes === short.smallRecord && sent.some(({ count }) => count > 6)
  expect(has(isRejecting)).toBeGreaterThanOrEqual(1)
})

test('they contain deletions of every kind, in lives that die and in lives that do not', () => {
  const deleting = lives.filter(({ deletes }) => deletes !== null)
  expect(new Set(deleting.map(({ deletes }) => deletes!.what)).size).toBe(3)
  expect(deleting.filter(({ dies }) => dies !== null).length).toBeGreaterThanOrEqual(2)
  expect(deleting.filter(({ dies }) => dies === null).length).toBeGreaterThanOrEqual(2)
})
