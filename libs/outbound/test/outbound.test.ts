import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOutbound, type OutboundOptions } from '../src/outbound.ts'

let inside: Server
let port: number
let reached = 0
beforeAll(async () => {
  inside = createServer((request, response) => {
    reached++
    if (request.url === '/away') response.writeHead(302, { location: `http://127.0.0.1:${port}/inside` }).end()
    else response.end('inside')
  })
  await new Promise<void>(resolve => inside.listen(0, '127.0.0.1', resolve))
  port = (inside.address() as AddressInfo).port
})
afterAll(() => inside.close())

const refused = { code: 'address_refused' }
const resolving = (...addresses: readonly string[]) =>
  (async () => addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }))) satisfies OutboundOptions['resolve']

const hosts = [
  ...['127.0.0.1', '127.1', '0177.0.0.1', '0x7f000001', '2130706433', '0.0.0.0', '0', '127.0.0.1.'],
  ...['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '169.254.169.254', '192.0.0.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...['[::1]', '[::]', '[fe80::1]', '[fc00::1]', '[fd12::1]', '[fec0::1]', '[ff02::1]', '[2001:db8::1]'],
  ...[
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[2001::7f00:1]',
    '[::ffff:0:127.0.0.1]',
    ...['[::ffff:a9fe:a9fe]', '[64:ff9b::169.254.169.254]', '[64:ff9b:1::7f00:1]', '[2002:a9fe:a9fe::1]', '[100::1]', '[5f00::1]'],
    ...['0300.0250.1.1', '0xc0.0xa8.1', '017700000001', '0x7f.0.0.0x1', '127.0x1', '[fe80::ffff:1]', '127.0.0.1。'],
  ],
  // Addresses of cloud metadata services.
  ...['168.63.129.16', '[::ffff:168.63.129.16]', '100.100.100.200', '192.0.0.192', '[fd00:ec2::254]', '[2002:a83f:8110::]'],
  ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', '127。0。0。1', '①②⑦.0.0.1'],
]

test.each(hosts)('%s is internal: check and fetch reject it', async host => {
  // A DNS name can resolve to the server's own machine.
  const outbound = createOutbound({ allowed: [], resolve: resolving('127.0.0.1') })
  const before = reached
  await expect(outbound.check(`http://${host}:${port}/v1`)).rejects.toMatchObject(refused)
  await expect(outbound.fetch(`http://${host}:${port}/v1`)).rejects.toMatchObject(refused)
  expect(reached).toBe(before)
  await outbound.close()
})

test.each([
  'ftp://example.com',
  'file:///etc/passwd',
  'gopher://example.com',
  'data:text/plain,a',
  'https://',
  'example.com',
  '',
  'http://a b/',
])('rejects %j as an address', async url => {
  const outbound = createOutbound({ allowed: [], resolve: resolving('8.8.8.8') })
  await expect(outbound.check(url)).rejects.toMatchObject(refused)
  await expect(outbound.fetch(url)).rejects.toMatchObject(refused)
  await outbound.close()
})

test.each(['localhost', 'localhost.', 'A.LOCALHOST', 'a.localhost.'])('rejects %s when no name server knows it', async host => {
  const resolve = () => Promise.reject(new Error('ENOTFOUND'))
  const outbound = createOutbound({ allowed: [], resolve })
  await expect(outbound.check(`http://${host}/v1`)).rejects.toMatchObject(refused)
  await expect(outbound.fetch(`http://${host}/v1`)).rejects.toMatchObject(refused)
  await outbound.close()
  const local = createOutbound({ allowed: ['127.0.0.0/8'], resolve })
  await local.check(`http://${host}/v1`)
  await local.close()
})

test('rejects credentials in a URL', async () => {
  const outbound = createOutbound({ allowed: ['127.0.0.0/8'], resolve: resolving('127.0.0.1') })
  for (const url of [`http://user:password@127.0.0.1:${port}/`, `http://user@127.0.0.1:${port}/`, 'https://127.0.0.1@example.com/'])
    await expect(outbound.fetch(url), url).rejects.toMatchObject(refused)
  await outbound.close()
})

test('rejects an address with a query or a fragment, because keys in it would be stored unencrypted', async () => {
  const outbound = createOutbound({ allowed: [], resolve: resolving('8.8.8.8') })
  for (const end of ['?key=secret', '?', '#secret', '/v1?api-version=1&sig=secret', '/v1/#'])
    await expect(outbound.check(`https://example.com${end}`), end).rejects.toMatchObject(refused)
  await outbound.check('https://example.com/a%3Fb%23c')
  await outbound.close()
})

test('accepts public addresses, and names that do not resolve at the moment', async () => {
  const outbound = createOutbound({ allowed: [], resolve: resolving('8.8.8.8', '2606:4700::1111') })
  for (const url of ['https://example.com/v1', 'http://8.8.8.8', 'https://[2606:4700::1111]/v1']) await outbound.check(url)
  await outbound.close()
  const unknown = createOutbound({ allowed: [], resolve: () => Promise.reject(new Error('ENOTFOUND')) })
  await unknown.check('https://example.invalid/v1')
  await unknown.close()
  const late = createOutbound({ allowed: [], resolve: () => new Promise(() => {}), resolveTimeoutMs: 1 })
  await late.check('https://example.invalid/v1')
  await late.close()
})

test('rejects a name with one internal address among public ones', async () => {
  const outbound = createOutbound({ allowed: [], resolve: resolving('8.8.8.8', '10.0.0.1') })
  await expect(outbound.check('https://example.com')).rejects.toMatchObject(refused)
  await outbound.close()
})

test('rejects a name that resolves to an internal address after the check', async () => {
  let asked = 0
  const resolve = async () => [{ address: asked++ === 0 ? '8.8.8.8' : '127.0.0.1', family: 4 }]
  const outbound = createOutbound({ allowed: [], resolve })
  await outbound.check(`http://rebound.example:${port}/`)
  const before = reached
  await expect(outbound.fetch(`http://rebound.example:${port}/`)).rejects.toMatchObject(refused)
  expect([reached, asked]).toEqual([before, 2])
  await outbound.close()
})

test('reaches an allowed range at the checked address, and does not follow its redirect', async () => {
  const outbound = createOutbound({ allowed: ['127.0.0.1', 'fd00::/8'], resolve: resolving('127.0.0.1') })
  const answer = await outbound.fetch(`http://model.example:${port}/v1`, { method: 'POST', body: '{}' })
  expect([answer.status, await answer.text()]).toEqual([200, 'inside'])
  const before = reached
  const away = await outbound.fetch(`http://model.example:${port}/away`)
  expect([away.status, reached]).toEqual([302, before + 1])
  await outbound.check('http://[fd00::1]/')
  await expect(outbound.check('http://127.0.0.2/')).rejects.toMatchObject(refused)
  await outbound.close()
})
