// Plans a random history from a seed. The plan has the records, the writers that run one after the other, and the faults of each writer.
import { createRandom, type Random } from '@svc-server/testkit'
import type { Point } from '../kill.ts'

/**
 * In a `steady` history, writers die and inserts have faults, but no committed offset is moved back, the log is not recreated, the rules do
 * not change, and the column store refuses no row. The other histories test that a former defect stays repaired: the writer treated a whole
 * chunk as stored as soon as a probe found one row.
 */
type Kind = 'steady' | 'offset moved back' | 'log recreated' | 'rules changed' | 'rows refused'
const kinds: readonly Kind[] = ['steady', 'offset moved back', 'log recreated', 'rules changed']

/** Limits the length of a history, and lists the kinds of history that a seed can select. */
export interface Length {
  readonly kinds: readonly Kind[]
  /**
   * Maximum number of lives per log; the value is at least 2. A life is one run of the writer. The lives read the log one after the other.
   * In a `rows refused` history, a log can have one life more than this maximum. In an `offset moved back` history, each log has 3 lives.
   */
  readonly mostLives: number
  readonly mostBatches: number
  readonly mostSpans: number
  /** Number of entities of each type per batch. */
  readonly entities: number
  readonly chunkMaxRows: readonly number[]
  /**
   * A low limit on the bytes of a record. In short histories, a batch of more than 6 spans exceeds it. In long histories, a batch of more
   * than 51 spans exceeds it.
   */
  readonly smallRecord: number
}

/**
 * Inserts take most of a history's time, so a short history has only the inserts that are needed to show a loss. Even in a short history, a
 * batch can have several chunks and two months, the batches can be on two partitions, and the writer can reject a batch. Usually two
 * writers read a log, one after the other. Each writer except the last writer of a log can have a fault, and can die at any point.
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
/**
 * Seeds of four short histories. Together, these histories contain every kind of history, every point at which a writer can die, every
 * fault, and every kind of deletion (plan.test.ts).
 */
export const ofEveryRun: readonly number[] = [0, 38, 75, 413]

export const long: Length = {
  // If the engine refuses a row, the writer halves the chunk again and again to find the row. The many inserts take a long time, so only
  // long histories have refused rows.
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
  /**
   * Either 256 MiB, or `smallRecord` from the history's `Length`. With `smallRecord`, the writer rejects each batch that exceeds this
   * limit.
   */
  readonly maxRecordBytes: number
  readonly brandAliases: readonly string[]
  /** The column store refuses rows with these names. */
  readonly refused: readonly string[]
  readonly dies: Point | null
  /** The fault begins at the insert with the number `at`. `times` is the number of inserts that fail. */
  readonly fault: { readonly kind: Fault; readonly at: number; readonly times: number } | null
  /** Before this writer starts, the test moves the committed offsets back: it multiplies them by this number between 0 and 1. */
  readonly movedBackTo: number | null
  readonly deletes: Deletion | null
}

/**
 * The test deletes the first trace of a batch, a score, or the project `project-2`. To delete a score, the test adds two scores and deletes
 * one of them. `of` is a number between 0 and 1 that selects the batch.
 */
type Deletion = { readonly what: 'trace'; readonly of: number } | { readonly what: 'score' } | { readonly what: 'project' }

export interface Plan {
  readonly kind: Kind
  /**
   * One list for each log of the history, in the order in which the test creates the logs. Each list has the writer's lives, in the order
   * in which they read the log. In the last life of each log, `dies` and `fault` are null.
   */
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
  /**
   * Deletions have their own random generator. If they used `random`, a change of the deletions would also change the rest of the history.
   */
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
      // Only the last log has deletions. If the history replaced a log that has deletions with a new log, these deletions would be lost.
      deletes: isLastLog && deletions.next() < 0.5 ? deletionOf(deletions, kind) : null,
      movedBackTo: kind === 'offset moved back' && at > 0 && random.next() < 0.7 ? random.next() : null,
    }
  }
  /**
   * Returns a life (one run of the writer) with a mixed first chunk: some of its records are new, and some are already stored. The first
   * insert of this life is lost. A defective probe would find the stored rows and treat the new rows as stored, too. Random histories alone
   * would contain a mixed chunk at most once in a hundred histories.
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

/**
 * Chooses what the test deletes. A `steady` history counts duplicate rows, so it never deletes a project. The mutation that deletes a
 * project's rows needs merges, and merges would remove the duplicate rows.
 */
function deletionOf(random: Random, kind: Kind): Deletion {
  const what = random.pick(['trace', 'trace', 'score', 'project'] as const)
  if (what === 'trace' || (what === 'project' && kind === 'steady')) return { what: 'trace', of: random.next() }
  return { what }
}

/** A quarter of the batches belongs to a second project. */
export const projectOf = ({ seed }: Pick<Batch, 'seed'>): string => (/[048c]$/.test(seed) ? 'project-2' : 'project-1')

/**
 * The plan lets clients send an earlier batch again, even after the history has replaced the log. In `steady` histories, clients never send
 * a batch again, because the test counts raw rows in these histories.
 */
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
