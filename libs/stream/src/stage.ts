// A stage is a small function with a closed result type. A stage gets no context and cannot acknowledge records. Only the runner moves the
// offset, because only the runner sees all results in order.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AppError, DeadLetterReason } from '@svc-server/errors'
import type { Envelope } from './envelope.ts'

export type StageResult<O> =
  | { readonly kind: 'emit'; readonly envelope: Envelope<O> }
  /** The record is counted and acknowledged, but produces no rows. */
  | { readonly kind: 'drop'; readonly reason: string }
  /** The item becomes a dead letter, and the record is acknowledged. `owner` is the item's owner, if known. */
  | {
      readonly kind: 'reject'
      readonly stage: string
      readonly reason: DeadLetterReason
      readonly message: string
      readonly owner: string | null
    }
  /** The record is not acknowledged. The runner finishes all earlier records, pauses the partition, and then continues with this record. */
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

/** Combines two stages into one. The second stage receives only the envelopes that the first stage emits. */
export function pipe<A, B, C>(first: Stage<A, B>, second: Stage<B, C>): Stage<A, C> {
  return async envelope => {
    const result = await first(envelope)
    return result.kind === 'emit' ? second(result.envelope) : result
  }
}

/** Number of envelopes after which the loop yields to the event loop. A batch of small records can have tens of thousands of envelopes. */
const envelopesPerTurn = 500

/** Returns one result for each envelope, in the same order. A stage that throws has a bug: the error is not caught, and the run ends. */
export async function runStage<I, O>(stage: Stage<I, O>, envelopes: readonly Envelope<I>[]): Promise<StageResult<O>[]> {
  const results: StageResult<O>[] = []
  for (const envelope of envelopes) {
    results.push(await stage(envelope))
    if (results.length % envelopesPerTurn === 0) await nextTurn()
  }
  return results
}
