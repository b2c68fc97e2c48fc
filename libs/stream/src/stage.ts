// A stage turns an envelope into a result. Only the runner acknowledges records, because only the runner sees all results in order.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AppError, DeadLetterReason } from '@svc-server/errors'
import type { Envelope } from './envelope.ts'

export type StageResult<O> =
  | { readonly kind: 'emit'; readonly envelope: Envelope<O> }
  /** The runner acknowledges the record, but the record produces no rows. */
  | { readonly kind: 'drop'; readonly reason: string }
  /** The item becomes a dead letter. */
  | {
      readonly kind: 'reject'
      readonly stage: string
      readonly reason: DeadLetterReason
      readonly message: string
      readonly owner: string | null
    }
  /** The runner does not acknowledge the record. The partition pauses, and then continues with this record. */
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

/** Returns a stage that runs both stages. The second stage receives only the envelopes that the first stage emits. */
export function pipe<A, B, C>(first: Stage<A, B>, second: Stage<B, C>): Stage<A, C> {
  return async envelope => {
    const result = await first(envelope)
    return result.kind === 'emit' ? second(result.envelope) : result
  }
}

/** After this number of envelopes, `runStage` lets the event loop run other work. */
const envelopesPerTurn = 500

/** Returns one result for each envelope, in order. If the stage throws, the stage has a bug, and the run ends. */
export async function runStage<I, O>(stage: Stage<I, O>, envelopes: readonly Envelope<I>[]): Promise<StageResult<O>[]> {
  const results: StageResult<O>[] = []
  for (const envelope of envelopes) {
    results.push(await stage(envelope))
    if (results.length % envelopesPerTurn === 0) await nextTurn()
  }
  return results
}
