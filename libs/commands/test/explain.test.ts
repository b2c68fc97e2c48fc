import { writeFile } from 'node:fs/promises'
import { deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { ExplainedRequest } from '@svc-server/observations/block/explain'
import {
  attributes,
  encodeTraceRequest,
  otlpFixtures,
  plainBody,
  type TemporaryDirectory,
  temporaryDirectory,
  traceRequestJson,
} from '@svc-server/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isLocal, runLocalCommand } from '../src/run.ts'

let directory: TemporaryDirectory
beforeAll(async () => {
  directory = await temporaryDirectory()
})
afterAll(() => directory.remove())

async function explain(body: Uint8Array, ...options: string[]) {
  const path = `${directory.path}/payload`
  await writeFile(path, body)
  const out: string[] = []
  const error: string[] = []
  const code = await runLocalCommand(
    ['explain', path, ...options],
    line => out.push(line),
    line => error.push(line),
  )
  return { code, out: out.join('\n'), error: error.join('\n') }
}

const now = BigInt(Date.now()) * 1_000_000n
const request = {
  resourceSpans: [
    {
      resource: { attributes: attributes({ 'service.name': 'shop' }) },
      scopeSpans: [
        {
          scope: { name: 'acme-sdk' },
          spans: [
            {
              traceId: '0af7651916cd43dd8448eb211c80319c',
              spanId: 'b7ad6b7169203331',
              name: 'ask',
              startTimeUnixNano: String(now),
              endTimeUnixNano: String(now),
              attributes: attributes({
                'gen_ai.operation.name': 'chat',
                'acme.observation.input': 'q',
                'gen_ai.prompt.0.__proto__': 'x',
                own: 1,
              }),
            },
          ],
        },
      ],
    },
  ],
}
const protobuf = encodeTraceRequest(request)

test('runs in the process of the operator, where the files are', () => {
  expect(isLocal(['explain', 'file'])).toBe(true)
  expect(isLocal(['keys', 'list'])).toBe(false)
})

test('names the rule and the attributes of each column, and omits unset columns without --all', async () => {
  const { code, out } = await explain(protobuf)
  expect(code).toBe(0)
  expect(out).toContain('span 0: ask')
  expect(out).toMatch(/type +GENERATION +gen_ai\.operation\.name/)
  expect(out).toMatch(/service_name +shop +resource service\.name/)
  expect(out).toMatch(/name +ask +span name/)
  expect(out).toMatch(/metadata attributes\.own +1/)
  expect(out).toContain('rebuild_key: 1 (kept in the metadata)')
  expect(out).not.toContain('experiment_id')
  expect((await explain(protobuf, '--all')).out).toContain('experiment_id')
})

test('names the model of the shipped list that matched, and the spelling of the name that matched', async () => {
  const span = { ...request.resourceSpans[0]!.scopeSpans[0]!.spans[0]!, attributes: attributes({ 'gen_ai.request.model': 'azure.gpt-4o' }) }
  const { out } = await explain(encodeTraceRequest({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }))
  expect(out).toMatch(/model_id +openai\/gpt-4o +catalog, as gpt-4o: without the prefix azure\./)
})

test('accepts brand aliases as an option', async () => {
  expect((await explain(protobuf, '--brand-aliases', 'acme')).out).toMatch(/input +q +svc SDK ← svc\.observation\.input/)
})

describe('recognizes the format of the payload', () => {
  test.each<[string, Uint8Array]>([
    ['protobuf', protobuf],
    ['protobuf, gzip', gzipSync(protobuf)],
    ['protobuf, zstd', zstdCompressSync(protobuf)],
    ['protobuf, two zstd frames', Buffer.concat([zstdCompressSync(protobuf.subarray(0, 9)), zstdCompressSync(protobuf.subarray(9))])],
    ['protobuf, zstd behind a skippable frame', Buffer.concat([Buffer.from('552a4d1802000000aaaa', 'hex'), zstdCompressSync(protobuf)])],
    ['protobuf, deflate', deflateSync(protobuf)],
    ['JSON', traceRequestJson(request)],
    ['JSON with space before it', Buffer.concat([Buffer.from('\n  '), traceRequestJson(request)])],
    ['JSON, gzip', gzipSync(traceRequestJson(request))],
  ])('%s', async (_, body) => {
    const { out } = await explain(body, '--json')
    const { spans, rejected } = JSON.parse(out) as ExplainedRequest
    expect(rejected).toEqual([])
    expect(spans[0]!.columns['type']).toEqual({ value: 'GENERATION', rule: 'gen_ai.operation.name', attributes: ['gen_ai.operation.name'] })
  })
})

test('explains every recorded payload of real clients', async () => {
  for (const fixture of otlpFixtures()) {
    const { code, out, error } = await explain(fixture.body, '--json')
    expect([fixture.client, fixture.case, code, error]).toEqual([fixture.client, fixture.case, 0, ''])
    const { spans } = JSON.parse(out) as ExplainedRequest
    expect(spans.length, `${fixture.client} ${plainBody(fixture).length} bytes`).toBeGreaterThan(0)
  }
})

test.each([
  [['explain', '/nowhere/at/all'], 2, 'cannot be read'],
  [['explain', 'a', 'b'], 2, 'one file'],
  [['explain', '--nonsense'], 2, 'nonsense'],
  [['explain', 'a', '--brand-aliases', 'A B'], 2, 'lower-case'],
])('rejects %j and names the mistake', async (argv, exitCode, word) => {
  const error: string[] = []
  expect(
    await runLocalCommand(
      argv,
      () => {},
      line => error.push(line),
    ),
  ).toBe(exitCode)
  expect(error.join()).toContain(word)
})

test('reports a body that is not OTLP as an error of the payload', async () => {
  expect(await explain(Buffer.from('{"resourceSpans":['))).toMatchObject({ code: 1, error: expect.stringContaining('body_undecodable') })
  expect((await explain(Buffer.alloc(0))).code).toBe(1)
})
