// Turns the body of POST /api/public/ingestion into records. The function is pure, so that a worker thread can call it: parsing a large
// body in the event loop would block the loop.
import type { IngestionRequest } from '@svc-server/api/ingestion/types'
import type { z } from 'zod'
import type { Terms } from './acceptance.ts'
import { type EventOutcome, planEvent } from './event.ts'

/** The outcomes of the events, in the order of the batch. */
export const planBatch = ({ batch }: z.output<typeof IngestionRequest>, terms: Terms): readonly EventOutcome[] =>
  batch.map(event => planEvent(event, terms))
