// Compares the library with a second implementation of contract §14.4 (the model). The model sorts the events and applies each event to a
// plain object.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { traceRows } from '../src/rows/trace.ts'
import { joinStates, nothingSaid, saidValue } from '../src/state.ts'
import { anyEvents, entityOf, environments, type Sent, startMs, stateOf } from './events.ts'

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const isUpdate = ({ type }: Sent) => type.endsWith('-update')

function inOrder(sent: readonly Sent[]): Sent[] {
  const rank = ({ at = 0 }: Sent) => at
  const hashOf = (each: Sent) => stateOf(each).fields.get('apiKey')!.by.hash
  return [...sent].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      Number(isUpdate(a)) - Number(isUpdate(b)) ||
      (a.id! === b.id! ? 0 : a.id! < b.id! ? -1 : 1) ||
      (hashOf(a) < hashOf(b) ? -1 : hashOf(a) === hashOf(b) ? 0 : 1),
  )
}

/** `__proto__` must be stored as an ordinary name. */
const put = (object: Json, name: string, value: unknown) =>
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })

function deepMerge(into: Json, from: Json): Json {
  for (const [name, value] of Object.entries(from)) {
    const before = Object.hasOwn(into, name) ? into[name] : undefined
    if (isObject(value)) {
      const merged = deepMerge(isObject(before) ? { ...before } : {}, value)
      if (Object.keys(merged).length > 0) put(into, name, merged)
    } else if (!(Array.isArray(value) && value.length === 0)) put(into, name, value)
  }
  return into
}

const sorted = (value: unknown): unknown =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([k, v]) => [k, sorted(v)]),
      )
    : value

const asText = (value: unknown) => (typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value))

function metadataOf(sent: readonly Sent[]): unknown {
  let merged: Json = {}
  for (const { body } of inOrder(sent)) {
    const { metadata } = body
    if (metadata === undefined || metadata === null) continue
    merged = deepMerge(merged, isObject(metadata) ? metadata : { metadata })
  }
  return Object.fromEntries(Object.entries(merged).map(([name, value]) => [name.toWellFormed(), asText(sorted(value))]))
}

function lastOf(sent: readonly Sent[], name: string, counts: (value: unknown) => boolean = value => value !== undefined): unknown {
  return inOrder(sent)
    .map(({ body }) => body[name])
    .findLast(counts)
}
const firstOf = (sent: readonly Sent[], name: string): unknown =>
  inOrder(sent)
    .map(({ body }) => body[name])
    .find(value => value != null)

const ofKind = (type: string): string => type.slice(0, type.lastIndexOf('-')).toUpperCase()

describe('the join equals applying events one by one', () => {
  test('for a trace', () => {
    fc.assert(
      fc.property(anyEvents('trace'), sent => {
        const [row] = traceRows(entityOf('trace', sent.map(stateOf).reduce(joinStates, nothingSaid)))
        const truthy = (name: string) => {
          const value = lastOf(sent, name, Boolean)
          return value === undefined ? null : asText(value)
        }
        const environment = firstOf(sent, 'environment')
        const timestamp = firstOf(sent, 'timestamp')
        expect({ ...row, metadata: Object.fromEntries(row!.metadata) }).toMatchObject({
          name: lastOf(sent, 'name') ?? '',
          user_id: lastOf(sent, 'userId') ?? null,
          session_id: lastOf(sent, 'sessionId') ?? null,
          release: lastOf(sent, 'release') ?? null,
          version: lastOf(sent, 'version') ?? null,
          public: lastOf(sent, 'public') === true ? 1 : 0,
          environment: environment === undefined ? 'default' : environments.normalized(environment as string),
          timestamp: timestamp === undefined ? startMs + Math.min(...sent.map(({ at = 0 }) => at)) : Date.parse(timestamp as string),
          tags: [...new Set(sent.flatMap(({ body }) => (body['tags'] ?? []) as string[]))].sort(),
          input: truthy('input'),
          output: truthy('output'),
          metadata: metadataOf(sent),
        })
      }),
      { numRuns: 400 },
    )
  })

  test('for an observation', () => {
    fc.assert(
      fc.property(anyEvents('observation'), sent => {
        const state = sent.map(stateOf).reduce(joinStates, nothingSaid)
        const timeOf = (value: unknown) => (value == null ? null : String(Date.parse(value as string)))
        expect(saidValue(state, 'traceId')).toBe(firstOf(sent, 'traceId') ?? null)
        expect(saidValue(state, 'startMs')).toBe(timeOf(firstOf(sent, 'startTime')))
        expect(saidValue(state, 'endMs')).toBe(timeOf(lastOf(sent, 'endTime')))
        expect(saidValue(state, 'parentId')).toBe(lastOf(sent, 'parentObservationId') ?? null)
        const types = inOrder(sent).map(({ type, body }) => (type.startsWith('observation-') ? body['type'] : ofKind(type)))
        expect(saidValue(state, 'type')).toBe(types.findLast(type => type !== undefined) ?? null)
        const parameters = lastOf(sent, 'modelParameters', value => value === null || (isObject(value) && Object.keys(value).length > 0))
        expect(saidValue(state, 'modelParameters')).toBe(parameters == null ? null : JSON.stringify(parameters))
        const prompted = inOrder(sent).findLast(({ body }) => body['promptName'] !== undefined)?.body
        const prompt = prompted?.['promptName'] == null ? null : JSON.stringify([prompted['promptName'], prompted['promptVersion']])
        expect(saidValue(state, 'prompt')).toBe(prompt)
      }),
      { numRuns: 400 },
    )
  })
})
