// A stage is a small function with a closed result type. A stage gets no context and cannot acknowledge records. Only the runner, which
// sees all results in order, moves the offset.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AppError, DeadLetterReason } from '@svc-server/errors'
import type { Envelope } from './envelope.ts'

export type StageResult<O> =
  | { readonly kind: 'emit'; readonly envelope: Envelope<O> }
  /** The record is counted and acknowledged, and yields no rows. */
  | { readonly kind: 'drop'; readonly reason: string }
  /** The item becomes a dead letter, then the record is acknowledged. `owner` is the owner of the item, if known. */
  | {
      readonly kind: 'reject'
      readonly stage: string
      readonly reason: DeadLetterReason
      readonly message: string
      readonly owner: string | null
    }
  /**
   * The record is not acknowledged. The runner finishes the preceding records, pauses the partition, and then continues with this record.
   */
  | { readonly kind: 'defer'; readonly retryAfterMs: number; readonly cause: AppError }

export type Stage<I, O> = (envelope: Envelope<I>) => StageResult<O> | Promise<StageResult<O>>

export const emit = <O>(envelope: Envelope<O>): StageResult<O> => ({ kind: 'emit', envelope })
export const drop = (reason: string): StageResult<never> => ({ kind: 'drop', reason })
export const defer = (retryAfterMs: number, cause: AppError): StageResult<never> => ({ kind: 'defer', retryAfterMs, cause })
export const reject = (stage: string, reason: DeadLetterReason, message: string, owner: string | null = null): StageResult<never> => ({
  kind: 'reject',
  stage,
  reason,
  message,
  owner,
})

/** Combines two stages. The second stage receives only the envelopes that the first stage emits. */
export function pipe<A, B, C>(first: Stage<A, B>, second: Stage<B, C>): Stage<A, C> {
  return async envelope => {
    const result = await first(envelope)
    return result.kind === 'emit' ? second(result.envelope) : result
  }
}

/** Number of envelopes between two yields to the event loop. A batch of small records has tens of thousands of envelopes. */
const envelopesPerTurn = 500

/** Returns one result per envelope, in order. A stage that throws has a bug, which ends the run. */
export async function runStage<I, O>(stage: Stage<I, O>, envelopes: readonly Envelope<I>[]): Promise<StageResult<O>[]> {
  const results: StageResult<O>[] = []
  for (const envelope of envelopes) {
    results.push(await stage(envelope))
    if (results.length % envelopesPerTurn === 0) await nextTurn()
  }
  return results
}
