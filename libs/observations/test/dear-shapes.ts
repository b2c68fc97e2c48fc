// These spans are small but expensive to map. Their measured times determine the weights of the work meter.
import type { KeyValue, Span } from '@svc-server/testkit'

type Value = NonNullable<KeyValue['value']>

const yes: Value = { boolValue: true }
const text = (key: string, stringValue: string): KeyValue => ({ key, value: { stringValue } })

function manyOf<T>(bytes: number, sizeOf: (each: T) => number, each: (i: number) => T): T[] {
  const all: T[] = []
  for (let i = 0, size = 0; size < bytes; i++) {
    const one = each(i)
    all.push(one)
    size += sizeOf(one)
  }
  return all
}

const joined = (bytes: number, open: string, each: (i: number) => string, close: string): string =>
  `${open}${manyOf(bytes, part => part.length + 1, each).join()}${close}`

const attributeBytes = ({ key = '', value }: KeyValue): number => key.length + 10 + (value?.stringValue?.length ?? 0)
const attributes = (bytes: number, each: (i: number) => KeyValue): Partial<Span> => ({ attributes: manyOf(bytes, attributeBytes, each) })
const one = (key: string, value: Value): Partial<Span> => ({ attributes: [{ key, value }] })
const json = (key: string, open: string, each: (i: number) => string, close: string) => (bytes: number) =>
  one(key, { stringValue: joined(bytes, open, each, close) })
const name = (i: number) => i.toString(36)

function seeded(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state % below
  }
}

/** The span reports no usage. The server must therefore count the tokens. */
const counted =
  (each: (random: (below: number) => number, i: number) => string) =>
  (bytes: number): Partial<Span> => {
    const random = seeded(7)
    const input = manyOf(bytes, Buffer.byteLength, i => each(random, i)).join('')
    return {
      attributes: [
        text('svc.observation.type', 'generation'),
        text('gen_ai.request.model', 'gpt-4o'),
        text('svc.observation.input', input),
      ],
    }
  }

const words = 'the model reads a question about trains, and answers it in two or three sentences of plain English'.split(' ')

