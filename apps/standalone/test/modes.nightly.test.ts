// Sends spans for each cell of the table in contract §12.2. The test restarts an instance in each write mode, and kills the instance while
// spans are being processed.
import { encodeTraceRequest, waitFor } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { authorization, type Instance } from './instance.ts'
import { fileHasAnInstance, type Mode, start, svcOfInstance } from './restarted.ts'

fileHasAnInstance()

interface Cell {
  readonly how: string
  readonly headers: Readonly<Record<string, string>>
  readonly route: string
  readonly tables: readonly string[]
}

const spansPerCell = 5
const old = ['observations']
const events = ['events_full', 'events_core']
const versionFour = { 'x-svc-ingestion-version': '4' }
const versionThree = { 'x-svc-ingestion-version': '3' }
const newSdk = { 'x-svc-sdk-name': 'python', 'x-svc-sdk-version': '4.7.0' }
const cellOf = (how: string, headers: Cell['headers'], route: string, tables: readonly string[]): Cell => ({ how, headers, route, tables })

const walk: readonly (readonly [Mode, readonly Cell[]])[] = [
  [
    { writeMode: 'legacy', behaviour: 'dual_write', optIn: 'false' },
    [
      cellOf('header 4', versionFour, 'direct; reason=legacy-mode', old),
      cellOf('header 3', versionThree, 'direct; reason=legacy-mode', old),
      cellOf('no header', {}, 'direct; reason=legacy-mode', old),
    ],
  ],
  [
    { writeMode: 'dual', behaviour: 'dual_write', optIn: 'false' },
    [
      cellOf('header 4', versionFour, 'direct; reason=header', [...old, ...events]),
      cellOf('real-time SDK', newSdk, 'direct; reason=real-time-sdk', [...old, ...events]),
      cellOf('header 3', versionThree, 'staging; reason=header-opt-out', [...old, ...events]),
      cellOf('no header', {}, 'staging; reason=otel-behaviour', [...old, ...events]),
    ],
  ],
  [
    { writeMode: 'dual', behaviour: 'direct', optIn: 'true' },
    [cellOf('no header', {}, 'direct; reason=otel-behaviour', [...old, ...events])],
  ],
  [
    { writeMode: 'events_only', behaviour: 'direct', optIn: 'true' },
    [
      cellOf('header 4', versionFour, 'direct; reason=header', events),
      cellOf('header 3', versionThree, 'staging; reason=header-opt-out', events),
      cellOf('no header', {}, 'direct; reason=otel-behaviour', events),
    ],
  ],
  [
    { writeMode: 'dual', behaviour: 'dual_write', optIn: 'true' },
    [cellOf('no header', {}, 'staging; reason=otel-behaviour', [...old, ...events])],
  ],
]

/** The sent spans. Each cell of the contract's table has its own trace. */
const sent: { readonly traceId: string; readonly cell: Cell; readonly mode: Mode }[] = []

async function send(running: Instance, mode: Mode, cell: Cell): Promise<void> {
  const number = sent.length + 1
  const traceId = number.toString(16).padStart(32, 'a')
  const startTimeUnixNano = BigInt(Date.now()) * 1_000_000n
  const spans = Array.from({ length: spansPerCell }, (_, at) => ({
    traceId,
    spanId: (number * 100 + at).toString(16).padStart(16, 'b'),
    name: cell.how,
    startTimeUnixNano,
    endTimeUnixNano: startTimeUnixNano,
  }))
  const response = await fetch(running.tracesUrl, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/x-protobuf', ...cell.headers },
    body: encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans }] }] }) as Uint8Array<ArrayBuffer>,
  })
  expect([cell.how, response.status, response.headers.get('x-svc-route')]).toEqual([cell.how, 200, cell.route])
  sent.push({ traceId, cell, mode })
}

const settings = { SVC_PROPAGATION_WINDOW_SECONDS: '2', SVC_LEDGER_AUDIT_MS: '500' }

async function found(running: Instance, traceId: string): Promise<Readonly<Record<string, number>>> {
  const tables = [...events, ...old]
  const id = (table: string) => (table === 'observations' ? 'id' : 'span_id')
  const union = tables.map(table => `SELECT '${table}' AS name, uniqExact(${id(table)}) AS n FROM ${table} WHERE trace_id = '${traceId}'`)
  const rows = await running.query<{ name: string; n: string }>(`SELECT * FROM (${union.join(' UNION ALL ')}) WHERE n > 0`)
  return Object.fromEntries(rows.map(({ name, n }) => [name, Number(n)]))
}

test('on every path, a span is stored in the tables of the mode that accepted it, whatever the current mode is', async () => {
  for (const [mode, cells] of walk) {
    const instance = await start(mode, settings)
    for (const cell of cells) await send(instance, mode, cell)
    await instance.end('SIGKILL')
  }
  const running = await start(walk.at(-1)![0], settings)
  const checked = () => svcOfInstance('check', '--wait', '60')
  await waitFor(async () => (await checked()).code === 0, { timeoutMs: 120_000, what: 'the check to find everything' })
  const wanted = sent.map(({ mode, cell }) => [
    mode.writeMode,
    cell.how,
    Object.fromEntries(cell.tables.map(table => [table, spansPerCell])),
  ])
  const stored = await Promise.all(sent.map(async ({ traceId, mode, cell }) => [mode.writeMode, cell.how, await found(running, traceId)]))
  expect(stored).toEqual(wanted)
  expect(await running.count('SELECT count() AS n FROM observations')).toBe(9 * spansPerCell)
}, 400_000)
