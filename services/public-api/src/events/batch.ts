// What the body of POST /api/public/ingestion becomes. Pure, so that a thread can do it: a large body would
// hold the event loop up.

import { AppError } from '@svc-server/errors'
import { isDeeperThan, NameTooLong, parseJson as readJson } from '@svc-server/json'
import { z } from 'zod'
import { listOf } from '../schemas/fields.ts'
import type { Acceptance } from './acceptance.ts'
import { type EventOutcome, type EventTerms, planEvent } from './event.ts'
import { InvalidBody } from './invalid-body.ts'
import { issuesOf, refused } from './refusals.ts'

/** SDKs send hundreds at most; the answer names each one. */
const maxEvents = 10_000

const batchSchema = z.object({ batch: listOf(z.unknown(), z.maxLength(maxEvents)), metadata: z.unknown().optional() })

export interface BatchJob extends Omit<EventTerms, 'acceptance'> {
  readonly kind: 'batch'
  readonly acceptance: Acceptance
  readonly body: Uint8Array
}

/** In the order of the batch. Throws InvalidBody. */
export function planBatch({ body, ...terms }: BatchJob): readonly EventOutcome[] {
  const batch = batchSchema.safeParse(parseJson(body))
  if (!batch.success) throw new InvalidBody(issuesOf(batch.error))
  return batch.data.batch.map(event => planEvent(event, terms))
}

/** Throws InvalidBody for what is no JSON, or nests too deep; AppError for what is no UTF-8. */
export function parseJson(body: Uint8Array): unknown {
  if (isDeeperThan(body, maxJsonDepth)) throw new InvalidBody(refused(`The JSON nests deeper than ${maxJsonDepth} levels.`, []))
  try {
    return readJson(decoder.decode(body))
  } catch (error) {
    if (error instanceof NameTooLong) throw new InvalidBody(refused(error.message, []))
    if (error instanceof TypeError) throw new AppError('bad_request', 'The request body is not UTF-8.')
    throw new InvalidBody(refused('The request body is not JSON.', []))
  }
}

/** Objects and arrays within each other. What people send has a dozen. */
const maxJsonDepth = 100
const decoder = new TextDecoder('utf-8', { fatal: true })
