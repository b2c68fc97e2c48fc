import { readNativeBlock } from '@svc-server/column-store/native'
import { encodeTraceRequest, otlpFixtures } from '@svc-server/testkit'
import { expect, test } from 'vitest'
import { createChunkEncoder } from '../src/block/chunk-encoder.ts'
import { parseTools } from '../src/rules/tool-texts.ts'
import { parseJson } from '../src/span-view/json-text.ts'
import { batchOf, recordOf, requestOf } from './mapped-rows.ts'

const tool = (name: string, length = 10) =>
  JSON.stringify({ type: 'function', function: { name, description: 'd'.repeat(length), parameters: { type: 'object', limit: 1.5e300 } } })

function frozen(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const inner of Object.values(value)) frozen(inner)
  return Object.freeze(value)
}

test('parses any repeated text once', () => {
  for (const text of [`[${tool('again')}]`, '[', 'null', '"text"', '12345678901234567890', '']) {
    const value = parseTools(text)
    expect(value).toEqual(parseJson(text))
    expect(parseTools(text)).toBe(value)
  }
})

test('bounds the cache, because a client may send any number of texts of any length', () => {
  const first = parseTools(tool('first'))
  const long = tool('long', 1 << 16)
  expect(parseTools(long)).not.toBe(parseTools(long))
  expect(parseTools(tool('first'))).toBe(first)
  for (let i = 0; i < 40; i++) parseTools(tool(`n${i}`, 30_000))
  expect(parseTools(tool('first'))).not.toBe(first)
  expect(parseTools(tool('first'))).toEqual(first)
})

test('caches one text per length among texts that the runtime does not hash, and never confuses two', () => {
  const [one, other] = ['a', 'b'].map(name => tool(name, 20_000)) as [string, string]
  const values = [one, one, other, one].map(parseTools)
  expect(values[1]).toBe(values[0])
  expect(values).toEqual([one, one, other, one].map(parseJson))
  expect(values[3]).not.toBe(values[0])
})

test('spans with the same tools give the same rows, and none modifies the shared values', () => {
  const texts = [`[${tool('a')},${tool('b')},${tool('a')}]`, JSON.stringify([tool('c'), tool('d')])]
  const inputs = [undefined, 'a text', '[{"role":"user","content":"x"}]', '{"messages":[],"tools":[{"name":"own"}]}', '{"tools":[]}', '7']
  const sent = texts.flatMap(tools => [
    ...inputs.map(input => ({ 'gen_ai.tool.definitions': tools, ...(input !== undefined && { 'gen_ai.input.messages': input }) })),
    { 'llm.tools.0.tool.json_schema': tool('e'), 'input.value': 'x' },
    { 'svc.observation.metadata.tools': tools, 'svc.observation.input': 'x' },
  ])
  const row = (values: (typeof sent)[number]) => {
    const { body } = createChunkEncoder().encode([recordOf(batchOf(encodeTraceRequest(requestOf(values))))])
    return readNativeBlock(body)
  }
  const before = sent.map(row)
  for (const text of [...texts, tool('a'), tool('c'), tool('d'), tool('e')]) frozen(parseTools(text))
  expect(sent.map(row)).toEqual(before)
  expect(Object.keys(before[0]![0]!['tool_definitions'] as object)).toHaveLength(2)
})

test('mapping a recorded request twice gives the same block', () => {
  const encoder = createChunkEncoder()
  for (const { body, contentType, headers } of otlpFixtures()) {
    if (contentType !== 'application/x-protobuf' || headers['content-encoding'] !== undefined) continue
    const record = recordOf(batchOf(body))
    expect(encoder.encode([record]).hash).toBe(encoder.encode([record]).hash)
  }
})
