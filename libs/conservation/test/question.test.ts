// The audit checks each partition in steps. One query looks up the rows of the steps of several partitions. If one step fails, the other
// steps must not fail.
import type { ColumnStore } from '@svc-server/column-store/port'
import { nothingDenied } from '@svc-server/deletions/denials'
import { AppError } from '@svc-server/errors'
import { expect, test } from 'vitest'
import { eventsKey } from '../src/presence/key.ts'
import { createQuestion, type Items } from '../src/row-audit/question.ts'

const tables = [{ name: 'events_full', tables: ['events_full', 'events_core'], key: eventsKey }]

/**
 * Looks up one row of each project. Each row is the only item of a separate step. Returns the number of queries, and the items of each
 * step.
 */
async function ask(projects: readonly string[], query: (keys: string) => unknown) {
  let queries = 0
  const answer: ColumnStore['query'] = async (_, params) => {
    queries += 1
    return query(String(params!['keys'])) as never
  }
  const columnStore = { query: answer } as ColumnStore
  const question = createQuestion({ columnStore, pace: { after: work => work() }, denials: nothingDenied })
  const steps = projects.map((projectId): Items => {
    const items: Items = { absent: [], denied: 0, failure: null }
    const version = { projectId, traceId: 't', spanId: 's', startTimeUs: 1, eventTsUs: 1 }
    question.add({ items, offset: 0, index: 0, version, tables, traceId: 't', name: null })
    return items
  })
  await question.ask()
  expect(question.size).toBe(0)
  return { queries, steps }
}

const allPresent = (keys: string) => tables[0]!.tables.map(() => ({ present: keys.split(':').length }))

test('one query looks up the rows of all steps', async () => {
  const { queries, steps } = await ask(['a', 'b', 'c'], allPresent)
  expect(queries).toBe(1)
  expect(steps).toEqual(Array.from({ length: 3 }, () => ({ absent: [], denied: 0, failure: null })))
})

test('a failed query for one step fails only that step', async () => {
  const refusal = new AppError('column_store_refused', 'a key it cannot take')
  const { steps } = await ask(['a', 'bad', 'c'], keys => {
    if (keys.includes('bad')) throw refusal
    return allPresent(keys)
  })
  expect(steps.map(({ failure }) => failure)).toEqual([null, refusal, null])
})

test('a column store that does not respond is queried once', async () => {
  const outage = new AppError('column_store_unavailable', 'down')
  const { queries, steps } = await ask(['a', 'b', 'c'], () => {
    throw outage
  })
  expect(queries).toBe(1)
  expect(steps.map(({ failure }) => failure)).toEqual([outage, outage, outage])
})
