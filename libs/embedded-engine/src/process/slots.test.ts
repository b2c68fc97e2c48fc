import { expect, test } from 'vitest'
import { createSlots } from './slots.ts'

const slots = (maxWaiting: number) => createSlots({ name: 'inserts', slots: 1, maxWaiting, maxWaitMs: 60_000 })

test('with one slot and a queue of one, the third statement is refused, and the queued one runs next', async () => {
  const limited = slots(1)
  const first = await limited.acquire()
  const second = limited.acquire()
  await expect(limited.acquire()).rejects.toMatchObject({ code: 202 })
  first()
  first()
  const release = await second
  expect([limited.running, limited.waiting]).toEqual([1, 0])
  release()
  await limited.idle()
  expect(limited.running).toBe(0)
})

test('a caller that disconnects leaves the queue and makes room for the next statement', async () => {
  const limited = slots(1)
  const release = await limited.acquire()
  const leaving = new AbortController()
  const gone = limited.acquire(leaving.signal)
  leaving.abort()
  await expect(gone).rejects.toMatchObject({ code: 202 })
  expect(limited.waiting).toBe(0)
  release()
})
