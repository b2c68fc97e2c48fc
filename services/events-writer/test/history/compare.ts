// Computes the contents that the tables must have. The computation does not use the writer's code.
import type { ColumnStore } from '@svc-server/column-store/port'
import { type Batch, projectOf } from './plan.ts'

export interface Sent extends Batch {
  readonly log: number
  readonly offset: number
  deadLettered: boolean
  /** Indexes of the record's spans that became separate dead letters. */
  deadLetters: ReadonlySet<number>
}

export interface Found {
  /** Spans that are missing from at least one table and have no dead letter. */
  readonly lost: readonly string[]
  readonly surplus: readonly string[]
  /** Spans that have a row, although the writer rejected each record that contains them. */
  readonly both: readonly string[]
  readonly expected: number
  readonly raw: { readonly full: number; readonly core: number }
}

const isOfSpan = "source != 'ingestion-api-dual-write'"

const nameOf = (seed: string, index: number) => `${seed}/${index}`

export const isDeadLettered = ({ deadLettered, deadLetters }: Sent, index: number): boolean => deadLettered || deadLetters.has(index)

export interface Gone {
  /** The `idPrefix` of each batch whose first trace was deleted. */
  readonly traces: Set<string>
  /** Ids of merged traces. */
  readonly merged: Set<string>
  readonly projects: Set<string>
  readonly scores: Set<string>
}

export const isGone = (gone: Gone, batch: Batch, index: number): boolean =>
  gone.projects.has(projectOf(batch)) || (index < spansOfTrace && gone.traces.has(idPrefix(batch.seed)))

export async function foundIn(columnStore: ColumnStore, sent: readonly Sent[], gone: Gone): Promise<Found> {
  const namesIn = async (table: string) => {
    // A trace id begins with the seed of the batch. This beginning and the number in the span's name identify the span. The query selects a
    // row only if the same number is also in the row's input and output.
    const rows = await columnStore.query<{ place: string }>(
      `SELECT DISTINCT concat(substring(trace_id, 1, 16), '/', substring(name, 6)) AS place FROM ${table} FINAL
       WHERE input = concat('question ', substring(name, 6)) AND output = concat('answer ', substring(name, 6))`,
    )
    return new Set(rows.map(({ place }) => place))
  }
  const [full, core] = [await namesIn('events_full'), await namesIn('events_core')]
  const [raw] = await columnStore.query<{ full: string; core: string }>(
    `SELECT (SELECT count() FROM events_full WHERE ${isOfSpan} AND NOT ${isOfGone(gone)}) AS full,
       (SELECT count() FROM events_core WHERE ${isOfSpan} AND NOT ${isOfGone(gone)}) AS core`,
  )
  const carriers = new Map<string, boolean[]>()
  for (const batch of sent) {
    for (let index = 0; index < batch.count; index++) {
      const name = nameOf(idPrefix(batch.seed), index)
      if (isGone(gone, batch, index)) continue
      carriers.set(name, [...(carriers.get(name) ?? []), isDeadLettered(batch, index)])
    }
  }
  const all = [...carriers]
  const isRow = (name: string) => full.has(name) && core.has(name)
  return {
    lost: all.filter(([name, deadLettered]) => !isRow(name) && !deadLettered.every(Boolean)).map(([name]) => name),
    surplus: [...new Set([...full, ...core])].filter(name => !carriers.has(name)),
    both: all.filter(([name, deadLettered]) => isRow(name) && deadLettered.every(Boolean)).map(([name]) => name),
    expected: all.length,
    raw: { full: Number(raw!.full), core: Number(raw!.core) },
  }
}

/** Number of spans that spanBatch puts into each trace. */
const spansOfTrace = 10

/** Returns the id of the first trace that `spanBatch` makes from a seed. `prefix` is the `idPrefix` of that seed. */
export const firstTraceOf = (prefix: string): string => `${prefix}${Buffer.from('00000000').toString('hex')}`

const listOf = (values: Iterable<string>): string => [...values].map(value => `'${value}'`).join()
const goneTraces = ({ traces, merged }: Gone): readonly string[] => [...[...traces].map(firstTraceOf), ...merged]

export function isOfGone(gone: Gone): string {
  const conditions = [
    ...(gone.traces.size === 0 ? [] : [`trace_id IN (${listOf(goneTraces(gone))})`]),
    ...(gone.projects.size === 0 ? [] : [`project_id IN (${listOf(gone.projects)})`]),
  ]
  return conditions.length === 0 ? '0' : `(${conditions.join(' OR ')})`
}

/** Returns the text with which all trace ids of a batch begin; spanBatch makes this text from the batch's seed. */
export const idPrefix = (seed: string): string => Buffer.from(seed.slice(0, 8).padEnd(8, '0')).toString('hex')
