// Removes a batch of spans from the files of the log, and starts the instance with this damaged log (F45).
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openEmbeddedLog } from '@svc-server/log/embedded'
import { groupNames, topicNames } from '@svc-server/modes/names'
import { encodeSpanBatch } from '@svc-server/schema/span-batch'
import { topicSpecs } from '@svc-server/schema/topics'
import { encodeTraceRequest, type TemporaryDirectory, waitFor } from '@svc-server/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instanceDirectory } from '../directory.ts'
import { freePorts, type Instance, type Ports, startInstance, svc } from '../instance.ts'

const spansPerRecord = 30
let directory: TemporaryDirectory
let ports: Ports
let instance: Instance

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0')

function record(number: number): Uint8Array {
  const at = BigInt(Date.now()) * 1_000_000n
  const spans = Array.from({ length: spansPerRecord }, (_, index) => ({
    traceId: hex(number + 1, 32),
    spanId: hex(number * spansPerRecord + index + 1, 16),
    name: 'span',
    startTimeUnixNano: at,
    endTimeUnixNano: at + 1n,
  }))
  const payload = encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
  return encodeSpanBatch({
    ...{ projectId: 'default-project', apiKey: 'pk', sdkName: '', sdkVersion: '', ingestionVersion: 4, receivedAtMs: Date.now() },
    ...{ ingestId: String(number), contentEncoding: 'identity', decodedBytes: payload.length, spanCount: spans.length, payload },
    traceAttributes: null,
  })
}

beforeAll(async () => {
  directory = await instanceDirectory()
  const path = join(directory.path, 'log')
  mkdirSync(path, { mode: 0o700 })
  const enabledReaders = [groupNames.writer, groupNames.ledger, groupNames.propagator]
  const log = await openEmbeddedLog({ directory: path, topics: topicSpecs({ embedded: true, enabledReaders }) })
  for (const [number, partition] of [0, 0, 0, 1].entries()) {
    await log.append(topicNames.direct, [{ key: null, value: record(number), partition }])
  }
  await log.close()
  const child = join(import.meta.dirname, '../../../../libs/log/test/embedded/damaging-child.ts')
  execFileSync(process.execPath, ['--disable-warning=ExperimentalWarning', child, path, topicNames.direct, '0', '1'])
  ports = await freePorts()
  instance = startInstance(directory.path, ports)
})
afterAll(async () => {
  await instance.end('SIGKILL')
  await directory.remove()
})

const stored = (spans: number) =>
  waitFor(async () => (await instance.count('SELECT count() AS n FROM events_full').catch(() => 0)) === spans, {
    what: `${spans} rows`,
  })
const get = async (path: string) => {
  const answer = await fetch(`http://127.0.0.1:${ports.SVC_WORKER_PORT}${path}`)
  return { status: answer.status, text: await answer.text() }
}

test('F45 · a lost batch halts its partition with an alert; after it is skipped, all other spans are stored and the loss stays visible', async () => {
  await stored(2 * spansPerRecord)
  await waitFor(async () => (await get('/health/progress')).text.includes('svc log skip spans.direct 0 --to 2'), {
    what: 'the halt',
  })
  expect((await get('/health/ready')).status).toBe(503)
  expect(instance.output()).toContain('spans.direct/0 is damaged from 1 to 1')
  expect(await instance.count('SELECT count() AS n FROM events_full')).toBe(2 * spansPerRecord)

  expect(await svc(directory.path, ports, 'log', 'skip', topicNames.direct, '0', '--to', '2')).toMatchObject({
    code: 0,
    out: expect.stringContaining('spans.direct/0/1: 1 record would be lost'),
  })
  expect(await svc(directory.path, ports, 'log', 'skip', topicNames.direct, '0', '--to', '2', '--yes')).toMatchObject({ code: 0 })
  await stored(3 * spansPerRecord)
  await waitFor(async () => (await get('/health/progress')).status === 200, { what: 'progress' })
  expect((await get('/health/ready')).status).toBe(200)

  const check = await svc(directory.path, ports, 'check', '--json', '--wait', '10')
  const { conserved, findings } = JSON.parse(check.out) as { conserved: boolean; findings: object[] }
  expect([check.code, conserved]).toEqual([1, false])
  const lost = { kind: 'lost', topic: topicNames.direct, partition: 0, first: 1, last: 1, spans: 1 }
  expect(findings).toContainEqual(expect.objectContaining(lost))
  await waitFor(async () => (await get('/metrics')).text.includes('svc_log_lost_records{topic="spans.direct"} 1'), {
    what: 'the gauge',
  })
})
