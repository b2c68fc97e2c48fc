import { CatalogLookup } from '@svc-server/observations/catalog-lookup'
import { catalogSnapshot } from '@svc-server/pricing/snapshot'
import { describe, expect, test } from 'vitest'
import { publishedAs, wrapperText } from '../src/merged.ts'
import { mergedOfRow } from '../src/older-row.ts'
import { createObservationRows } from '../src/rows/observation.ts'
import { traceRows, virtualRootRows } from '../src/rows/trace.ts'
import { joinStates, nothingSaid } from '../src/state.ts'
import { entityOf, iso, merged, type Sent, startMs, stateOf } from './events.ts'

const lookup = new CatalogLookup()
lookup.use(
  catalogSnapshot({
    models: [
      {
        id: 'model-1',
        projectId: null,
        modelName: 'm',
        matchPattern: '^m$',
        startDate: null,
        tokenizerId: null,
        tokenizerConfig: null,
        shipped: false,
        tiers: [
          { id: 'tier-1', name: 'standard', isDefault: true, priority: 0, conditions: [], prices: { input: '0.001', output: '0.002' } },
        ],
      },
    ],
    prompts: [{ id: 'prompt-1', projectId: 'project-1', name: 'p', version: 2 }],
  }),
)
const observationRows = createObservationRows(lookup)
const hour = 3_600_000
const day = 24 * hour

const generation: Sent = {
  type: 'generation-create',
  body: {
    traceId: 'trace-1',
    name: 'answer',
    startTime: iso(startMs),
    model: 'm',
    modelParameters: { temperature: 0.5 },
    input: [{ role: 'user', content: 'hi' }],
    metadata: { a: { b: 1 }, c: 'text' },
    environment: 'SVC-Production',
    promptName: 'p',
    promptVersion: 2,
  },
}
const end: Sent = {
  type: 'generation-update',
  at: 10,
  body: {
    endTime: iso(startMs - 1),
    output: { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }] },
    usage: { input: 3, output: 2 },
  },
}

describe('an observation', () => {
  test('in the old table: merged, priced, with its prompt and its tools', () => {
    const [row, ...more] = observationRows.old(entityOf('observation', merged(generation, end)))
    expect(more).toEqual([])
    expect(row).toMatchSnapshot()
  })

  test('among the events: under the virtual root of its trace, with what its trace says', () => {
    const entity = entityOf('observation', merged(generation, end))
    const fill = { traceAttributes: { name: 'chat', userId: 'alice', tags: ['x'], public: true, version: 'v' }, rootSpanId: null }
    expect(observationRows.events({ ...entity, fill })).toMatchSnapshot()
  })

  test('an OTel root becomes the parent of parentless observations only', () => {
    const fill = { rootSpanId: '00000000000000ab' }
    const parentOf = (body: Record<string, unknown>) =>
      observationRows.events({ ...entityOf('observation', merged({ ...generation, body: { ...generation.body, ...body } })), fill })[0]!
        .parent_span_id
    expect(parentOf({})).toBe('00000000000000ab')
    expect(parentOf({ parentObservationId: null })).toBe('00000000000000ab')
    expect(parentOf({ parentObservationId: 'observation-0' })).toBe('observation-0')
  })

  test('without a trace, belongs to a trace with its own id', () => {
    const entity = entityOf('observation', merged({ type: 'event-create', body: { name: 'e' } }))
    expect(observationRows.old(entity)[0]).toMatchObject({ trace_id: 'observation-1', type: 'EVENT', start_time: startMs })
    expect(observationRows.events(entity)[0]).toMatchObject({ trace_id: 'observation-1', parent_span_id: 't-observation-1' })
  })

  test.each<[what: string, earlier: Partial<Sent>, old: number, events: number]>([
    ['a start that is earlier on the same day', { at: -10, body: { startTime: iso(startMs - hour) } }, 0, 1],
    ['a start that is on the day before', { at: -10, body: { startTime: iso(startMs - day) } }, 1, 1],
    ['another type', { type: 'span-update', at: 99, body: {} }, 1, 0],
    ['another trace', { at: -10, body: { traceId: 'trace-2' } }, 0, 1],
    ['nothing that moves it', { at: 99, body: { name: 'other' } }, 0, 0],
  ])('%s leaves tombstones at the former keys of its rows', (_, { type = 'generation-create', at = 0, body = {} }, old, events) => {
    const first = merged(generation)
    const before = entityOf('observation', first)
    const state = joinStates(first, stateOf({ type, at, body }))
    const after = entityOf('observation', state, before)
    const [gone, goneEvents] = [observationRows.old(after).slice(1), observationRows.events(after).slice(1)]
    expect([gone.length, goneEvents.length]).toEqual([old, events])
    for (const row of gone) expect(row).toMatchObject({ is_deleted: 1, type: 'GENERATION', start_time: startMs, event_ts: after.versionMs })
    for (const row of goneEvents) expect(row).toMatchObject({ is_deleted: 1, trace_id: 'trace-1', start_time: startMs * 1000 })
    expect(after.versionMs).toBeGreaterThan(before.versionMs)
  })

  test('a row that returns to a former key replaces the tombstone there', () => {
    const start = (at: number, ms: number) => stateOf({ type: 'span-create', at, body: { startTime: iso(ms) } })
    const [a, b, c] = [start(3, startMs), start(2, startMs - day), start(1, startMs)]
    const first = entityOf('observation', a)
    const second = entityOf('observation', joinStates(a, b), first)
    const third = entityOf('observation', joinStates(joinStates(a, b), c), second)
    expect(third.retired.map(key => key.startMs)).toEqual([startMs - day])
    expect(observationRows.old(third).map(row => [row.start_time, row.is_deleted])).toEqual([
      [startMs, 0],
      [startMs - day, 1],
    ])
  })
})

