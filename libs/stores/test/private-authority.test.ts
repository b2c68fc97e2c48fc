import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import { makeCertificate, type TemporaryDirectory, temporaryDirectory } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'

type Outcome = 'trusted' | 'refused'

const certificate = makeCertificate()
let directory: TemporaryDirectory
let authority: string
beforeAll(async () => {
  directory = await temporaryDirectory('svc-authority-')
  authority = join(directory.path, 'ca.crt')
  writeFileSync(authority, certificate.cert)
})
afterAll(() => directory.remove())

/**
 * `outcome` resolves with `trusted` if the first client trusts the certificate. The listener recognizes such a client by data after the
 * handshake, because a client that does not trust the certificate sends no data then.
 */
async function listener(
  plainFirst = false,
): Promise<{ readonly server: Server; readonly port: number; readonly outcome: Promise<Outcome> }> {
  const { promise: outcome, resolve } = Promise.withResolvers<Outcome>()
  const secured = (raw: Socket) => {
    const socket = new TLSSocket(raw, { isServer: true, secureContext: createSecureContext(certificate) })
    socket.on('error', () => {})
    socket.once('data', () => {
      resolve('trusted')
      socket.destroy()
    })
    socket.once('close', () => resolve('refused'))
  }
  const server = createServer(socket => {
    socket.on('error', () => {})
    if (!plainFirst) return secured(socket)
    // A PostgreSQL client first asks for TLS. The server replies with S.
    socket.once('data', () => {
      socket.write('S')
      secured(socket)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port, outcome }
}

const opening = `
  import { createColumnStore } from '@svc-server/column-store/client'
  import { openKafkaLog } from '@svc-server/log/kafka'
  import { openRelationalStore } from '@svc-server/relational/store'
  const [columnStore, database, kafka] = process.argv.slice(1)
  const url = 'https://127.0.0.1:' + columnStore
  createColumnStore({ url, user: 'svc', password: 'x', database: 'svc', requestTimeoutMs: 30_000 }).query('SELECT 1').catch(() => {})
  openRelationalStore({ kind: 'postgres', url: 'postgresql://svc:x@127.0.0.1:' + database + '/svc?sslmode=verify-full' }).catch(() => {})
  openKafkaLog({ brokers: ['127.0.0.1:' + kafka], topics: [], tls: {} }).catch(() => {})
`

test.each([
  ['named', 'trusted'],
  ['not named', 'refused'],
] as const)('with the authority %s, certificates of Kafka, ClickHouse and PostgreSQL are %s', async (named, outcome) => {
  const listeners = [await listener(), await listener(true), await listener()]
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
  const child = spawn(process.execPath, ['--input-type=module', '-e', opening, ...listeners.map(({ port }) => String(port))], {
    cwd: join(import.meta.dirname, '..'),
    env: named === 'named' ? { ...env, NODE_EXTRA_CA_CERTS: authority } : env,
    stdio: 'inherit',
  })
  const outcomes = Promise.all(listeners.map(each => each.outcome))
  const ended = once(child, 'exit').then(() => 'The clients ended before all three had connected.')
  try {
    expect(await Promise.race([outcomes, ended])).toEqual([outcome, outcome, outcome])
  } finally {
    child.kill('SIGKILL')
    for (const { server } of listeners) server.close()
  }
})
