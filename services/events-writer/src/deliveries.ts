// Delivers a chunk to each of its destinations, with the rules that make its rows and with what earlier attempts may have left.
import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Denied } from '@svc-server/deletions/denials'
import type { CatalogueSnapshot } from '@svc-server/pricing/snapshot'
import type { Backoff } from '@svc-server/stream/backoff'
import type { Chunk } from '@svc-server/stream/chunk'
import type { ChunkContext } from '@svc-server/stream/runner'
import type { Destination, DestinationsOf, Rules } from './destinations/destination.ts'
import { noteAbout, withNoteAbout } from './insert/notes.ts'
import { rulesOfNote } from './insert/pieces.ts'
import { partOf } from './part.ts'
import { type OpenRecord, writeModeOfRecord } from './records.ts'

/**
 * What is known of earlier tries. `rules_changed`: there may have been one, under rules that made other rows of the same records; today's are inserted
 * whatever is there. `denied_since`: one that did not know, or knew otherwise, what of the records was deleted. Its rows are told from today's by their
 * versions, so that only what lacks is inserted.
 */
type Beginning = 'new' | 'in_doubt' | 'denied_since' | 'rules_changed'

type Versions = Readonly<Record<string, string>>

export interface Delivery {
  /**
   * As far as it is for this destination: the range as a whole, and of its records those that were accepted
   * for the table.
   */
  readonly chunk: Chunk<OpenRecord>
  readonly destination: Destination
  readonly beginning: Beginning
  /** Of everything that decides, besides the records, which rows they become. */
  readonly versions: Versions
  /** Names the versions in a token and in a note. */
  readonly rules: string
  /** Some of its items are tombstones, because they were deleted: which, the rules say. */
  readonly hasDenied: boolean
  /** The same, once it is known what of the chunk was deleted. */
  denying(denied: readonly Denied[]): Delivery
  /** What an earlier try noted about this destination. */
  readonly note: string
  /** Replaces that. Rejects as a commit does. */
  annotate(note: string): Promise<void>
  /** Characters that it may have. */
  readonly maxNoteLength: number
  readonly catalogue: CatalogueSnapshot | undefined
  readonly backoff: Backoff
}

export interface DeliveriesOptions {
  /** All that are in use. */
  readonly destinations: readonly Destination[]
  readonly destinationsOf: DestinationsOf
  /**
   * What decides, for every destination, what a record becomes: by name and version. `mode`: only of records
   * that do not say theirs.
   */
  readonly rules: Versions & { readonly mode: string }
  /** Absent: costs and ids are what clients say. */
  readonly catalogue?: (() => CatalogueSnapshot) | undefined
}

export interface Deliveries {
  /** What intents name from now on. */
  versions(): Versions
  of(chunk: Chunk<OpenRecord>, context: ChunkContext): readonly Delivery[]
}

/** Of the intent, when nothing is looked up. */
const noCatalogue = '0'
/** Of the rules: the process's mode. */
const ownMode = 'mode'
/** Behind the name of rules that are not, or not the only ones, by which the chunk was tried. */
const marks: Readonly<Record<Beginning, string>> = { new: '', in_doubt: '', denied_since: '~', rules_changed: '+' }
// Kafka keeps 4 KiB of metadata with an offset, versions included.
const maxNotesLength = 3_000
const maxNoteLength = 1_500

export function createDeliveries({ destinations, destinationsOf, rules, ...options }: DeliveriesOptions): Deliveries {
  // A chunk is made with what its intent names, also when a newer one has come since: the one before is kept for it.
  let newest: CatalogueSnapshot | undefined
  let before: CatalogueSnapshot | undefined

  function catalogue(): CatalogueSnapshot | undefined {
    const current = options.catalogue?.()
    if (current?.version !== newest?.version) before = newest
    newest = current
    return newest
  }

  function versionsOf(list: readonly Destination[], snapshot: CatalogueSnapshot | undefined): Versions {
    const own = Object.fromEntries(list.flatMap(allRulesOf).map(({ name, version }) => [name, version]))
    return { ...own, ...rules, snapshot: snapshot?.version ?? noCatalogue }
  }

  /** Without what only concerns other destinations, or other records. */
  function concerning(destination: Destination, part: Chunk<OpenRecord>, versions: Versions): Versions {
    const own = new Set(rulesFor(destination, part).map(({ name }) => name))
    const others = new Set(destinations.flatMap(allRulesOf).flatMap(({ name }) => (own.has(name) ? [] : [name])))
    if (saysItsMode(part)) others.add(ownMode)
    return Object.fromEntries(Object.entries(versions).filter(([name]) => !others.has(name)))
  }

  return {
    versions: () => versionsOf(destinations, catalogue()),

    of(chunk, { inDoubt, versions: announced, note, annotate, backoff }) {
      const current = catalogue()
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
          // A try in which something was denied has noted so.
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
            catalogue: snapshot,
            backoff,
          }
        }
        return deliver([])
      })
    },
  }
}

const allRulesOf = ({ rules, entityRules }: Destination): readonly Rules[] => [rules, ...(entityRules === undefined ? [] : [entityRules])]

/** Those by which something of the chunk becomes rows: a release that changes the rows of entities leaves what spans become alone. */
const rulesFor = (destination: Destination, { items }: Chunk<OpenRecord>): readonly Rules[] =>
  items.some(({ payload }) => payload.isEntity) ? allRulesOf(destination) : [destination.rules]

/**
 * Then the mode of the process changes nothing: a chunk that is in doubt while modes are switched is probed,
 * and not inserted anew.
 */
const saysItsMode = ({ topic, items, rejected }: Chunk<OpenRecord>): boolean =>
  items.every(({ payload }) => payload.writeMode !== null) && rejected.every(({ raw }) => writeModeOfRecord(topic, raw) !== null)

const digestOf = (versions: Versions): string => hash('sha256', JSON.stringify(Object.entries(versions).sort())).slice(0, 8)

const digestOfDenied = (denied: readonly Denied[]): string =>
  hash('sha256', JSON.stringify(denied.map(({ projectId, traceId }) => JSON.stringify([projectId, traceId])).sort())).slice(0, 8)
