// Merges the events of a chunk into the known entities.
import type { Denials } from '@svc-server/deletions/denials'
import { type EntityIdentity, recordOf } from '@svc-server/entities/codec'
import { joinAll } from '@svc-server/entities/joining'
import { publishedAs } from '@svc-server/entities/merged'
import { isStaged, stagedTraceId } from '@svc-server/entities/staged'
import { type EntityState, joinStates, nothingSaid } from '@svc-server/entities/state'
import { partsOfTraces } from '@svc-server/entities/trace-part'
import type { NewRecord } from '@svc-server/log'
import { encodeEntity } from '@svc-server/schema/entity'
import { entityKey } from '@svc-server/schema/ingestion-event'
import { traceKeyOf } from '@svc-server/schema/trace-key'
import type { Rejection } from '@svc-server/stream/chunk'
import { isDenied, withdrawalOf } from './denied.ts'
import { type Incoming, rejectionOf } from './incoming.ts'
import type { Known } from './known.ts'

/** The events of a chunk for one entity, in the order of the log. */
export interface Said {
  readonly identity: EntityIdentity
  readonly key: string
  readonly incoming: readonly Incoming[]
}

export interface Publication {
  readonly entity: NewRecord | null
  readonly staged: NewRecord | null
  /** Records of `trace.parts`. */
  readonly parts: readonly NewRecord[]
  readonly rejected: readonly Rejection[]
  /** True if the entity's trace was deleted. */
  readonly denied?: boolean
}

export interface MergeOptions {
  readonly partition: number
  readonly maxEntityBytes: number
  readonly denials: Denials
}

export function groupByEntity(incoming: readonly Incoming[]): readonly Said[] {
  const groups = Map.groupBy(incoming, ({ key }) => key)
  return [...groups].map(([key, all]) => {
    const { projectId, entityType, entityId } = all[0]!
    return { identity: { projectId, entityType, entityId }, key, incoming: all }
  })
}

const nothing: Publication = { entity: null, staged: null, parts: [], rejected: [] }

export const allRejected = ({ identity, incoming }: Said, reason: Rejection['reason'], message: string): Publication => ({
  ...nothing,
  rejected: incoming.map(({ record }) => rejectionOf(record, reason, message, identity.projectId)),
})

interface Draft {
  readonly state: EntityState
  readonly incoming: readonly Incoming[]
}

/**
 * If the new events do not all fit into the entity, the merger searches for events that still fit. The merger makes at most this many
 * attempts, because each attempt encodes the whole entity.
 */
const maxTries = 24

export async function merge(said: Said, known: Known, options: MergeOptions, nextTurn: () => Promise<unknown>): Promise<Publication> {
  const before = known.merged?.state ?? nothingSaid
  const drafted = (from: Draft, more: readonly Incoming[]): Draft => ({
    state: joinStates(from.state, joinAll(more.map(({ state }) => state))),
    incoming: [...from.incoming, ...more],
  })
  const all = publish(said, known, drafted({ state: before, incoming: [] }, said.incoming), options)
  if (all !== null) return all

  let taken: Draft = { state: before, incoming: [] }
  let published = nothing
  let tries = maxTries
  async function take(some: readonly Incoming[]): Promise<void> {
    if (some.length === 0 || tries-- <= 0) return
    await nextTurn()
    const draft = drafted(taken, some)
    const next = publish(said, known, draft, options)
    if (next !== null) {
      taken = draft
      published = next
    } else await takeHalves(some)
  }
  async function takeHalves(some: readonly Incoming[]): Promise<void> {
    if (some.length === 1) return
    const middle = some.length >> 1
    await take(some.slice(0, middle))
    await take(some.slice(middle))
  }
  // Small events are merged first. Otherwise, one large event could take the space of many small events.
  await takeHalves(said.incoming.toSorted((a, b) => bytesOf(a) - bytesOf(b)))
  const isTaken = new Set(taken.incoming)
  const message = `With this event the entity has more than ${options.maxEntityBytes} bytes.`
  const refused = said.incoming.filter(each => !isTaken.has(each))
  return { ...published, rejected: refused.map(({ record }) => rejectionOf(record, 'too_large', message, said.identity.projectId)) }
}

const bytesOf = ({ record }: Incoming): number => record.value?.byteLength ?? 0

/** Returns null if the record would be too large. */
function publish(
  { identity, key }: Said,
  known: Known,
  { state, incoming }: Draft,
  { partition, maxEntityBytes, denials }: MergeOptions,
): Publication | null {
  if (isDenied(identity, state, denials)) {
    return { ...nothing, entity: withdrawalOf(identity, known, state, partition), denied: true }
  }
  const before = known.merged
  const isDual = incoming.some(({ writeMode }) => writeMode === 'dual')
  // An unchanged entity is published in only one situation: an event has the mode `dual`, and the entity's last publication had a different
  // mode. The events tables must then store the entity too.
  if (state === before?.state && !(isDual && known.writeMode !== 'dual')) return nothing
  const appendMs = incoming.reduce((latest, { record }) => Math.max(latest, record.timestampMs), 0)
  const published = publishedAs(identity, before, state, appendMs)
  const record = recordOf(identity, isDual ? 'dual' : 'legacy', published)
  const value = encodeEntity(record)
  if (value.byteLength > maxEntityBytes) return null
  const parts = partsOfTraces(identity, before, published, { dual: isDual, wasDual: known.writeMode === 'dual' })
  return {
    entity: { key: Buffer.from(key), value, partition },
    staged:
      isDual && isStaged(identity, state)
        ? { key: Buffer.from(traceKeyOf({ projectId: identity.projectId, traceId: stagedTraceId(identity, state) })), value }
        : null,
    parts: parts.map(part => ({ key: Buffer.from(entityKey(part)), value: encodeEntity(part) })),
    rejected: [],
  }
}
