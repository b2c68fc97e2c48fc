// Delivers a chunk to each of its destinations, with the rules that make its rows and with what earlier attempts may have left.
import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Denied } from '@svc-server/deletions/denials'
import type { CatalogSnapshot } from '@svc-server/pricing/snapshot'
import type { Backoff } from '@svc-server/stream/backoff'
import type { Chunk } from '@svc-server/stream/chunk'
import type { ChunkContext } from '@svc-server/stream/runner'
import type { Destination, DestinationsOf, Rules } from './destinations/destination.ts'
import { noteAbout, withNoteAbout } from './insert/notes.ts'
import { rulesOfNote } from './insert/pieces.ts'
import { partOf } from './part.ts'
import { type OpenRecord, writeModeOfRecord } from './records.ts'

/**
 * The writer's knowledge about earlier attempts. `rules_changed`: an earlier attempt may have stored other rows of the same records under
 * other rules, so the writer inserts today's rows whatever is stored. `denied_since`: an earlier attempt knew other deletions. Versions
 * tell its rows from today's, so the writer inserts only the missing rows.
 */
type Beginning = 'new' | 'in_doubt' | 'denied_since' | 'rules_changed'

type Versions = Readonly<Record<string, string>>

export interface Delivery {
  /** The chunk as this destination sees it: the whole range, but only the records that were accepted for the table. */
  readonly chunk: Chunk<OpenRecord>
  readonly destination: Destination
  readonly beginning: Beginning
  /** Versions of all code and data that decide, together with the records, which rows result. */
  readonly versions: Versions
  /** Digest of the versions, for tokens and notes. */
  readonly rules: string
  /** True when some items are tombstones because they were deleted; `rules` then depends on those deletions. */
  readonly hasDenied: boolean
  /** The same delivery with the deletions that apply to the chunk. */
  denying(denied: readonly Denied[]): Delivery
  /** The note of an earlier attempt about this destination. */
  readonly note: string
  /** Replaces the note. Rejects as a commit does. */
  annotate(note: string): Promise<void>
  /** Maximum characters of the note. */
  readonly maxNoteLength: number
  readonly catalog: CatalogSnapshot | undefined
  readonly backoff: Backoff
}

export interface DeliveriesOptions {
  /** All destinations in use. */
  readonly destinations: readonly Destination[]
  readonly destinationsOf: DestinationsOf
  /**
   * Name and version of the rules that decide, for every destination, what a record becomes. `mode` applies only to records that carry no
   * write mode.
   */
  readonly rules: Versions & { readonly mode: string }
  /** Absent: clients supply costs and ids. */
  readonly catalog?: (() => CatalogSnapshot) | undefined
}

export interface Deliveries {
  /** The versions that new intents name. */
  versions(): Versions
  of(chunk: Chunk<OpenRecord>, context: ChunkContext): readonly Delivery[]
}

/** Catalog version of an intent without lookups. */
const noCatalog = '0'
/** Name of the rule that represents the process's write mode. */
const ownMode = 'mode'
/** Suffixes of the rules' name. They mark chunks that were never, or not only, attempted under the current rules. */
const marks: Readonly<Record<Beginning, string>> = { new: '', in_doubt: '', denied_since: '~', rules_changed: '+' }
// Kafka keeps 4 KiB of metadata with an offset, versions included.
const maxNotesLength = 3_000
const maxNoteLength = 1_500

