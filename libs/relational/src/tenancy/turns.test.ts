import { expect, test } from 'vitest'
import { inTurn } from './turns.ts'

test('runs work under one key serially, even after failed work, and does not delay other keys', async () => {
  const store = {}
  const order: string[] = []
  const first = Promise.withResolvers<void>()
  const started = (name: string) => async () => void order.push(name)
  const running = inTurn(store, 'a', () => first.promise)
  const failing = inTurn(store, 'a', () => Promise.reject(new Error('fails')))
  const last = inTurn(store, 'a', started('a'))
  await inTurn(store, 'b', started('b'))
  await inTurn({}, 'a', started('another store'))
  first.resolve()
  await running
  await expect(failing).rejects.toThrow('fails')
  await last
  expect(order).toEqual(['b', 'another store', 'a'])
})

test('rejects work while a hundred changes are waiting', async () => {
  const store = {}
  const first = Promise.withResolvers<void>()
  const all = [inTurn(store, 'a', () => first.promise), ...Array.from({ length: 100 }, () => inTurn(store, 'a', async () => {}))]
  await expect(inTurn(store, 'a', async () => {})).rejects.toMatchObject({ code: 'overloaded' })
  first.resolve()
  await Promise.all(all)
  expect(await inTurn(store, 'a', async () => 'runs')).toBe('runs')
})
