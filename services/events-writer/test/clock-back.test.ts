// A span is sent twice, and the machine's clock steps back in between. Readers must see the version that was written last.
import type { ColumnStore } from '@svc-server/column-store/port'
import { AppError } from '@svc-server/errors'
import { attributes } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { eachTestHasItsWorld, world } from './each-world.ts'
import { now } from './world.ts'

let nowMs = now
eachTestHasItsWorld('before the test', {}, () => nowMs)

test.each([
  { name: 'on another partition', partition: 1, fails: false },
  { name: 'on the same partition, and its insert is retried', partition: 0, fails: true },
])('F28 · the clock steps back before a span is resent $name', async ({ partition, fails }) => {
  let broken = false
  const insert: ColumnStore['insert'] = async one => {
    if (!broken || one.table !== 'events_full') return world.columnStore.insert(one)
    broken = false
    throw new AppError('column_store_unavailable', 'connect ECONNREFUSED')
  }
  await world.writer({ columnStore: { ...world.columnStore, insert } }).service.start()
  const send = async (userId: string, on: number) => {
    await world.send({ count: 1, seed: 'aaaaaaaa', partition: on, more: attributes({ 'user.id': userId }) })
    await world.settled()
  }

  await send('first', 0)
  nowMs -= 3_000
  broken = fails
  await send('second', partition)

  expect(broken).toBe(false)
  expect(await world.columnStore.query('SELECT user_id FROM events_full FINAL')).toEqual([{ user_id: 'second' }])
  expect(await world.check()).toMatchObject({ conserved: true, findings: [] })
})
