// An insert intent contains the version of the row rules. If rows changed without a new version, a retry would insert the changed rows
// beside the rows of the first attempt.
import { createHash } from 'node:crypto'
import { CatalogLookup } from '@svc-server/observations/catalog-lookup'
import { expect, test } from 'vitest'
import type { PublishedEntity } from '../src/codec.ts'
import { createObservationRows } from '../src/rows/observation.ts'
import { traceRows, virtualRootRows } from '../src/rows/trace.ts'
import { entityRowsVersion } from '../src/rows/version.ts'
import { entityOf, iso, merged, type Sent, startMs } from './events.ts'

/** Add versions to this list, and never remove one. */
const known: Readonly<Record<string, string>> = {
  '1': '5cc5eaaa659c09a1161ee332288635bc9309488621937aeb1a9f0d15481e29ef',
  '2': '76a250fdaa3c6f1ff65216de7cba08ba5ae89c3786faac9320a0c09708b70471',
}

const day = 86_400_000
const tools = { tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }], messages: [] }
const calls = { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }] }
const metadata = { text: 'a', number: 1.5, flag: true, list: [1], nested: { x: { y: 'z' } } }

const trace: Sent = {
  type: 'trace-create',
  body: {
    ...{ timestamp: iso(startMs), name: 'chat', userId: 'alice', sessionId: 's', release: 'r', version: 'v', public: true },
    ...{ environment: 'production', tags: ['b', 'a'], metadata, input: 'hi', output: { a: 1 } },
  },
}
const generation: Sent = {
  type: 'generation-create',
  body: {
    ...{ traceId: 'trace-1', name: 'answer', startTime: iso(startMs), endTime: iso(startMs + 1000), model: 'm', level: 'WARNING' },
    ...{
      statusMessage: 'slow',
      parentObservationId: 'o',
      version: 'v',
      completionStartTime: iso(startMs + 1),
      modelParameters: { t: 0.5 },
    },
    ...{ promptName: 'p', promptVersion: 2, metadata, input: tools, output: calls, usage: { input: 3, output: 2, totalCost: 0.25 } },
  },
}
const bare: Sent = { type: 'event-create', body: {} }
const earlier = (sent: Sent): Sent => ({
  ...sent,
  at: -5,
  body: { timestamp: iso(startMs - day), startTime: iso(startMs - day), traceId: 'trace-0' },
})

function entities(): readonly PublishedEntity[] {
  const fill = { traceAttributes: { name: 'chat', userId: 'u', tags: ['x'], public: true, release: 'r' }, rootSpanId: '00000000000000ab' }
  const staged = { partition: 0, offset: 1, timestampMs: startMs, generation: 3 }
  const runItem = {
    ...{ runId: 'run', runName: 'nightly', datasetId: 'd', itemId: 'i', itemVersionMs: startMs, rootSpanId: 't-trace-1', spans: null },
    ...{ runDescription: 'all', runMetadata: '{"a":{"b":1}}', expectedOutput: '"42"', itemMetadata: null },
  }
  const made = (['trace', 'observation'] as const).flatMap(type => {
    const sent = type === 'trace' ? trace : generation
    const first = entityOf(type, merged(sent))
    return [first, entityOf(type, merged(sent, earlier(sent)), first)]
  })
  return [
    ...made,
    entityOf('observation', merged(bare)),
    ...made.flatMap(entity => [
      { ...entity, fill: { ...fill, staged } },
      { ...entity, fill: { traceAttributes: null, staged, runItem } },
    ]),
  ]
}

test('rows of entities match the version of their rules', () => {
  const observations = createObservationRows(new CatalogLookup())
  const rows = entities().map(entity =>
    entity.entityType === 'trace' ? [traceRows(entity), virtualRootRows(entity)] : [observations.old(entity), observations.events(entity)],
  )
  const hash = createHash('sha256').update(JSON.stringify(rows)).digest('hex')
  // If the rows have changed, increase entityRowsVersion and add the new version to `known`.
  expect({ version: entityRowsVersion, hash }).toEqual({ version: entityRowsVersion, hash: known[entityRowsVersion] })
})
