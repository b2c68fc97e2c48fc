import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { areFirstKeysRefused } from './first-keys.ts'

test('keys are reported as refused only when the public API refuses them, not when it does not respond', async () => {
  const server = createServer(({ url, headers }, response) => {
    const isValid = url === '/api/public/projects' && headers.authorization === `Basic ${Buffer.from('pk:sk').toString('base64')}`
    response.writeHead(isValid ? 200 : 401).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const apis = [{ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }]
  expect(await areFirstKeysRefused({ apis, publicKey: 'pk', secretKey: 'sk' })).toBe(false)
  expect(await areFirstKeysRefused({ apis, publicKey: 'pk', secretKey: 'revoked' })).toBe(true)
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
  expect(await areFirstKeysRefused({ apis, publicKey: 'pk', secretKey: 'revoked' })).toBe(false)
})
