// F26 · a neighbour of a flood is answered in turn, whatever the flood is made of: told by the order of answers, not by a clock.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GatewayDeps } from '../src/app.ts'
import { knownKeys, projectAuthorization, startGateway, type TestGateway } from './gateway.ts'
import { bigSpan, requestOf, span } from './requests.ts'

const neighbour = 'Basic neighbour'
const authenticate: GatewayDeps['authenticate'] = async (header, address) =>
  header === neighbour
    ? { orgId: 'org', apiKeyId: 'key-n', accessLevel: 'project', projectId: 'neighbour', publicKey: 'pk-n' }
    : knownKeys(header, address)

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
])('F26 · %s: most of a flood is answered behind a neighbour that came last', async (name, body, small) => {
  const version = name.startsWith('staged') ? '3' : '4'
  const answers: string[] = []
  const send = async (authorization: string, owner: string, bytes: Uint8Array) => {
    const headers = { authorization, 'content-type': 'application/x-protobuf', 'x-svc-ingestion-version': version }
    const { status } = await gateway.send(traces, { headers, body: bytes })
    answers.push(owner)
    return status
  }
  const flood = Array.from({ length: flooding }, () => send(projectAuthorization, 'flood', body))
  const statuses = await Promise.all([...flood, send(neighbour, 'neighbour', small)])
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(answers.indexOf('neighbour')).toBeLessThan(flooding * 0.75)
})
