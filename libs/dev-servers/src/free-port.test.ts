import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePort } from './free-port.ts'

test('ports are below the range for outgoing connections, and none is returned twice', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort))
  expect(new Set(ports).size).toBe(50)
  for (const port of ports) expect(port > 1024 && port < 32_768).toBe(true)
})

test('a port in use is skipped', async () => {
  const next = (await freePort()) + 1
  const server = createServer().listen(next, '127.0.0.1')
  await once(server, 'listening')
  expect(await freePort()).toBeGreaterThan(next)
  server.close()
})

test('two processes that choose at the same time get separate ranges, whatever their process ids', async () => {
  const copies = ['./free-port.ts?one', './free-port.ts?other']
  const [one, other] = (await Promise.all(copies.map(copy => import(copy)))) as { freePort: typeof freePort }[]
  const ports = [...(await choose(one!)), ...(await choose(other!))]
  expect(new Set(ports).size).toBe(100)
})

async function choose(copy: { freePort: typeof freePort }): Promise<readonly number[]> {
  return Promise.all(Array.from({ length: 50 }, () => copy.freePort()))
}
