// From one published state of an entity to the next: its version, and the keys at which its rows stood
// before.
import { parseJson } from '@svc-server/observations/json-text'
import type { EntityKey } from '@svc-server/schema/entity'
import type { EntityIdentity, MergedEntity } from './codec.ts'
import { type EntityState, saidValue } from './state.ts'

/**
 * What an observation without a trace lends the trace that it is shown in (contract §14.4): the trace has
 * the observation's id.
 */
export interface Wrapper {
  readonly startMs: number
  readonly name: string | null
  readonly environment: string | null
  /** When the first event of the observation was received. */
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

/** When the first event was received that a trace is known by. */
export function createdMsOf(state: EntityState): number | null {
  const lent = wrapperOf(state)?.createdMs ?? null
  return lent === null || (state.createdMs !== null && state.createdMs < lent) ? state.createdMs : lent
}

/** False: what is known is only about others, so there is no row. */
export const hasRow = (state: EntityState): boolean => state.firstMs !== null || wrapperOf(state) !== null

/**
 * When a trace or an observation began: as it was said first, else the time of the earliest event.
 * Milliseconds, as the old tables have it.
 */
export function startMsOf({ entityType }: Pick<EntityIdentity, 'entityType'>, state: EntityState): number {
  const said = saidValue(state, entityType === 'trace' ? 'timestampMs' : 'startMs')
  return said === null ? (state.firstMs ?? wrapperOf(state)?.startMs ?? 0) : Number(said)
}

/** Of an observation. One that names no trace is in a trace of its own id. */
export const traceIdOf = ({ entityId }: Pick<EntityIdentity, 'entityId'>, state: EntityState): string =>
  saidValue(state, 'traceId') ?? entityId

const typeOf = (state: EntityState): string => saidValue(state, 'type') ?? 'SPAN'

/** What decides where the rows of an entity stand, in every table. Null: it has none. */
export function keyOf(identity: EntityIdentity, state: EntityState): EntityKey | null {
  if (!hasRow(state)) return null
  const startMs = startMsOf(identity, state)
  if (identity.entityType === 'trace') return { startMs, type: '', traceId: '' }
  return { startMs, type: typeOf(state), traceId: traceIdOf(identity, state) }
}

const isSameKey = (a: EntityKey, b: EntityKey): boolean => a.startMs === b.startMs && a.type === b.type && a.traceId === b.traceId

/** Moves of one entity that are remembered. Who reads rows is not that far behind. */
const maxRetired = 64

/**
 * `appendMs`: append time of the newest record that went into the state. Versions grow by a millisecond at
 * least: old tables know no less.
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
