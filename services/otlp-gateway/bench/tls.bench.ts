// Measures the cost of TLS. The bench sends the same requests with and without TLS, over kept-alive connections and over new connections.
// Run `npm run bench -- tls -- [requests per round (400)]`. The CPU time includes all threads of this process, but not the client. The
// certificate uses ECDSA P-256, because a handshake with RSA costs more.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { cpus } from 'node:os'
import { loadSettings } from '@svc-server/service/configuration'
import { clientServerOptions } from '@svc-server/service/connections'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry } from '@svc-server/service/metrics'
import { makeCertificate } from '@svc-server/testkit'
import { createOtlpGateway } from '../src/app.ts'
import { gatewayConfig, gatewayVariables } from '../src/settings.ts'
import { spansPerRequest } from './bodies.ts'
import type { Round } from './client.ts'

const requests = Number(process.argv[2] ?? 400)
const [rounds, connections] = [5, 4]
const spansPerRound = requests * spansPerRequest

const config = gatewayConfig(loadSettings([gatewayVariables], {}, { service: 'bench' }).of(gatewayVariables))
const gateway = createOtlpGateway(config, {
  log: { append: async () => [] },
  authenticate: async () => ({ accessLevel: 'project', orgId: 'bench', projectId: 'bench', apiKeyId: 'bench', publicKey: 'bench' }),
  logger: createLogger({ service: 'bench', level: 'error' }),
  metrics: createMetricRegistry({ runtime: false }),
  clock: Date.now,
})
const options = clientServerOptions(config)
const servers = {
  plain: createServer(options, gateway.handle),
  tls: createTlsServer({ ...options, ...makeCertificate(), minVersion: 'TLSv1.2' }, gateway.handle),
}
for (const server of Object.values(servers)) await once(server.listen(0, '127.0.0.1'), 'listening')
await gateway.start()
const client = fork(new URL('./client.ts', import.meta.url))
client.on('exit', code => code && process.exit(code))
await once(client, 'message')

async function cost(name: keyof typeof servers, isFresh: boolean): Promise<number> {
  const { port } = servers[name].address() as AddressInfo
  const round: Round = { kind: 'protobuf gzip', protocol: 'http', port, connections, requests, isTls: name === 'tls', isFresh }
  const before = process.cpuUsage()
  client.send(round)
  await once(client, 'message')
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / (spansPerRound / 1000)
}

const kept: number[][] = []
// The variants alternate, so that other load of the machine affects all variants equally. The first round is a warm-up.
for (let round = 0; round <= rounds; round++) {
  const turn = [await cost('plain', false), await cost('tls', false), await cost('plain', true), await cost('tls', true)]
  if (round > 0) kept.push(turn)
}
client.kill()
await gateway.drain()
for (const server of Object.values(servers)) {
  server.close()
  server.closeAllConnections()
}
const rounded = (value: number) => Number(value.toFixed(2))
const [plain, tls, freshPlain, freshTls] = [0, 1, 2, 3].map(at => kept.map(turn => turn[at]!).sort((a, b) => a - b)[rounds >> 1]!) as [
  number,
  number,
  number,
  number,
]
const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`
const figures = {
  cpuMsPer1000Spans: { plain: rounded(plain), tls: rounded(tls), plainFresh: rounded(freshPlain), tlsFresh: rounded(freshTls) },
  tlsToPlain: rounded(tls / plain),
  tlsToPlainFresh: rounded(freshTls / freshPlain),
  handshakeMs: rounded(((freshTls - freshPlain) * spansPerRequest) / 1000),
}
process.stdout.write(`${JSON.stringify({ bench: 'tls', machine, spansPerRequest, ...figures })}\n`)
