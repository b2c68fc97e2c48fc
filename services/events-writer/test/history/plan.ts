// Plans a random history from a seed: the records, the writers' lives, and the faults in each life.
import { createRandom, type Random } from '@svc-server/testkit'
import type { Point } from '../kill.ts'

/**
 * A history of the kind `steady` has only crashes and faults. The other kinds cover a former defect: if a probe found one row, the writer
 * treated the whole chunk as stored.
 */
type Kind = 'steady' | 'offset moved back' | 'log recreated' | 'rules changed' | 'rows refused'
const kinds: readonly Kind[] = ['steady', 'offset moved back', 'log recreated', 'rules changed']

/** Limits the length of a history, and lists its possible kinds. */
export interface Length {
  readonly kinds: readonly Kind[]
  /** Maximum writer processes (lives) that read one log; at least two. */
  readonly mostLives: number
  readonly mostBatches: number
  readonly mostSpans: number
  /** Number of entities of each type per batch. */
  readonly entities: number
  readonly chunkMaxRows: readonly number[]
  /** A limit on the bytes of a record. Batches of more than 6 spans (short histories) or 51 spans (long ones) exceed it. */
  readonly smallRecord: number
}

/**
 * Inserts cause most of a history's cost, so a short history has only as many inserts as it needs to show a loss. A batch still has several
 * chunks, months and partitions, and can be rejected. Two writers read it. The first writer has a fault, and can die at any point.
 */
export const short: Length = {
  kinds,
  mostLives: 2,
  mostBatches: 2,
  mostSpans: 16,
  entities: 2,
  chunkMaxRows: [5, 12, 1_000],
  smallRecord: 1_200,
}
/** Seeds of four short histories that together contain every kind, death, fault and deletion (plan.test.ts). */
export const ofEveryRun: readonly number[] = [0, 38, 75, 413]

export const long: Length = {
  // Halving a chunk needs many inserts, so only long histories have refused rows.
  kinds: [...kinds, 'rows refused'],
  mostLives: 3,
  mostBatches: 4,
  mostSpans: 60,
  entities: 4,
  chunkMaxRows: [5, 30, 1_000],
  smallRecord: 9_000,
}

type Fault = 'lost before the engine' | 'lost after it' | 'late' | 'engine killed' | 'refill lost'

export interface Batch {
  readonly seed: string
  readonly count: number
  readonly partition: number
  /** The spans start in two different months. */
  readonly twoMonths: boolean
  /** Entities of each type. */
  readonly entities: number
}

export interface Life {
  readonly sent: readonly Batch[]
  readonly chunkMaxRows: number
  readonly fetchMaxWaitMs: number
  /** A small limit rejects the larger batches. */
  readonly maxRecordBytes: number
  readonly brandAliases: readonly string[]
  /** The column store refuses rows with these names. */
  readonly refused: readonly string[]
  readonly dies: Point | null
  /** `at` is the number of the insert at which the fault begins, and `times` is the number of inserts that fail. */
  readonly fault: { readonly kind: Fault; readonly at: number; readonly times: number } | null
  /** Multiplies the committed offsets by a number from 0 to 1 before this life. */
  readonly movedBackTo: number | null
  readonly deletes: Deletion | null
}

/** Deletes the first trace of a batch, one of two scores, or one of two projects. `of`, from 0 to 1, selects the batch. */
type Deletion = { readonly what: 'trace'; readonly of: number } | { readonly what: 'score' } | { readonly what: 'project' }

export interface Plan {
  readonly kind: Kind
  /** The logs of the history, in order. Several lives read each log. The last writer on each log has no faults. */
  readonly logs: readonly (readonly Life[])[]
}

const refusals: readonly (readonly string[])[] = [[], ['span 3'], ['span 3', 'span 17', 'span 18']]
const large = 256 << 20
const points: readonly Point[] = [
  'before intent',
  'after intent',
  'before insert',
  'after insert',
  'before acknowledgement',
  'after acknowledgement',
]
const faults: readonly Fault[] = [
  'lost before the engine',
  'lost before the engine',
  'lost after it',
  'late',
  'engine killed',
  'refill lost',
]

