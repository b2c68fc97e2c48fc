// Tests the canary while the listener or the store does not respond. `apps/standalone/test/canary.nightly.test.ts` tests the canary in a
// whole instance.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@svc-server/errors'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { createLogger } from '@svc-server/service/logs'
import { createMetricRegistry, createMetrics } from '@svc-server/service/metrics'
import { metricSum, waitFor } from '@svc-server/testkit'
import { afterEach, expect, test } from 'vitest'
import { type Canary, createCanary } from '../src/canary/canary.ts'
import { ensureCanaryProject } from '../src/canary/project.ts'
import { apiMetrics } from '../src/metrics.ts'

interface Received {
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly id: string
}

async function startWorld({ writeMode = 'dual', authorization = async () => 'Basic a' }: WorldOptions = {}) {
  const received: Received[] = []
  const asked: string[] = []
  const world = { refuses: false, isFrozen: false, isDeaf: false }
  const server: Server = createServer(async (request, response) => {
    const body = await text(request)
    if (world.refuses) return void response.writeHead(503).end('{}')
    const isEvent = request.url === '/api/public/ingestion'
    const id = isEvent ? JSON.parse(body).batch[0].body.id : JSON.parse(body).resourceSpans[0].scopeSpans[0].spans[0].spanId
    received.push({ url: request.url!, headers: request.headers, id })
    response.writeHead(isEvent ? 207 : 200).end(isEvent ? '{"successes":[{}],"errors":[]}' : '{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const registry = createMetricRegistry({ runtime: false })
  const bugs: unknown[] = []
  const canary = createCanary({
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    intervalMs: 40,
    maxPending: 30,
    writeMode,
    columnStore: {
      async query<Row>(sql: string) {
        asked.push(sql)
        if (world.isDeaf) throw new AppError('column_store_unavailable', 'It does not answer.')
        return (world.isFrozen ? [] : received.filter(({ id }) => sql.includes(`'${id}'`)).map(({ id }) => ({ id }))) as Row[]
      },
    },
    authorization,
    clock: Date.now,
    metrics: createMetrics(apiMetrics, registry),
    logger: createLogger({ service: 'public-api', level: 'fatal' }),
    onBug: error => bugs.push(error),
  })
  open.push({ canary, server })
  canary.start()
  const metric = async (name: string, labels: Readonly<Record<string, string>>) => metricSum(await registry.render(), name, labels)
  return {
    ...{ world, received, asked, bugs, metric },
    outcomes: (path: string, outcome: string) => metric('svc_canaries_total', { path, outcome }),
    readable: (path: string) => metric('svc_canary_readable_timestamp_seconds', { path }),
  }
}
interface WorldOptions {
  readonly writeMode?: WriteMode
  readonly authorization?: () => Promise<string>
}

const open: { readonly canary: Canary; readonly server: Server }[] = []
afterEach(async () => {
  for (const { canary, server } of open.splice(0)) {
    await canary.stop()
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
})
const patience = { timeoutMs: 30_000 }
const until = (what: string, condition: () => Promise<boolean>) => waitFor(condition, { ...patience, what })

test.each([
  ['legacy', ['direct', 'ingestion']],
  ['dual', ['direct', 'staged', 'ingestion']],
  ['events_only', ['direct', 'staged']],
] as const)('%s: a canary of every path of the mode is sent with a key and found where readers look', async (writeMode, paths) => {
  const { received, asked, bugs, ...its } = await startWorld({ writeMode })
  for (const path of paths) await until(`a canary of ${path}`, async () => (await its.outcomes(path, 'readable')) > 0)
  for (const path of ['direct', 'staged', 'ingestion']) {
    const isThere = paths.some(each => each === path)
    expect([path, (await its.metric('svc_canary_seconds_count', { path })) > 0, (await its.readable(path)) > 0]).toEqual([
      path,
      isThere,
      isThere,
    ])
  }
  const kinds = new Set(received.map(({ url, headers }) => `${url} ${headers['x-svc-ingestion-version'] ?? ''} ${headers.authorization}`))
  const all = {
    direct: '/api/public/otel/v1/traces 4 Basic a',
    staged: '/api/public/otel/v1/traces 3 Basic a',
    ingestion: '/api/public/ingestion  Basic a',
  }
  expect([...kinds].sort()).toEqual(paths.map(path => all[path]).sort())
  const tables = new Set(asked.map(sql => /FROM (\w+) WHERE project_id = 'svc-canary'/.exec(sql)?.[1]))
  expect([...tables].sort()).toEqual(
    { legacy: ['observations'], dual: ['events_core', 'observations'], events_only: ['events_core'] }[writeMode],
  )
  expect(bugs).toEqual([])
})

test.each([
  ['the front door refuses', 'refuses', 'refused'],
  // Null: the test checks no outcome. The canary counts no outcome for an accepted item until it finds the item or gives the item up.
  ['the writer is frozen', 'isFrozen', null],
  ['the store answers nobody', 'isDeaf', null],
] as const)('%s: the time of the newest readable canary stands still during the fault and advances after it', async (_, fault, outcome) => {
  const { world, bugs, ...its } = await startWorld()
  await until('the first canary', async () => (await its.outcomes('direct', 'readable')) > 0)
  world[fault] = true
  await until('the time to stand still', async () => {
    const [stoodAt, refused] = [await its.readable('direct'), await its.outcomes('direct', 'refused')]
    // The canary sends dozens of items within this pause.
    await sleep(1_200)
    const goesOn = outcome === null || (await its.outcomes('direct', outcome)) > refused
    return goesOn && (await its.readable('direct')) === stoodAt
  })
  const stoodAt = await its.readable('direct')
  world[fault] = false
  await until('a readable one', async () => (await its.readable('direct')) > stoodAt)
  expect(bugs).toEqual([])
})

test('the canary retries while it cannot get its key, and the process continues', async () => {
  let asked = 0
  const { bugs, ...its } = await startWorld({
    async authorization() {
      if (++asked < 3) throw new AppError('relational_unavailable', 'It is away.')
      return 'Basic b'
    },
  })
  await until('a canary', async () => (await its.outcomes('direct', 'readable')) > 0)
  expect([await its.outcomes('direct', 'unanswered'), bugs]).toEqual([expect.any(Number), []])
  expect(asked).toBeGreaterThanOrEqual(3)
})

test('accepted canaries that are never found are given up, and newer ones are still looked up', async () => {
  const { world, ...its } = await startWorld()
  world.isFrozen = true
  await until('one that is given up', async () => (await its.outcomes('direct', 'given_up')) > 0)
  world.isFrozen = false
  await until('a readable one', async () => (await its.outcomes('direct', 'readable')) > 0)
})

test.each(['key', 'project'] as const)(
  'a canary whose %s was taken away is refused, because it could never be read back',
  async takenAway => {
    const pair = { publicKey: 'pk-svc-canary', secretKey: 'sk-svc-canary' }
    const ensured = { orgId: 'canary', projectId: 'canary', createdProject: false, createdKey: false, takenAway }
    const keys = { pairOf: () => pair, ensureProject: async () => ensured }
    const untouched = { db: null as never }
    await expect(ensureCanaryProject(untouched, keys)).rejects.toMatchObject({ code: 'config_invalid' })
  },
)