export const dearShapes: Readonly<Record<string, (bytes: number) => Partial<Span>>> = {
  'one text': bytes => one('svc.observation.input', { stringValue: 'some prose '.repeat(bytes / 11) }),
  'attributes of their own': bytes => attributes(bytes, i => ({ key: `key.${i}`, value: yes })),
  'short names': bytes => attributes(bytes, i => ({ key: name(i), value: yes })),
  'texts of attributes': bytes => attributes(bytes, i => text(`key.${i}`, 'v')),
  'dotted metadata': bytes => attributes(bytes, i => text(`svc.observation.metadata.k${i}`, 'v')),
  'request parameters': bytes => attributes(bytes, i => text(`gen_ai.request.k${i}`, 'v')),
  'counts of tokens': bytes => attributes(bytes, i => ({ key: `gen_ai.usage.details.k${i}`, value: { intValue: i } })),
  'counts of tokens, plain': bytes => attributes(bytes, i => ({ key: `gen_ai.usage.k${i}`, value: { intValue: i } })),
  'token counts of OpenInference': bytes => attributes(bytes, i => ({ key: `llm.token_count.k${i}`, value: { intValue: i } })),
  'prompts, contents': bytes => attributes(bytes, i => text(`gen_ai.prompt.${i >> 1}.${i & 1 ? 'content' : 'role'}`, 'v')),
  'completions, contents': bytes => attributes(bytes, i => text(`gen_ai.completion.${i >> 1}.${i & 1 ? 'content' : 'role'}`, 'v')),
  'prompts, calls': bytes => attributes(bytes, i => text(`gen_ai.completion.0.tool_calls.${i >> 1}.${i & 1 ? 'name' : 'arguments'}`, '{}')),
  'prompts by name': bytes => attributes(bytes, i => text(`gen_ai.prompt.x${i}.content`, 'v')),
  'prompts beyond the slots': bytes => attributes(bytes, i => text(`gen_ai.prompt.${i * 7}.content`, 'v')),
  'deep parts of a prompt': bytes =>
    attributes(bytes, i => text(`gen_ai.prompt.${i >> 5}.${Array.from({ length: 36 }, (_, depth) => `a${depth}`).join('.')}${i}`, 'v')),
  'shallow deep prompt': bytes => attributes(bytes, i => text(`gen_ai.prompt.${'a.'.repeat(38)}${i}`, 'v')),
  'messages of OpenInference': bytes => attributes(bytes, i => text(`llm.input_messages.${i % 9000}.message.content`, 'v')),
  'calls of OpenInference': bytes =>
    attributes(bytes, i => text(`llm.output_messages.0.message.tool_calls.${i}.tool_call.function.name`, 'v')),
  'tools of OpenInference': bytes => attributes(bytes, i => text(`llm.tools.${i}.tool.json_schema`, `{"name":"t${i}"}`)),
  'map on the wire': bytes => one('key', { kvlistValue: { values: manyOf(bytes, attributeBytes, i => ({ key: name(i), value: yes })) } }),
  'map of metadata': bytes =>
    one('svc.observation.metadata', { kvlistValue: { values: manyOf(bytes, attributeBytes, i => ({ key: name(i), value: yes })) } }),
  'map of messages': bytes =>
    one('gen_ai.input.messages', { kvlistValue: { values: manyOf(bytes, attributeBytes, i => ({ key: name(i), value: yes })) } }),
  'maps of one entry': bytes =>
    one('key', { arrayValue: { values: Array<Value>(bytes / 16).fill({ kvlistValue: { values: [{ key: 'a', value: yes }] } }) } }),
  'list on the wire': bytes => one('key', { arrayValue: { values: Array<Value>(bytes / 4).fill(yes) } }),
  'list of empty texts': bytes => one('key', { arrayValue: { values: Array<Value>(bytes / 4).fill({ stringValue: '' }) } }),
  'list of doubles': bytes =>
    one('key', { arrayValue: { values: Array.from({ length: bytes / 11 }, (_, i) => ({ doubleValue: i * 1.1 })) } }),
  'control characters': bytes => one('key', { arrayValue: { values: [{ stringValue: '\u0001'.repeat(bytes) }] } }),
  'metadata of numbers': json('svc.observation.metadata', '[', () => '1', ']'),
  'metadata of fractions': json('svc.observation.metadata', '[', () => '0.1', ']'),
  'metadata of names': json('svc.observation.metadata', '{', i => `"${name(i)}":1`, '}'),
  'metadata of deep names': json('svc.observation.metadata', '{', i => `"${name(i)}":{"a":{"b":{}}}`, '}'),
  'metadata of names with escapes': json('svc.observation.metadata', '{', i => `"\\\\${name(i)}":1`, '}'),
  'metadata of numbered names with escapes': json('svc.observation.metadata', '[', () => '{"\\\\":1,"1023":1}', ']'),
  'messages with escapes': json('gen_ai.input.messages', '[', () => '{"\\t":1,"\\\\":""}', ']'),
  'metadata of traces': json('svc.trace.metadata', '{', i => `"${name(i)}":"v"`, '}'),
  'usage details': json('svc.observation.usage_details', '{', i => `"${name(i)}":${i}`, '}'),
  'cost details': json('svc.observation.cost_details', '{', i => `"${name(i)}":0.1`, '}'),
  'model parameters': json('svc.observation.model.parameters', '{', i => `"${name(i)}":${i}`, '}'),
  'tags as JSON': json('svc.trace.tags', '[', i => `"${name(i)}"`, ']'),
  'tags with commas': bytes => one('svc.trace.tags', { stringValue: 'a,'.repeat(bytes / 2) }),
  'tags on the wire': bytes =>
    one('svc.trace.tags', {
      arrayValue: {
        values: manyOf<Value>(
          bytes,
          () => 10,
          i => ({ stringValue: name(i) }),
        ),
      },
    }),
  'messages of the conventions': json('gen_ai.input.messages', '[', i => `{"role":"user","parts":[{"type":"text","content":"${i}"}]}`, ']'),
  'calls of the conventions': json(
    'gen_ai.output.messages',
    '[',
    i => `{"role":"assistant","parts":[{"type":"tool_call","id":"${i}","name":"f","arguments":{}}]}`,
    ']',
  ),
  'tools of the conventions': json('gen_ai.tool.definitions', '[', i => `{"type":"function","name":"f${i}"}`, ']'),
  'calls as JSON': json('gen_ai.output.messages', '[', i => `{"function":{"name":"${i}"}}`, ']'),
  'calls in texts': json('gen_ai.output.messages', '[', i => JSON.stringify(`{"function":{"name":"${i}"}}`), ']'),
  'calls as output': json(
    'svc.observation.output',
    '[{"role":"assistant","tool_calls":[',
    i => `{"id":"${i}","function":{"name":"f"}}`,
    ']}]',
  ),
  'tools as input': json('svc.observation.input', '{"tools":[', i => `{"type":"function","function":{"name":"f${i}"}}`, ']}'),
  'tools of the SDK of AI': bytes =>
    one('ai.prompt.tools', {
      arrayValue: {
        values: manyOf<Value>(
          bytes,
          () => 40,
          i => ({ stringValue: `{"type":"function","name":"f${i}"}` }),
        ),
      },
    }),
  'messages of the SDK of AI': json('ai.prompt.messages', '[', i => `{"role":"user","content":"${i}"}`, ']'),
  'events of Logfire': json('events', '[', i => `{"event.name":"gen_ai.user.message","content":"${i}"}`, ']'),
  'messages of Logfire': json('all_messages_events', '[', i => `{"event.name":"gen_ai.user.message","content":"${i}"}`, ']'),
  'nested texts': json('svc.observation.output', '[', () => '"\\"a"', ']'),
  'empty texts': json('gen_ai.output.messages', '[', () => '""', ']'),
  'deep lists': bytes => one('svc.observation.input', { stringValue: `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}` }),
  'spaces of JSON': bytes => one('svc.observation.metadata', { stringValue: `[${' '.repeat(bytes)}1]` }),
  'escapes of JSON': bytes => one('svc.observation.metadata', { stringValue: `["${'\\u0041'.repeat(bytes / 6)}"]` }),
  'escapes of a message': bytes => one('gen_ai.output.messages', { stringValue: `["${'\\u0041'.repeat(bytes / 6)}"]` }),
  events: bytes => ({ events: Array.from({ length: bytes / 16 }, (_, i) => ({ timeUnixNano: '1795262400123456789', name: name(i) })) }),
  'events of messages': bytes => ({
    events: Array.from({ length: bytes / 60 }, (_, i) => ({
      timeUnixNano: '1795262400123456789',
      name: 'gen_ai.user.message',
      attributes: [text('content', name(i))],
    })),
  }),
  'attributes of events': bytes => ({ events: [{ name: 'e', ...attributes(bytes, i => text(name(i), 'v')) }] }),
  links: bytes => ({
    links: Array.from({ length: bytes / 28 }, () => ({ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' })),
  }),
  'counted prose': counted(random => `${words[random(words.length)]} `),
  'counted new words': counted(random => `${Array.from({ length: 6 }, () => String.fromCharCode(97 + random(26))).join('')} `),
  'counted runs of letters': counted((random, i) => (i % 256 === 255 ? ' ' : String.fromCharCode(97 + random(26)))),
  'counted ideographs': counted(random => String.fromCharCode(0x4e00 + random(0x51a5))),
  'counted Hangul': counted(random => String.fromCharCode(0xac00 + random(11_000))),
  'counted letters beyond the plane': counted(random => String.fromCodePoint(0x20000 + random(40_000))),
  'counted emoji': counted(random => String.fromCodePoint(0x1f300 + random(500))),
  'counted marks': counted(random => String.fromCharCode(0x0f40 + random(60))),
  'counted two bytes': counted(random => String.fromCharCode(0x80 + random(0x700))),
  'counted punctuation': counted(random => "!@#$%^&*()_+-=[]{};:,./<>?'"[random(27)]!),
  'counted upper and lower': counted((_, i) => (i & 1 ? 'A' : 'a')),
  'counted spaces': counted(random => ' \n\t\r'[random(4)]!),
  'counted digits': counted(random => String(random(10))),
}
