// Delivers a chunk to its destinations.
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
 * What is known about earlier attempts to store the chunk. `rules_changed`: an earlier attempt applied different rules, and could have
 * stored different rows. All rows are then inserted under the current rules. `denied_since`: deletions that apply to the chunk have
 * arrived after an earlier attempt, so that tombstones must replace some of the chunk's rows. A tombstone has a newer version than the row
 * that it replaces. A probe for a tombstone therefore does not accept the replaced row as the tombstone, and finds out which
 * tombstones are missing.
 */
type Beginning = 'new' | 'in_doubt' | 'denied_since' | 'rules_changed'

type Versions = Readonly<Record<string, string>>

export interface Delivery {
  /** The part of the chunk for `destination`: the whole range of offsets, but only the records that this table takes. */
  readonly chunk: Chunk<OpenRecord>
  readonly destination: Destination
  readonly beginning: Beginning
  readonly versions: Versions
  /**
   * Digest of the rules that this attempt applies. Each note that this attempt writes into the intent contains the digest. If `beginning`
   * is `rules_changed`, the deduplication tokens also contain the digest, so that they differ from the tokens of attempts with other rules.
   */
  readonly rules: string
  /** True if the rows of some items are tombstones. The digest in `rules` then also covers the deletions that apply to the chunk. */
  readonly hasDenied: boolean
  denying(denied: readonly Denied[]): Delivery
  /** The chunk's intent can contain a note for each destination. This is the note that an earlier attempt wrote for this destination. */
  readonly note: string
  /** Stores a new note in the intent. If the commit of the intent fails, rejects with its error. */
  annotate(note: string): Promise<void>
  readonly maxNoteLength: number
  readonly catalog: CatalogSnapshot | undefined
  readonly backoff: Backoff
}

export interface DeliveriesOptions {
  readonly destinations: readonly Destination[]
  readonly destinationsOf: DestinationsOf
  /** Rules that apply to all destinations. `mode` applies only to records without a write mode. */
  readonly rules: Versions & { readonly mode: string }
  readonly catalog?: (() => CatalogSnapshot) | undefined
}

export interface Deliveries {
  /** Returns the versions that a new intent contains. */
  versions(): Versions
  of(chunk: Chunk<OpenRecord>, context: ChunkContext): readonly Delivery[]
}

/** Stands for the version of the catalog if the writer has no catalog. */
const noCatalog = '0'
const ownMode = 'mode'
/**
 * In a note, a suffix can follow the digest of the rules. The suffix shows that an earlier attempt applied different rules (`+`), or that
 * deletions have arrived after an earlier attempt (`~`).
 */
const marks: Readonly<Record<Beginning, string>> = { new: '', in_doubt: '', denied_since: '~', rules_changed: '+' }
// Kafka keeps at most 4 KiB of metadata with an offset. The notes get only a part of these 4 KiB, because the metadata also contains the
// names and versions of the rules.
const maxNotesLength = 3_000
const maxNoteLength = 1_500

export function createDeliveries({ destinations, destinationsOf, rules, ...options }: DeliveriesOptions): Deliveries {
  // A retried chunk uses the catalog that its intent names. The named catalog can be the previous catalog.
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

/** Returns the rules that affect the rows of this chunk. The destination's `entityRules` are included only if the chunk has entities. */
const rulesFor = (destination: Destination, { items }: Chunk<OpenRecord>): readonly Rules[] =>
  items.some(({ payload }) => payload.isEntity) ? allRulesOf(destination) : [destination.rules]

/**
 * True if every record has a write mode. The mode of this process then has no effect on the chunk. A switch of the mode of this process
 * therefore does not count as a change of rules. After a change of rules, the writer would insert all rows without a probe. Without a
 * change, if the result of an insert is unknown, the writer probes the chunk before it inserts any row again.
 */
const saysItsMode = ({ topic, items, rejected }: Chunk<OpenRecord>): boolean =>
  items.every(({ payload }) => payload.writeMode !== null) && rejected.every(({ raw }) => writeModeOfRecord(topic, raw) !== null)

const digestOf = (versions: Versions): string => hash('sha256', JSON.stringify(Object.entries(versions).sort())).slice(0, 8)

const digestOfDenied = (denied: readonly Denied[]): string =>
  hash('sha256', JSON.stringify(denied.map(({ projectId, traceId }) => JSON.stringify([projectId, traceId])).sort())).slice(0, 8)
