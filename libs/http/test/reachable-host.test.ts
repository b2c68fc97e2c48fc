import { expect, test } from 'vitest'
import { reachableHost } from '../src/listeners/index.ts'

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '127.0.0.1'],
  ['::1', '[::1]'],
  ['fd00::7', '[fd00::7]'],
  ['localhost', 'localhost'],
])('a server that listens on %s is reachable at %s', (bind, host) => {
  expect(reachableHost(bind)).toBe(host)
  expect(new URL(`http://${host}:8123`).host).toBe(`${host}:8123`)
})
