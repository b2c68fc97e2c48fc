// Measures when a neighbor's spans become readable.
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { encodeTraceRequest } from '@svc-server/testkit'
import type { Instance } from '../instance.ts'

const betweenSpansMs = 300
const betweenQuestionsMs = 100

/** For each accepted span, returns how long after the response the span's row became readable, in milliseconds. */
export async function timesToRow(instance: Instance, neighbor: string, seconds: number): Promise<readonly number[]> {
  const waiting = new Map<string, number>()
  const times: number[] = []
  const until = performance.now() + seconds * 1000
  let sending = true

  async function send(): Promise<void> {
    while (performance.now() < until) {
      const spanId = randomBytes(8).toString('hex')
      const span = { traceId: randomBytes(16).toString('hex'), spanId, name: 'row', startTimeUnixNano: BigInt(Date.now()) * 1_000_000n }
      const response = await fetch(instance.tracesUrl, {
        method: 'POST',
        headers: { authorization: neighbor, 'content-type': 'application/x-protobuf', 'x-svc-ingestion-version': '4' },
        body: new Uint8Array(encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })),
      })
      await response.arrayBuffer()
      if (response.status === 200) waiting.set(spanId, performance.now())
      await pause(betweenSpansMs)
    }
    sending = false
  }

  async function look(): Promise<void> {
    while (sending || waiting.size > 0) {
      await pause(betweenQuestionsMs)
      if (waiting.size === 0) continue
      const ids = [...waiting.keys()].map(id => `'${id}'`).join()
      const found = await instance.query<{ span_id: string }>(
        `SELECT span_id FROM events_core WHERE project_id = 'neighbor' AND start_time > now() - INTERVAL 1 HOUR AND span_id IN (${ids})`,
      )
      for (const { span_id: id } of found) {
        times.push(performance.now() - waiting.get(id)!)
        waiting.delete(id)
      }
    }
  }

  await Promise.all([send(), look()])
  return times.sort((a, b) => a - b)
}
