// The API parses the bodies of the single-entity routes in the same way as the bodies of batches. If such a body is large, the API parses
// it in a worker thread.
import * as legacy from '@svc-server/api/legacy/writes'
import { afterAll, expect, test } from 'vitest'
import { createPayloadWorkers } from '../src/work/payload-workers.ts'
import { terms } from './acceptance.ts'

const payloads = createPayloadWorkers(1)
afterAll(() => payloads.stop())

const bodyOf = (value: unknown) => {
  const text = Buffer.from(JSON.stringify(value))
  return new Uint8Array(new Uint8Array(text).buffer)
}
const large = 'x'.repeat(70_000)
const plan = (operationId: string, body: Uint8Array) => payloads.parse({ kind: 'body', operationId, body, terms }, 'p')

test.for(Object.values(legacy).map(({ id }) => id))('%s is parsed in a thread', async operationId => {
  const body = bodyOf({ id: 'a', spanId: 'a', generationId: 'a', traceId: 't', metadata: large })
  const made = await plan(operationId, body)
  expect(body.byteLength).toBe(0)
  expect(made).toMatchObject({ id: 'a', outcomes: [{ kind: 'record' }] })
})

test('the thread refuses an invalid large body and continues', async () => {
  await expect(plan('legacy.createTrace', bodyOf({ tags: [0], metadata: large }))).rejects.toMatchObject({
    issues: [{ path: ['tags', 0], message: 'Invalid input: expected string, received number' }],
  })
  expect(await plan('legacy.createSpan', bodyOf({ metadata: large }))).toMatchObject({
    outcomes: [{ kind: 'record' }, { kind: 'record' }],
  })
})
