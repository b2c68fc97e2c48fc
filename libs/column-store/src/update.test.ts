import { expect, test } from 'vitest'
import { updateStatement } from './update.ts'

const update = { table: 'events_full', set: 'public = true', where: "trace_id = 't'" }

test.each([
  [{}, 'ALTER TABLE events_full UPDATE public = true WHERE', { mutations_sync: '1' }],
  [{ replicated: true }, 'ALTER TABLE events_full UPDATE public = true WHERE', { mutations_sync: '2' }],
  [{ lightweightUpdates: true }, 'UPDATE events_full SET public = true WHERE', { enable_lightweight_update: '1' }],
])('%j', (options, begin, settings) => {
  const statement = updateStatement(update, options)
  expect(statement.sql).toBe(`${begin} trace_id = 't'`)
  expect(statement.settings).toEqual(settings)
})
