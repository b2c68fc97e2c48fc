// Kafka allows 4 KiB for the metadata of an offset. An intent with all rules and notes must fit into these 4 KiB.
import { writeModes } from '@svc-server/modes/write-mode'
import { catalogSnapshot } from '@svc-server/pricing/snapshot'
import { createBackoff } from '@svc-server/stream/backoff'
import { expect, test } from 'vitest'
import { createDeliveries } from '../src/deliveries.ts'
import { createDestinationsOf, topicsOf } from '../src/destinations/destination.ts'
import { destinations } from '../src/destinations/index.ts'
import { noteOf } from '../src/insert/pieces.ts'
import type { OpenRecord } from '../src/records.ts'

const maxMetadataBytes = 4_096
const { list } = destinations
const catalog = catalogSnapshot({ models: [], prompts: [] })
/** Rules with the longest texts that the settings allow. */
const rules = { mode: 'events_only', aliases: 'a'.repeat(100), limits: '1073741824 1073741824 1000000000' }
/** Paths of refused pieces. The list is too long for the note of an intent, so the note can contain only some of the paths. */
const cuts = new Set(Array.from({ length: 4_096 }, (_, at) => at.toString(2).padStart(12, '0')))

const backoff = createBackoff(
  { minMs: 1, maxMs: 1, budgetMs: 1 },
  { clock: () => 0, signal: new AbortController().signal, onWait: () => {} },
)

test.each([...new Set(list.flatMap(topicsOf))])('the intent of a chunk of %s fits, however often the chunk was cut', async topic => {
  const deliveries = createDeliveries({
    destinations: list,
    destinationsOf: createDestinationsOf(list, 'dual'),
    rules,
    catalog: () => catalog,
  })
  const opened: Omit<OpenRecord, 'writeMode'> = {
    ...{ projectId: 'project-1', items: 1, isEntity: true, rows: 1, rowBytes: 1, work: 1, inEach: true, decodedBytes: 1 },
    ...{ saidRowBytes: null, eventTsUs: 1 },
  }
  const items = writeModes.map((writeMode, offset) => {
    const raw = new Uint8Array(0)
    return { position: { topic, partition: 0, offset, timestampMs: 1 }, payload: { ...opened, writeMode }, raw }
  })
  const chunk = { topic, partition: 0, first: 0, last: 2, items, rejected: [], dropped: [] }
  let note = ''
  const versions = deliveries.versions()
  const context = { inDoubt: true, versions, note, annotate: async (notes: string) => void (note = notes), backoff }
  const parts = deliveries.of(chunk, context)
  expect(parts.length).toBeGreaterThan(0)
  for (const part of parts) await part.annotate(noteOf(part.rules, cuts, part.maxNoteLength))
  const metadata = JSON.stringify({ intent: [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER], note, ...versions })
  expect(Buffer.byteLength(metadata)).toBeLessThan(maxMetadataBytes)
})
