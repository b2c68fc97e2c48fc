// Tests F26. The tests check the order of responses and measure no times.

import { topicNames } from '@svc-server/modes/names'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GatewayDeps } from '../src/app.ts'
import { knownKeys, projectAuthorization, startGateway, type TestGateway } from './gateway.ts'
import { bigSpan, requestOf, span } from './requests.ts'

const neighbor = 'Basic neighbor'
/** If this value is set, authentication delays each request until all requests of the flood have arrived. */
let waiting: { left: number; readonly all: PromiseWithResolvers<void> } | undefined

const authenticate: GatewayDeps['authenticate'] = async (header, address) => {
  if (waiting !== undefined && --waiting.left === 0) waiting.all.resolve()
  await waiting?.all.promise
  return header === neighbor
    ? { orgId: 'org', apiKeyId: 'key-n', accessLevel: 'project', projectId: 'neighbor', publicKey: 'pk-n' }
    : knownKeys(header, address)
}

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway({ config: { workers: 2 }, deps: { authenticate } })
})
afterAll(async () => gateway[Symbol.asyncDispose]())

const traces = '/api/public/otel/v1/traces'
const flooding = 60

test.each([
  ['staged bodies for threads', requestOf(bigSpan(1024 * 1024)), requestOf(bigSpan(256 * 1024))],
  ['bodies for the event loop', requestOf(bigSpan(100 * 1024)), requestOf(span())],
])('F26 · %s: a neighbor that sends last gets its response before most of a flood', async (name, body, small) => {
  const version = name.startsWith('staged') ? '3' : '4'
  const answers: string[] = []
  const send = async (authorization: string, owner: string, bytes: Uint8Array) => {
    const headers = { authorization, 'content-type': 'application/x-protobuf', 'x-svc-ingestion-version': version }
    const { status } = await gateway.send(traces, { headers, body: bytes })
    answers.push(owner)
    return status
  }
  waiting = { left: flooding + 1, all: Promise.withResolvers<void>() }
  const flood = Array.from({ length: flooding }, () => send(projectAuthorization, 'flood', body))
  const statuses = await Promise.all([...flood, send(neighbor, 'neighbor', small)])
  waiting = undefined
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(answers.indexOf('neighbor')).toBeLessThan(flooding * 0.75)
})

test('F26 · direct spans beyond a project’s share go to spans.overflow and are counted; staged spans and a neighbor’s do not', async () => {
  await using small = await startGateway({ config: { projectWorkPerSecond: 400_000 }, deps: { authenticate } })
  const dear = requestOf(span({ attributes: [{ key: 'metadata', value: { stringValue: `[${'1,'.repeat(50_000)}1]` } }] }))
  const send = async (authorization: string, version: string, body: Uint8Array) => {
    const headers = { authorization, 'content-type': 'application/x-protobuf', 'x-svc-ingestion-version': version }
    const { status } = await small.send(traces, { headers, body })
    expect(status).toBe(200)
  }
  for (let i = 0; i < 5; i++) await send(projectAuthorization, '4', dear)
  for (let i = 0; i < 5; i++) await send(neighbor, '4', requestOf(span()))
  await send(projectAuthorization, '3', dear)
  const projects = async (topic: string) => (await small.batches(topic)).map(({ batch }) => batch.projectId)
  expect(await projects(topicNames.direct)).toEqual(['project-0', ...Array(5).fill('neighbor')])
  expect(await projects(topicNames.overflow)).toEqual(Array(4).fill('project-0'))
  expect(await projects(topicNames.staging)).toEqual(['project-0'])
  expect(await small.metric('svc_gateway_overflow_spans_total')).toBe(4)
  expect(await small.metric('svc_gateway_spans_total', { outcome: 'accepted', route: 'direct' })).toBe(10)
})
