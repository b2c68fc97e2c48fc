import { expect, test } from 'vitest'
import type { RunItem } from './run-item.ts'
import { contentBytes, runItemBytes } from './run-item-fill.ts'
import { decodeStagedRunItem, encodeStagedRunItem, isStagedRunItem, maxRunItemBytes, stagedRunItemOf } from './staged-run-item.ts'

const item: RunItem = {
  projectId: 'p',
  apiKey: 'pk',
  sdkName: 'python',
  sdkVersion: '2.0.0',
  writeMode: 'dual',
  receivedAtMs: 1,
  ingestId: 'i',
  deleted: false,
  id: 'item',
  datasetId: 'd',
  datasetRunId: 'r',
  datasetRunName: 'nightly',
  datasetRunDescription: 'small',
  datasetRunMetadata: null,
  datasetRunCreatedAtMs: 2,
  datasetItemId: 'di',
  datasetItemVersionMs: 3,
  datasetItemInput: '"in"',
  datasetItemExpectedOutput: '"out"',
  datasetItemMetadata: '{}',
  traceId: 't',
  observationId: null,
  error: null,
  createdAtMs: 4,
}

test('a staged run item round-trips and is distinguished from other records', () => {
  const staged = stagedRunItemOf(item)
  const bytes = encodeStagedRunItem(staged)
  expect(decodeStagedRunItem(bytes)).toEqual(staged)
  expect(isStagedRunItem(bytes)).toBe(true)
  expect(isStagedRunItem(bytes.subarray(1))).toBe(false)
  expect(staged).toMatchObject({ rootId: null, expectedOutput: '"out"', itemMetadata: '{}', runDescription: 'small', cut: 0 })
})

test('contents too large for a filled record are left out, the largest first, and counted', () => {
  const large = 'x'.repeat(maxRunItemBytes - 20)
  const most = stagedRunItemOf({ ...item, datasetItemExpectedOutput: large })
  expect([most.expectedOutput, most.cut]).toEqual([large, 0])
  const both = stagedRunItemOf({ ...item, datasetItemExpectedOutput: large, datasetRunMetadata: `${large}y` })
  expect([both.expectedOutput, both.runMetadata, both.runDescription, both.cut]).toEqual([large, null, 'small', 1])
  const none = stagedRunItemOf({ ...item, datasetItemExpectedOutput: 'ü'.repeat(maxRunItemBytes) })
  expect([none.expectedOutput, none.itemMetadata, none.cut]).toEqual([null, '{}', 1])
  expect(contentBytes(both)).toBeLessThanOrEqual(maxRunItemBytes + 4)
})

test('a run item adds its names to the row of each of its spans, and its contents to one row', () => {
  const fill = { ...stagedRunItemOf(item), rootSpanId: 's', spans: [0, 2] }
  const names = 'r'.length + 'nightly'.length + 'd'.length + 'di'.length + 's'.length + 5
  expect(runItemBytes([fill], 10)).toBe(2 * names + contentBytes(fill))
  expect(runItemBytes([{ ...fill, spans: null }], 10)).toBe(10 * names + contentBytes(fill))
  expect(runItemBytes(null, 10)).toBe(0)
})
