import { AppError } from '@svc-server/errors'
import { expect, test } from 'vitest'
import type { ColumnStore } from './port.ts'
import { catchUp } from './replicas.ts'

const unused = () => Promise.reject(new Error('not part of this test'))
const storeOf = (replicated: boolean, command: ColumnStore['command']): ColumnStore => ({
  database: 'svc',
  replicated,
  command,
  insert: unused,
  query: unused,
  queryBytes: unused,
  ask: unused,
  update: unused,
  identify: unused,
  close: async () => undefined,
})

test('every table of a replicated store is synchronized, in order', async () => {
  const sent: string[] = []
  await catchUp(
    storeOf(true, async sql => void sent.push(sql)),
    ['events_full', 'events_core'],
  )
  expect(sent).toEqual(['SYSTEM SYNC REPLICA events_full LIGHTWEIGHT', 'SYSTEM SYNC REPLICA events_core LIGHTWEIGHT'])
})

test('a replica that does not catch up in time is unavailable, and the caller concludes nothing from its missing rows', async () => {
  const late = storeOf(true, () => Promise.reject(new AppError('column_store_overloaded', 'Command: SYNC REPLICA: timeout (code 159)')))
  await expect(catchUp(late, ['events_full'])).rejects.toMatchObject({ code: 'column_store_unavailable' })
})

test('a store that consists of one server receives no request', async () => {
  await catchUp(storeOf(false, unused), ['events_full'])
})