describe('usage and cost', () => {
  const used = (body: Record<string, unknown>) => {
    const { provided_usage_details, usage_details, provided_cost_details, cost_details } = observationRows.old(
      entityOf('observation', merged({ type: 'generation-create', body })),
    )[0]!
    return { provided_usage_details, usage_details, provided_cost_details, cost_details }
  }
  test('the total is the sum of both sides unless a more exact value is given', () => {
    expect(used({ usage: { input: 3, output: 4, unit: 'TOKENS' } }).provided_usage_details).toEqual([
      ['input', 3],
      ['output', 4],
      ['total', 7],
    ])
  })
  test('details override usage, in any form of OpenAI’s responses', () => {
    const details = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 4 } }
    expect(used({ usage: { input: 1, output: 1 }, usageDetails: details }).provided_usage_details).toEqual([
      ['input', 6],
      ['input_cached_tokens', 4],
      ['output', 5],
      ['total', 15],
    ])
  })
  test('usage with OpenAI’s names has no costs', () => {
    const { provided_usage_details, provided_cost_details } = used({
      usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3, totalCost: 9 },
    })
    expect([provided_usage_details, provided_cost_details]).toEqual([
      [
        ['input', 1],
        ['output', 2],
        ['total', 3],
      ],
      [],
    ])
  })
  test('costs are exact, and negative ones are ignored', () => {
    expect(used({ usage: { inputCost: 0.1, outputCost: 0.2 } }).cost_details).toEqual([
      ['input', 100_000_000_000],
      ['output', 200_000_000_000],
      ['total', 300_000_000_000],
    ])
    expect(used({ costDetails: { input: 0.5, output: -1 } }).provided_cost_details).toEqual([['input', 500_000_000_000]])
  })
})

const trace: Sent = {
  type: 'trace-create',
  body: {
    timestamp: iso(startMs),
    name: 'chat',
    userId: 'alice',
    tags: ['b', 'a'],
    metadata: { k: { x: 1 } },
    public: true,
    input: 'hi',
    release: 'r',
  },
}