export function planOf(seed: number, of: Length): Plan {
  const random = createRandom(`history ${seed}`)
  const kind = of.kinds[seed % of.kinds.length]!
  const batches: Batch[] = []
  /** Deletions have a separate generator, so that the rest of a history does not depend on them. */
  const deletions = createRandom(`deletions ${seed}`)
  const rulesChange = kind === 'rules changed' || kind === 'rows refused'
  const life = (isLast: boolean, at: number, isLastLog: boolean): Life => {
    const dies = isLast || random.next() < 0.4 ? null : random.pick(points)
    return {
      sent: Array.from({ length: random.integer(isLast ? 0 : 1, of.mostBatches) }, () => batchOf(random, kind, batches, of)),
      chunkMaxRows: random.pick(of.chunkMaxRows),
      fetchMaxWaitMs: random.pick([10, 40]),
      maxRecordBytes: rulesChange ? random.pick([large, of.smallRecord]) : large,
      brandAliases: rulesChange && random.next() < 0.5 ? ['acme'] : [],
      refused: kind === 'rows refused' ? random.pick(refusals) : [],
      dies,
      fault: isLast || random.next() < 0.2 ? null : { kind: random.pick(faults), at: random.integer(1, 3), times: random.integer(1, 2) },
      // A recreated log does not contain the deletions of earlier logs, so only the last log has deletions.
      deletes: isLastLog && deletions.next() < 0.5 ? deletionOf(deletions, kind) : null,
      movedBackTo: kind === 'offset moved back' && at > 0 && random.next() < 0.7 ? random.next() : null,
    }
  }
  /**
   * Returns a life in which a chunk has new records and records that are already stored. The chunk's first insert is lost. A defective
   * probe could then treat the new rows as stored, too. At most one in a hundred random histories has this case.
   */
  const again = (one: Life): Life => ({
    ...one,
    sent: [0, 1].map(partition => ({ ...batchOf(random, kind, batches, of), partition })),
    chunkMaxRows: 1_000,
    fetchMaxWaitMs: 40,
    fault: { kind: random.pick(['lost before the engine', 'engine killed']), at: 1, times: 1 },
    movedBackTo: random.next(),
  })
  const lives = (isLastLog: boolean) => {
    const count = kind === 'offset moved back' ? 3 : random.integer(2, of.mostLives + (kind === 'rows refused' ? 1 : 0))
    return Array.from({ length: count }, (_, at) => {
      const one = life(at === count - 1, at, isLastLog)
      return kind === 'offset moved back' && at === 1 ? again(one) : one
    })
  }
  return { kind, logs: kind === 'log recreated' ? [lives(false), lives(true)] : [lives(true)] }
}

/** A project's rows are deleted by a mutation, which needs merges. Merges would remove the duplicate rows that the history counts. */
function deletionOf(random: Random, kind: Kind): Deletion {
  const what = random.pick(['trace', 'trace', 'score', 'project'] as const)
  if (what === 'trace' || (what === 'project' && kind === 'steady')) return { what: 'trace', of: random.next() }
  return { what }
}

/** A quarter of the batches belongs to a second project. */
export const projectOf = ({ seed }: Pick<Batch, 'seed'>): string => (/[048c]$/.test(seed) ? 'project-2' : 'project-1')

/** Clients can resend earlier batches, even to a new log. In histories of the kind `steady`, which count raw rows, they do not. */
function batchOf(random: Random, kind: Kind, batches: Batch[], { mostSpans, entities }: Length): Batch {
  const again = kind !== 'steady' && batches.length > 0 && random.next() < 0.3
  if (again) return { ...random.pick(batches), partition: random.integer(0, 1) }
  const batch = {
    seed: random.hex(8),
    count: random.integer(1, mostSpans),
    partition: random.integer(0, 1),
    twoMonths: random.next() < 0.3,
    entities,
  }
  batches.push(batch)
  return batch
}
