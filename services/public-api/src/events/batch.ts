// Turns the body of POST /api/public/ingestion into records. The function has no side effects, so a worker thread can run it.
import type { IngestionRequest } from '@svc-server/api/ingestion/types'
import type { z } from 'zod'
import type { Terms } from './acceptance.ts'
import { type EventOutcome, planEvent } from './event.ts'

export const planBatch = ({ batch }: z.output<typeof IngestionRequest>, terms: Terms): readonly EventOutcome[] =>
  batch.map(event => planEvent(event, terms))
