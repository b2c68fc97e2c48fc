// A subject is a case that the tests run: one destination of the writer, and one kind of record that this destination takes. The subject
// contains everything that the tests need for these records.
import type { NewRecord } from '@svc-server/log'
import { type TopicName, topicNames } from '@svc-server/modes/names'
import { type WriteMode, writeModes } from '@svc-server/modes/write-mode'
import { createDestinationsOf, type Destination } from '../src/destinations/destination.ts'
import { events } from '../src/destinations/events.ts'
import { observations } from '../src/destinations/observations.ts'
import { runItems } from '../src/destinations/run-items.ts'
import { scores } from '../src/destinations/scores.ts'
import { sdkUsage } from '../src/destinations/sdk-usage.ts'
import { traces } from '../src/destinations/traces.ts'
import { entityRecords } from './entities.ts'
import { runItemRecords } from './run-items.ts'
import { scoreRecords } from './scores.ts'
import { sdkUsageRecords } from './sdk-usage.ts'
import { tallies } from './second/tallies.ts'
import { type SpansOptions, spanBatch } from './world.ts'

export interface SentItems {
  readonly records: readonly NewRecord[]
  readonly items: number
  readonly rowsOf: (table: string) => number
}

type Kind = 'spans' | 'scores' | 'run items' | 'SDK usage' | 'entities' | 'spans and entities'

export interface Subject {
  readonly destination: Destination
  readonly table: string
  readonly kind: Kind
  readonly writeMode: WriteMode
  readonly topic: TopicName
  readonly takers: readonly Destination[]
  make(options: SpansOptions): SentItems
  /** SQL condition for the rows that the table refuses. If `make` creates 50 items, only the row of `refusedItem` meets the condition. */
  readonly refused: string
  readonly refusedItem: { readonly offset: number; readonly index: number }
}

const spans = (options: SpansOptions): SentItems => ({
  records: [{ key: null, value: spanBatch(options), partition: 0 }],
  items: options.count,
  rowsOf: () => options.count,
})

const singly =
  (recordsOf: (options: SpansOptions) => readonly NewRecord[]): Subject['make'] =>
  options => ({ records: recordsOf(options), items: options.count, rowsOf: () => options.count })

function merged(options: SpansOptions): SentItems {
  const { records, rows } = entityRecords(options)
  return { records, items: records.length, rowsOf: table => (table === traces.table ? rows.trace : rows.observation) }
}

/** Creates entities, with spans before and after them. */
function filled(options: SpansOptions): SentItems {
  const { records, rows } = entityRecords(options, { traceAttributes: { userId: 'alice' } })
  const more = [spans({ ...options, count: 3 }), spans({ ...options, count: 5 })] as const
  return {
    records: [...more[0].records, ...records, ...more[1].records],
    items: records.length + 8,
    rowsOf: () => rows.trace + rows.observation + 8,
  }
}

const makers: Readonly<Record<Kind, Subject['make']>> = {
  spans,
  scores: singly(scoreRecords),
  'run items': singly(runItemRecords),
  'SDK usage': singly(sdkUsageRecords),
  entities: merged,
  'spans and entities': filled,
}

const kinds: Readonly<Partial<Record<TopicName, Kind>>> = {
  [topicNames.scores]: 'scores',
  [topicNames.runItems]: 'run items',
  [topicNames.sdkUsage]: 'SDK usage',
  [topicNames.entities]: 'entities',
  [topicNames.filled]: 'spans and entities',
}
const kindOf = (topic: TopicName): Kind => kinds[topic] ?? 'spans'

/** The positions of trace 7 and observation 7 among the entity records. */
const traceSeven = 14
const observationSeven = 15
/** The id of a span ends with the span's number. */
const spanSeven = '0007'
const refusals: readonly (readonly [Destination, Kind, refused: string, offset: number, index: number])[] = [
  [events, 'spans', `endsWith(span_id, '${spanSeven}')`, 0, 7],
  [events, 'spans and entities', "endsWith(span_id, '-7') AND startsWith(span_id, 't-')", 1 + traceSeven, 0],
  [observations, 'spans', `endsWith(id, '${spanSeven}')`, 0, 7],
  [observations, 'entities', "endsWith(id, '-7')", observationSeven, 0],
  [traces, 'entities', "endsWith(id, '-7')", traceSeven, 0],
  [scores, 'scores', "endsWith(id, '-7')", 7, 0],
  [runItems, 'run items', "endsWith(id, '-7')", 7, 0],
  [sdkUsage, 'SDK usage', "endsWith(source, '-7')", 7, 0],
  [tallies, 'spans', `endsWith(id, '${spanSeven}')`, 0, 7],
]

/**
 * Returns one subject for each kind of record that the destination takes. If the destination takes this kind in several write modes, the
 * subject has the mode that is last in `writeModes`. If the destination takes this kind from several topics in this mode, the subject has
 * the first of these topics.
 */
function subjectsOf(destination: Destination, list: readonly Destination[]): readonly Subject[] {
  const feeds = writeModes.toReversed().flatMap(writeMode => destination.sources(writeMode).map(topic => ({ writeMode, topic })))
  return [...new Set(feeds.map(({ topic }) => kindOf(topic)))].map(kind => {
    const { writeMode, topic } = feeds.find(feed => kindOf(feed.topic) === kind)!
    const refusal = refusals.find(([of, ofKind]) => of === destination && ofKind === kind)
    if (refusal === undefined) throw new Error(`Nobody says which row of ${destination.table} is refused among ${kind}`)
    const [, , refused, offset, index] = refusal
    return {
      ...{ destination, table: destination.table, kind, writeMode, topic, refused, refusedItem: { offset, index } },
      takers: createDestinationsOf(list, writeMode)(topic, null),
      make: makers[kind],
    }
  })
}

export const subjectsIn = (list: readonly Destination[]): readonly Subject[] => list.flatMap(destination => subjectsOf(destination, list))
