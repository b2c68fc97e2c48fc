import type { Arrival } from '@svc-server/relational/arrivals'
import { expect, test } from 'vitest'
import { createArrivals } from '../src/arrivals.ts'
import { startGateway } from './gateway.ts'
import { requestOf, span } from './requests.ts'

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const brief = ({ publicKey, outcome, reason, status, spans, requests }: Arrival) => [publicKey, outcome, reason, status, spans, requests]

async function recording() {
  const written: Arrival[] = []
  const writeArrivals = async (arrivals: readonly Arrival[]) => {
    for (const arrival of arrivals) written.push(arrival)
  }
  return { written, gateway: await startGateway({ deps: { writeArrivals } }) }
}

test('each request is recorded under the key that it names, with its outcome', async () => {
  const { written, gateway: started } = await recording()
  await using gateway = started
  const traceId = '07'.repeat(16)
  const send = (options: Parameters<typeof gateway.send>[1]) => gateway.send('/v1/traces', options)
  await send({ body: requestOf(span({ traceId: '00'.repeat(16) }), span({ traceId }), span()) })
  await send({ body: requestOf(span({ traceId })) })
  await send({ headers: { authorization: basic('pk-claimed:wrong') }, body: requestOf(span()) })
  await send({ headers: { 'content-type': 'text/plain' }, body: requestOf(span()) })
  await send({ headers: { authorization: null }, body: requestOf(span()) })
  await send({ headers: { authorization: basic('pk\0x:wrong') }, body: requestOf(span()) })
  await send({ headers: { authorization: basic(`${'k'.repeat(201)}:wrong`) }, body: requestOf(span()) })
  await gateway.gateway.drain()
  expect(written.map(brief)).toEqual([
    ['pk-test', 'rejected', 'spans_rejected', 200, 1, 1],
    ['pk-test', 'accepted', '', 200, 1, 2],
    ['pk-claimed', 'refused', 'key_unknown', 401, 0, 1],
    ['pk-test', 'refused', 'content_type_unsupported', 415, 0, 1],
  ])
  const [rejected, accepted, , wrongType] = written
  expect(rejected!.message).toContain('The trace id is all zero.')
  expect(accepted).toMatchObject({ traceId: traceId, receivedAtMs: expect.any(Number), loggedAtMs: expect.any(Number) })
  expect(wrongType!.message).toContain('text/plain')
})

test('the first accepted span names the trace, also after rejected spans', async () => {
  const { written, gateway: started } = await recording()
  await using gateway = started
  const traceId = '09'.repeat(16)
  await gateway.send('/v1/traces', { body: requestOf(span({ traceId: '00'.repeat(16) }), span({ traceId })) })
  await gateway.gateway.drain()
  expect(written.find(({ outcome }) => outcome === 'accepted')).toMatchObject({ traceId: traceId, spans: 1 })
})

test('requests succeed while arrivals cannot be stored, and a flood of keys takes bounded memory', async () => {
  const lines: string[] = []
  const logger = { info() {}, warn: (_: object, sentence: string) => void lines.push(sentence) }
  const batches: (readonly Arrival[])[] = []
  const arrivals = createArrivals({
    write: async batch => {
      batches.push(batch)
      throw new Error('down')
    },
    logger: logger as never,
    clock: () => 1,
    limits: { waiting: 10, atOnce: 4 },
  })
  for (let n = 0; n < 50; n++) {
    arrivals.accepted({ publicKey: `pk-${n}`, receivedAtMs: n, acceptedSpans: 1, rejectedSpans: 0, message: '', traceId: undefined })
  }
  await arrivals.stop()
  await arrivals.stop()
  await arrivals.stop()
  await arrivals.stop()
  expect(batches.map(batch => batch.map(({ publicKey }) => publicKey))).toEqual([
    ['pk-0', 'pk-1', 'pk-2', 'pk-3'],
    ['pk-4', 'pk-5', 'pk-6', 'pk-7'],
    ['pk-8', 'pk-9'],
  ])
  expect(lines).toHaveLength(1)
})
