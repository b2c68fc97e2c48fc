// Checks the output of `svc sdks` for clients with old and new SDKs, in write mode `dual` and then in `events_only`.
import { encodeTraceRequest } from '@svc-server/testkit'
import { expect, test, vi } from 'vitest'
import { authorization } from './instance.ts'
import { fileHasAnInstance, ports, start, svcOfInstance } from './restarted.ts'

fileHasAnInstance()

// The Python SDK v2 writes the header names with underscores.
const python2 = { x_svc_sdk_name: 'python', x_svc_sdk_version: '2.60.10' }
const js3 = { 'X-Svc-Sdk-Name': 'svc-js', 'X-Svc-Sdk-Version': '3.39.2' }
const python4 = { 'x-svc-sdk-name': 'python', 'x-svc-sdk-version': '4.6.1' }
const js5 = { 'x-svc-sdk-name': 'javascript', 'x-svc-sdk-version': '5.11.1' }

let ids = 0
const nextId = (bytes: number) => (++ids).toString(16).padStart(2 * bytes, 'a')

async function post(path: string, headers: Readonly<Record<string, string>>, body: object, status: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${ports.PORT}/api/public${path}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  expect([path, headers, response.status, await response.text()]).toEqual([path, headers, status, expect.any(String)])
}

async function spans(headers: Readonly<Record<string, string>>, count: number, status = 200): Promise<void> {
  const traceId = nextId(16)
  const startTimeUnixNano = BigInt(Date.now()) * 1_000_000n
  const time = { startTimeUnixNano, endTimeUnixNano: startTimeUnixNano }
  const list = Array.from({ length: count }, () => ({ traceId, spanId: nextId(8), name: 'span', ...time }))
  const response = await fetch(`http://127.0.0.1:${ports.PORT}/api/public/otel/v1/traces`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/x-protobuf', ...headers },
    body: encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: list }] }] }) as Uint8Array<ArrayBuffer>,
  })
  expect([headers, response.status]).toEqual([headers, status])
}

const eventOf = (type: string, body: object) => ({ id: nextId(8), timestamp: new Date().toISOString(), type, body })
const batch = () => ({
  batch: [
    eventOf('trace-create', { id: nextId(16), name: 'a' }),
    eventOf('span-create', { id: nextId(8), traceId: nextId(16) }),
    eventOf('score-create', { traceId: nextId(16), name: 'quality', value: 1 }),
  ],
})

const dual = { writeMode: 'dual', behaviour: 'dual_write', optIn: 'true' }
const eventsOnly = { writeMode: 'events_only', behaviour: 'direct', optIn: 'true' }

interface Line {
  readonly sdk: string
  readonly version: string
  readonly path: string
  readonly [count: string]: unknown
}

const shown = ({ sdk, version, path, requests, spans, events, scores, move }: Line) =>
  [sdk, version, path, requests, spans, events, scores, move] as const

const python = 'Python SDK 4.7.0 or newer'
const js = 'JS/TS SDK 5.4.0 or newer'
const expected = [
  ['javascript', '5.11.1', 'direct', 2, 5, 0, 0, null],
  ['python', '2.60.10', 'ingestion', 2, 0, 2, 2, python],
  ['python', '2.60.10', 'refused', 1, 0, 2, 0, python],
  ['python', '4.6.1', 'staged', 1, 4, 0, 0, null],
  ['svc-js', '3.39.2', 'refused', 1, 0, 0, 0, js],
  ['svc-js', '3.39.2', 'staged', 1, 1, 0, 0, js],
  ['unknown', 'unknown', 'scores', 1, 0, 0, 1, null],
]

test('requests of each SDK are counted by path, canaries are not counted, and SDKs that must be upgraded are listed', async () => {
  const instance = await start(dual, { SVC_CANARY_URL: `http://127.0.0.1:${ports.PORT}` })
  await spans(js5, 3)
  await spans(python4, 4)
  await spans(js3, 1)
  await post('/ingestion', python2, batch(), 207)
  const canaries = async () => {
    const page = await (await fetch(`http://127.0.0.1:${ports.SVC_WORKER_PORT}/metrics`)).text()
    expect(page).toMatch(/svc_canaries_total\{path="direct",outcome="readable"\} [1-9]/)
  }
  await vi.waitFor(canaries, { timeout: 90_000, interval: 500 })
  expect(await instance.end('SIGTERM')).toBe(0)

  await start(eventsOnly)
  await spans(js5, 2)
  await spans(js3, 1, 400)
  await post('/ingestion', python2, batch(), 207)
  await post('/scores', {}, [{ traceId: nextId(16), name: 'quality', value: 1 }], 202)

  const sdks = async () => {
    const { code, out, error } = await svcOfInstance('sdks', '--json')
    expect([code, error]).toEqual([0, ''])
    return (JSON.parse(out) as { sdks: readonly Line[] }).sdks
  }
  const stored = async () => {
    const lines = await sdks()
    expect(lines.map(shown)).toEqual(expected)
    return lines
  }
  // An instance reports its counts every half minute. The test checks only every 10 s, because each check starts a process.
  const lines = await vi.waitFor(stored, { timeout: 180_000, interval: 10_000 })
  for (const line of lines) expect(line).toMatchObject({ projects: 1, projectIds: ['default-project'] })

  const { out } = await svcOfInstance('sdks', '--projects', '--days', '2')
  expect(out).toContain('default-project')
  expect(out).toContain('SDKs to upgrade, because events_only refuses their requests: 2.')
}, 400_000)