export function createDeliveries({ destinations, destinationsOf, rules, ...options }: DeliveriesOptions): Deliveries {
  // A retried chunk uses the catalog that its intent names, even when a newer one has arrived, so the writer keeps the previous catalog.
  let newest: CatalogSnapshot | undefined
  let before: CatalogSnapshot | undefined

  function catalog(): CatalogSnapshot | undefined {
    const current = options.catalog?.()
    if (current?.version !== newest?.version) before = newest
    newest = current
    return newest
  }

  function versionsOf(list: readonly Destination[], snapshot: CatalogSnapshot | undefined): Versions {
    const own = Object.fromEntries(list.flatMap(allRulesOf).map(({ name, version }) => [name, version]))
    return { ...own, ...rules, snapshot: snapshot?.version ?? noCatalog }
  }

  /** Drops the versions that concern only other destinations or other records. */
  function concerning(destination: Destination, part: Chunk<OpenRecord>, versions: Versions): Versions {
    const own = new Set(rulesFor(destination, part).map(({ name }) => name))
    const others = new Set(destinations.flatMap(allRulesOf).flatMap(({ name }) => (own.has(name) ? [] : [name])))
    if (saysItsMode(part)) others.add(ownMode)
    return Object.fromEntries(Object.entries(versions).filter(([name]) => !others.has(name)))
  }

  return {
    versions: () => versionsOf(destinations, catalog()),

    of(chunk, { inDoubt, versions: announced, note, annotate, backoff }) {
      const current = catalog()
      const snapshot = before !== undefined && announced['snapshot'] === before.version ? before : current
      const parts = destinations.flatMap(destination => {
        const part = partOf(chunk, destination, destinationsOf)
        return part === null ? [] : [{ destination, part }]
      })
      let notes = note

      return parts.map(({ destination, part }): Delivery => {
        const { table } = destination
        const own = concerning(destination, part, versionsOf([destination], snapshot))
        const isAsAnnounced = isDeepStrictEqual(concerning(destination, part, announced), own)
        const digest = digestOf(own)
        const noted = noteAbout(note, table)
        const triedBy = rulesOfNote(noted) || digest
        const isSame = isAsAnnounced && triedBy.startsWith(digest) && !triedBy.endsWith(marks.rules_changed)

        function deliver(denied: readonly Denied[]): Delivery {
          const hasDenied = denied.length > 0
          const versions = hasDenied ? { ...own, denied: digestOfDenied(denied) } : own
          // An attempt with deletions recorded a digest of those deletions.
          const rules = hasDenied ? `${digest}-${versions['denied']}` : digest
          const beginning = !inDoubt ? 'new' : !isSame ? 'rules_changed' : triedBy === rules ? 'in_doubt' : 'denied_since'
          return {
            chunk: part,
            destination,
            beginning,
            versions,
            rules: `${rules}${marks[beginning]}`,
            hasDenied,
            denying: deliver,
            note: noted,
            annotate(section) {
              notes = withNoteAbout(notes, table, section)
              return annotate(notes)
            },
            maxNoteLength: Math.min(maxNoteLength, Math.floor(maxNotesLength / parts.length)),
            catalog: snapshot,
            backoff,
          }
        }
        return deliver([])
      })
    },
  }
}

const allRulesOf = ({ rules, entityRules }: Destination): readonly Rules[] => [rules, ...(entityRules === undefined ? [] : [entityRules])]

/** Only the rules that make rows from this chunk count: a release that changes the rows of entities does not affect chunks of spans. */
const rulesFor = (destination: Destination, { items }: Chunk<OpenRecord>): readonly Rules[] =>
  items.some(({ payload }) => payload.isEntity) ? allRulesOf(destination) : [destination.rules]

/**
 * When every record carries its write mode, the mode of the process changes nothing. A chunk in doubt during a switch of modes is then
 * probed instead of inserted again.
 */
const saysItsMode = ({ topic, items, rejected }: Chunk<OpenRecord>): boolean =>
  items.every(({ payload }) => payload.writeMode !== null) && rejected.every(({ raw }) => writeModeOfRecord(topic, raw) !== null)

const digestOf = (versions: Versions): string => hash('sha256', JSON.stringify(Object.entries(versions).sort())).slice(0, 8)

const digestOfDenied = (denied: readonly Denied[]): string =>
  hash('sha256', JSON.stringify(denied.map(({ projectId, traceId }) => JSON.stringify([projectId, traceId])).sort())).slice(0, 8)
