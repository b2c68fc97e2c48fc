// Request and response types of POST /api/public/ingestion. The event types have the names that published clients use.
import { z } from 'zod'
import { itemwise, listOf } from '../fields/fields.ts'
import { type EventType, envelope, eventBodies } from './events.ts'

/** The number of events is limited, because the response lists every event. SDKs send at most a few hundred events. */
const maxEvents = 10_000

export const TraceBody = eventBodies['trace-create'].meta({ id: 'TraceBody' })
export const ScoreBody = eventBodies['score-create'].meta({ id: 'ScoreBody' })
export const CreateEventBody = eventBodies['event-create'].meta({ id: 'CreateEventBody' })
export const CreateSpanBody = eventBodies['span-create'].meta({ id: 'CreateSpanBody' })
export const UpdateSpanBody = eventBodies['span-update'].meta({ id: 'UpdateSpanBody' })
export const CreateGenerationBody = eventBodies['generation-create'].meta({ id: 'CreateGenerationBody' })
export const UpdateGenerationBody = eventBodies['generation-update'].meta({ id: 'UpdateGenerationBody' })
export const ObservationBody = eventBodies['observation-create'].meta({ id: 'ObservationBody' })

const named: { readonly [Type in EventType]?: z.ZodType } = {
  'trace-create': TraceBody,
  'score-create': ScoreBody,
  'event-create': CreateEventBody,
  'span-create': CreateSpanBody,
  'span-update': UpdateSpanBody,
  'generation-create': CreateGenerationBody,
  'generation-update': UpdateGenerationBody,
  'observation-create': ObservationBody,
}

export const ObservationType = z
  .enum(['SPAN', 'GENERATION', 'EVENT', 'AGENT', 'TOOL', 'CHAIN', 'RETRIEVER', 'EVALUATOR', 'EMBEDDING', 'GUARDRAIL'])
  .meta({ id: 'ObservationType' })

const events = (Object.keys(eventBodies) as EventType[]).map(type =>
  envelope.extend({ type: z.literal(type), metadata: z.unknown().optional(), body: named[type] ?? eventBodies[type] }),
)

/** In write mode `events_only`, the server accepts only score-create. */
export const IngestionEvent = z.union(events).meta({ id: 'IngestionEvent' })

export const IngestionRequest = z
  .object({ batch: listOf(itemwise(IngestionEvent), { max: maxEvents }), metadata: z.unknown().optional() })
  .meta({ id: 'IngestionRequest' })

export const IngestionError = z
  .object({ id: z.string(), status: z.int(), message: z.string().optional(), error: z.string().optional() })
  .meta({ id: 'IngestionError' })

export const IngestionSuccess = z.object({ id: z.string(), status: z.int() }).meta({ id: 'IngestionSuccess' })

export const IngestionResponse = z
  .object({ successes: z.array(IngestionSuccess), errors: z.array(IngestionError) })
  .meta({ id: 'IngestionResponse' })