describe('a trace', () => {
  test('in the old table, and its virtual root among the events', () => {
    const entity = entityOf('trace', merged(trace))
    expect([traceRows(entity), virtualRootRows(entity)]).toMatchSnapshot()
  })

  test('a span without a parent replaces the virtual root', () => {
    const state = { ...merged(trace), root: { startUs: startMs * 1000, spanId: '00000000000000ab' } }
    expect(virtualRootRows(entityOf('trace', state))).toMatchObject([{ span_id: 't-trace-1', is_deleted: 1, start_time: startMs * 1000 }])
  })

  test('that came only by OTel has no virtual root', () => {
    expect(virtualRootRows(entityOf('trace', { ...merged(trace), legacy: false }))).toEqual([])
  })

  test('that is only referenced by other entities has no row', () => {
    const entity = entityOf('trace', { ...nothingSaid, legacyChild: true })
    expect([traceRows(entity), virtualRootRows(entity)]).toEqual([[], []])
  })

  test('that an observation lent is deleted when the observation belongs to another trace', () => {
    const by = { atUs: 1, update: false, id: '', hash: '' }
    const lent = {
      ...nothingSaid,
      fields: new Map([['wrapper', { value: wrapperText({ startMs, name: 'e', environment: null, createdMs: null }), by }]] as const),
    }
    const before = entityOf('trace', lent)
    expect([traceRows(before), virtualRootRows(before)]).toMatchObject([
      [{ name: 'e', timestamp: startMs }],
      [{ span_id: 't-trace-1', is_deleted: 0 }],
    ])
    const withdrawn = { ...lent, fields: new Map([['wrapper', { value: null, by: { ...by, atUs: 2 } }]] as const) }
    const after = entityOf('trace', withdrawn, before)
    expect([traceRows(after), virtualRootRows(after)]).toMatchObject([[{ is_deleted: 1 }], [{ is_deleted: 1, start_time: startMs * 1000 }]])
  })

  test('that is no longer lent but has its own spans keeps its row and loses its virtual root', () => {
    const by = { atUs: 1, update: false, id: '', hash: '' }
    const said = (value: string | null, atUs: number) => new Map([['wrapper', { value, by: { ...by, atUs } }]] as const)
    const spans = { ...nothingSaid, firstMs: startMs }
    const lent = { ...spans, fields: said(wrapperText({ startMs: startMs + 9, name: 'e', environment: null, createdMs: null }), 1) }
    const before = entityOf('trace', lent)
    expect(virtualRootRows(before)).toMatchObject([{ start_time: startMs * 1000, is_deleted: 0 }])
    const after = entityOf('trace', { ...spans, fields: said(null, 2) }, before)
    expect(virtualRootRows(after)).toMatchObject([{ start_time: startMs * 1000, is_deleted: 1 }])
  })

  test('a timestamp on another day leaves tombstones', () => {
    const before = entityOf('trace', merged(trace))
    const earlier: Sent = { type: 'trace-create', at: -5, body: { timestamp: iso(startMs - day) } }
    const after = entityOf('trace', joinStates(before.state, stateOf(earlier)), before)
    expect(traceRows(after).map(row => [row.timestamp, row.is_deleted])).toEqual([
      [startMs - day, 0],
      [startMs, 1],
    ])
    expect(virtualRootRows(after).map(row => [row.start_time, row.is_deleted])).toEqual([
      [(startMs - day) * 1000, 0],
      [startMs * 1000, 1],
    ])
  })
})

describe('an older row', () => {
  const row = {
    startMs: startMs - hour,
    versionMs: startMs,
    createdMs: startMs - hour,
    environment: 'default',
    texts: { name: 'old', userId: 'bob', release: null },
    metadata: { k: '{"x":1,"y":2}', t: 'text' },
    tags: ['z'],
  }
  test('counts as one event at its version: later events win, earlier ones do not, and missing values set nothing', () => {
    const older = mergedOfRow({ entityType: 'trace' }, row)
    const state = joinStates(
      older.state,
      merged({ ...trace, at: 5 }, { type: 'trace-create', at: -5, body: { userId: 'early', release: 'r0' } }),
    )
    const [current] = traceRows({
      projectId: 'p',
      entityType: 'trace',
      entityId: 't',
      ...publishedAs({ projectId: 'p', entityType: 'trace', entityId: 't' }, older, state, startMs),
    })
    expect(current).toMatchObject({
      name: 'chat',
      user_id: 'alice',
      release: 'r',
      tags: ['a', 'b', 'z'],
      metadata: [
        ['k', '{"x":1,"y":2}'],
        ['t', 'text'],
      ],
      timestamp: startMs - hour,
      created_at: startMs - hour,
      event_ts: startMs + 1,
    })
  })
})
