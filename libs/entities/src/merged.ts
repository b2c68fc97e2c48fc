// Computes the next state of a published entity, the version of this state, and the keys of the entity's earlier rows.
import { parseJson } from '@svc-server/observations/json-text'
import type { EntityKey } from '@svc-server/schema/entity'
import type { EntityIdentity, MergedEntity } from './codec.ts'
import { type EntityState, saidValue } from './state.ts'

/** Values that an observation without a trace id gives to its trace (contract §14.4). This trace has the observation's id. */
export interface Wrapper {
  readonly startMs: number
  readonly name: string | null
  readonly environment: string | null
  /** Time at which the observation's first event was received. */
  readonly createdMs: number | null
}

export const wrapperText = ({ startMs, name, environment, createdMs }: Wrapper): string =>
  JSON.stringify([startMs, name, environment, createdMs])

export function wrapperOf(state: EntityState): Wrapper | null {
  const said = parseJson(saidValue(state, 'wrapper') ?? '')
  if (!Array.isArray(said)) return null
  const [startMs, name, environment, createdMs] = said as readonly unknown[]
  if (typeof startMs !== 'number' || !isTextOrNull(name) || !isTextOrNull(environment)) return null
  return { startMs, name, environment, createdMs: typeof createdMs === 'number' ? createdMs : null }
}

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string'

/** Returns the receipt time of the first event that proves the entity's existence. */
export function createdMsOf(state: EntityState): number | null {
  const lent = wrapperOf(state)?.createdMs ?? null
  return lent === null || (state.createdMs !== null && state.createdMs < lent) ? state.createdMs : lent
}

/** An entity has no row if it is known only because other entities refer to it. */
export const hasRow = (state: EntityState): boolean => state.firstMs !== null || wrapperOf(state) !== null

/** Returns the start time from the first event that sets one, in milliseconds. If no event does, returns the time of the earliest event. */
export function startMsOf({ entityType }: Pick<EntityIdentity, 'entityType'>, state: EntityState): number {
  const said = saidValue(state, entityType === 'trace' ? 'timestampMs' : 'startMs')
  return said === null ? (state.firstMs ?? wrapperOf(state)?.startMs ?? 0) : Number(said)
}

/** If no event names the observation's trace, the trace id is the observation's own id. */
export const traceIdOf = ({ entityId }: Pick<EntityIdentity, 'entityId'>, state: EntityState): string =>
  saidValue(state, 'traceId') ?? entityId

const typeOf = (state: EntityState): string => saidValue(state, 'type') ?? 'SPAN'

/** Returns the values that form the keys of the entity's rows in all tables. Returns null if the entity has no row. */
export function keyOf(identity: EntityIdentity, state: EntityState): EntityKey | null {
  if (!hasRow(state)) return null
  const startMs = startMsOf(identity, state)
  if (identity.entityType === 'trace') return { startMs, type: '', traceId: '' }
  return { startMs, type: typeOf(state), traceId: traceIdOf(identity, state) }
}

const isSameKey = (a: EntityKey, b: EntityKey): boolean => a.startMs === b.startMs && a.type === b.type && a.traceId === b.traceId

/**
 * Maximum number of former keys. The writer makes tombstones from these keys. While the writer lags, compaction can remove versions that
 * the writer has not read yet, so each version also lists the keys of earlier versions. We assume that the key of an entity changes fewer
 * than `maxRetired` times in this period.
 */
const maxRetired = 64

/**
 * `appendMs` is the append time of the newest record in the state. Each version is at least one millisecond later than the previous
 * version, because the v3 tables store milliseconds.
 */
export function publishedAs(identity: EntityIdentity, before: MergedEntity | null, state: EntityState, appendMs: number): MergedEntity {
  const key = keyOf(identity, state)
  const previous = before === null ? null : keyOf(identity, before.state)
  const keys = [...(before?.retired ?? []), ...(previous === null ? [] : [previous])]
  const retired = keys.filter(
    (each, at) => (key === null || !isSameKey(each, key)) && keys.findIndex(other => isSameKey(other, each)) === at,
  )
  return { state, versionMs: Math.max(appendMs, (before?.versionMs ?? 0) + 1), retired: retired.slice(-maxRetired) }
}
