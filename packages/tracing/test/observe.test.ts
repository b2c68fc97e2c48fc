import { SpanStatusCode } from '@opentelemetry/api'
import { describe, expect, test } from 'vitest'
import { observe, updateActiveObservation } from '../src/index.ts'
import { attributesOf, ended, failing, only, recordObservations } from './recorded.ts'

recordObservations()

describe('an observed function', () => {
  test('has its name, its arguments and its result', async () => {
    const add = observe(async function add(a: number, b: number) {
      return a + b
    })
    expect(await add(1, 2)).toBe(3)
    expect(only().name).toBe('add')
    expect(attributesOf(only())).toEqual({
      'svc.observation.type': 'span',
      'svc.observation.input': '[1,2]',
      'svc.observation.output': '3',
    })
  })

  test.each([
    [[], undefined],
    [[0], '0'],
    [[''], ''],
    [[false], 'false'],
    [[undefined], undefined],
    [[{ a: 1 }], '{"a":1}'],
    [['a', null], '["a",null]'],
  ])('called with %j has the input %s', (given, input) => {
    observe((...all: unknown[]) => void all)(...given)
    expect(only()).toMatchObject({ name: 'anonymous-function' })
    expect(only().attributes['svc.observation.input']).toBe(input)
    expect(only().attributes).not.toHaveProperty('svc.observation.output')
  })

  test('keeps its this, and records what its options select', () => {
    const counter = {
      count: 2,
      get: observe(
        function (this: { count: number }, by: number) {
          return this.count + by
        },
        { name: 'get', asType: 'tool', captureInput: false, captureOutput: false },
      ),
    }
    expect(counter.get(3)).toBe(5)
    expect(attributesOf(only())).toEqual({ 'svc.observation.type': 'tool' })
  })

  test.each([failing, async () => failing()])('that fails says so', async fn => {
    await expect((async () => observe(fn, { name: 'f' })())()).rejects.toThrow('broken')
    expect(attributesOf(only())).toEqual({
      'svc.observation.type': 'span',
      'svc.observation.level': 'ERROR',
      'svc.observation.status_message': 'broken',
      'svc.observation.output': '{"error":"Error: broken"}',
    })
    expect(only().status.code).toBe(SpanStatusCode.UNSET)
  })

  test('can stay open, nest, and be an event', async () => {
    const inner = observe(async () => updateActiveObservation({ model: 'm' }, { asType: 'generation' }), { name: 'inner' })
    await observe(() => inner(), { name: 'outer', endOnExit: false })()
    expect(only()).toMatchObject({ name: 'inner', attributes: { 'svc.observation.type': 'generation', 'svc.observation.model.name': 'm' } })
    observe(() => 1, { name: 'event', asType: 'event' })()
    expect(ended()).toHaveLength(2)
  })
})
