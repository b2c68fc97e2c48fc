// Turns the body of POST /api/public/ingestion into records. Pure, because a large body would block the event loop and needs a worker
// thread.
import type { IngestionRequest } from '@svc-server/api/ingestion/types'
import type { z } from 'zod'
import type { Terms } from './acceptance.ts'
import { type EventOutcome, planEvent } from './event.ts'

/** In the order of the batch. */
export const planBatch = ({ batch }: z.output<typeof IngestionRequest>, terms: Terms): readonly EventOutcome[] =>
  batch.map(event => planEvent(event, terms))
