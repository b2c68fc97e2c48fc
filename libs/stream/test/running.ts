import fc from 'fast-check'
import type { Chunk } from '../src/chunk.ts'
import { createDeadLetters, type DeadLetters } from '../src/dead-letter.ts'
import { createRunner, type Pipeline, type RunnerEvents } from '../src/runner.ts'
import { emit, type Stage } from '../src/stage.ts'
import type { ScriptedLog } from './scripted-log.ts'

export interface Seen {
  readonly stored: { first: number; last: number; offsets: number[]; inDoubt: boolean }[]
  readonly halts: unknown[]
  readonly deferrals: string[]
}

export interface Setup {
  readonly scripted: ScriptedLog
  readonly stage?: Stage<Uint8Array, Uint8Array>
  readonly store?: (chunk: Chunk<Uint8Array>) => Promise<void> | void
  readonly maxRows?: number
  readonly budgetMs?: number
  readonly pipeline?: Pipeline<Uint8Array>
  readonly deadLetters?: DeadLetters
  readonly clock?: () => number
}

export const deadLettersOf = (limit = { windowItems: 100, minRejected: 20, maxShare: 0.5 }) =>
  createDeadLetters({ topic: 'dead-letter', encode: item => item.raw, maxRawBytes: 1_000, clock: () => 0, limit })

export async function run({ scripted, stage = emit, store, maxRows = 1_000, budgetMs = 0, ...given }: Setup): Promise<Seen> {
  const seen: Seen = { stored: [], halts: [], deferrals: [] }
  const pipeline: Pipeline<Uint8Array> = given.pipeline ?? {
    versions: { mapping: '1' },
    async prepare(chunk, { inDoubt }) {
      return {
        rejected: chunk.rejected,
        async store() {
          await store?.(chunk)
          seen.stored.push({ first: chunk.first, last: chunk.last, offsets: chunk.items.map(item => item.position.offset), inDoubt })
          return []
        },
      }
    },
  }
  const events: RunnerEvents<Uint8Array> = {
    assigned: () => undefined,
    replaying: () => undefined,
    acknowledged: () => undefined,
    waiting: () => undefined,
    deferred: (_, cause) => void seen.deferrals.push(cause.code),
    fenced: () => void seen.deferrals.push('fenced'),
    partitionHalted: (_, cause) => void seen.halts.push(cause),
    halted: cause => void seen.halts.push(cause),
  }
  const runner = createRunner({
    log: scripted.log,
    group: 'test',
    topics: ['items'],
    fetch: { minBytes: 1, maxWaitMs: 1, maxBatchBytes: 1_000 },
    concurrency: 1,
    stage,
    weigh: () => ({ rows: 1, bytes: 1, work: 1 }),
    ownerOf: () => 'someone',
    limits: { maxRows, maxBytes: 1e9, maxWork: 1e9 },
    pipeline,
    deadLetters: given.deadLetters ?? deadLettersOf(),
    backoff: { minMs: 1, maxMs: 1, budgetMs },
    pauseMs: 7,
    haltedPauseMs: 70,
    heartbeatIntervalMs: 1_000,
    clock: given.clock ?? (() => performance.now()),
    events,
  })
  await runner.start()
  await scripted.assign()
  return seen
}

export const upTo = (count: number) => Array.from({ length: count }, (_, offset) => offset)

export const offsetsWithHoles = fc
  .uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 25 })
  .map(offsets => offsets.sort((a, b) => a - b))
