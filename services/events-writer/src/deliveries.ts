// Delivers a chunk to each of its destinations, together with the rules that make its rows and the writer's knowledge of earlier attempts.
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
 * The writer's knowledge about earlier attempts to store the chunk. `rules_changed`: an earlier attempt used other rules and could have
 * stored different rows of the same records. The writer inserts the rows of the current rules, even if rows are already stored.
 * `denied_since`: the known deletions have changed after an earlier attempt. The tombstones have a newer version than the rows of the
 * earlier attempt. The writer therefore sees which tombstones are missing, and inserts only those.
 */
type Beginning = 'new' | 'in_doubt' | 'denied_since' | 'rules_changed'

type Versions = Readonly<Record<string, string>>

export interface Delivery {
  /**
   * The part of the chunk for this destination: it has the chunk's whole range of offsets, but only the records that were accepted for the
   * table.
   */
  readonly chunk: Chunk<OpenRecord>
  readonly destination: Destination
  readonly beginning: Beginning
  /** Versions of all code and data that determine the rows of the given records. */
  readonly versions: Versions
  /** A digest of the versions. Tokens and notes contain the digest. */
  readonly rules: string
  /**
   * True if some items are deleted, so that their rows are tombstones. If true, `rules` depends on the deletions that apply to the chunk.
   */
  readonly hasDenied: boolean
  /** Returns a copy of this delivery that applies the given deletions to the chunk. */
  denying(denied: readonly Denied[]): Delivery
  /** The note about this destination that an earlier attempt left in the intent. */
  readonly note: string
  /** Replaces the note and stores it in the intent. Rejects with the errors of a commit. */
  annotate(note: string): Promise<void>
  /** Maximum number of characters in the note. */
  readonly maxNoteLength: number
  readonly catalog: CatalogSnapshot | undefined
  readonly backoff: Backoff
}

export interface DeliveriesOptions {
  /** All destinations in use. */
  readonly destinations: readonly Destination[]
  readonly destinationsOf: DestinationsOf
  /**
   * Name and version of each set of rules that determines what a record becomes, for all destinations. `mode` applies only to records
   * without a write mode.
   */
  readonly rules: Versions & { readonly mode: string }
  /** Without a catalog, rows have only the costs and model ids that clients send. */
  readonly catalog?: (() => CatalogSnapshot) | undefined
}

export interface Deliveries {
  /** The versions for new intents. */
  versions(): Versions
  of(chunk: Chunk<OpenRecord>, context: ChunkContext): readonly Delivery[]
}

/** Catalog version in intents whose chunks use no catalog. */
const noCatalog = '0'
/** Name of the rule that represents the process's write mode. */
const ownMode = 'mode'
/** Suffixes of the rules' name: they show that the chunk was attempted under other rules or with other deletions. */
const marks: Readonly<Record<Beginning, string>> = { new: '', in_doubt: '', denied_since: '~', rules_changed: '+' }
// Kafka keeps 4 KiB of metadata with an offset, and the names and versions of the rules need a part of this space.
const maxNotesLength = 3_000
const maxNoteLength = 1_500

export function createDeliveries({ destinations, destinationsOf, rules, ...options }: DeliveriesOptions): Deliveries {
  // The writer keeps the previous catalog, because a retried chunk uses the catalog that its intent names.
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

  /** Keeps only the versions that concern this destination and these records. */
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
          // An attempt that applied deletions recorded their digest.
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

/**
 * Selects the rules that affect the rows of this chunk. For example, a release that changes the rows of entities does not affect chunks of
 * spans.
 */
const rulesFor = (destination: Destination, { items }: Chunk<OpenRecord>): readonly Rules[] =>
  items.some(({ payload }) => payload.isEntity) ? allRulesOf(destination) : [destination.rules]

/**
 * If every record has a write mode, the mode of the process has no effect. Therefore, if the mode is switched while a chunk's insert is in
 * doubt, the writer probes the chunk and does not insert it again.
 */
const saysItsMode = ({ topic, items, rejected }: Chunk<OpenRecord>): boolean =>
  items.every(({ payload }) => payload.writeMode !== null) && rejected.every(({ raw }) => writeModeOfRecord(topic, raw) !== null)

const digestOf = (versions: Versions): string => hash('sha256', JSON.stringify(Object.entries(versions).sort())).slice(0, 8)

const digestOfDenied = (denied: readonly Denied[]): string =>
  hash('sha256', JSON.stringify(denied.map(({ projectId, traceId }) => JSON.stringify([projectId, traceId])).sort())).slice(0, 8)
