// An observation is an OpenTelemetry span with a type.
import type { Span, SpanContext, TimeInput } from '@opentelemetry/api'
import { SvcOtelSpanAttributes } from '@svc/core'
import { writeAttributes } from './attributes.ts'
import { startSpan } from './start-span.ts'
import type {
  AttributesByType,
  SvcEventAttributes,
  SvcGenerationAttributes,
  SvcObservationAttributes,
  SvcObservationType,
  SvcSpanAttributes,
} from './types.ts'

interface ObservationParams<A> {
  readonly otelSpan: Span
  readonly attributes?: A | undefined
}

abstract class Observation<A extends SvcSpanAttributes> {
  readonly otelSpan: Span
  readonly type: SvcObservationType
  /** Id of the span. */
  readonly id: string
  readonly traceId: string
  private hasEnded = false

  constructor(type: SvcObservationType, { otelSpan, attributes }: ObservationParams<A>) {
    const { spanId, traceId } = otelSpan.spanContext()
    this.otelSpan = otelSpan
    this.type = type
    this.id = spanId
    this.traceId = traceId
    if (attributes) writeAttributes(otelSpan, type, attributes as SvcObservationAttributes)
    else otelSpan.setAttribute(SvcOtelSpanAttributes.OBSERVATION_TYPE, type)
  }

  /**
   * Ends the observation. Only the first call has an effect. Later calls are allowed, because several stream handlers can each end the
   * observation.
   */
  end(endTime?: TimeInput): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.otelSpan.end(endTime)
  }

  updateOtelSpanAttributes(attributes: A): void {
    writeAttributes(this.otelSpan, this.type, attributes as SvcObservationAttributes)
  }

  /** Makes the trace readable for anyone with its URL. */
  setTraceAsPublic(): this {
    this.otelSpan.setAttribute(SvcOtelSpanAttributes.TRACE_PUBLIC, true)
    return this
  }

  /** Starts a child of this observation, even if this observation has already ended. The child observation does not become active. */
  startObservation<T extends SvcObservationType = 'span'>(
    name: string,
    attributes?: AttributesByType[T],
    options: { asType?: T | undefined } = {},
  ): ObservationByType[T] {
    const parentSpanContext: SpanContext = this.otelSpan.spanContext()
    return createObservation(options.asType ?? ('span' as T), startSpan(name, { parentSpanContext }), attributes)
  }
}

abstract class UpdatableObservation<A extends SvcSpanAttributes> extends Observation<A> {
  /** Sets attributes. All other attributes stay unchanged. */
  update(attributes: A): this {
    this.updateOtelSpanAttributes(attributes)
    return this
  }
}

/** A piece of work. */
export class SvcSpan extends UpdatableObservation<SvcSpanAttributes> {
  constructor(params: ObservationParams<SvcSpanAttributes>) {
    super('span', params)
  }
}

/** A call of a model. */
export class SvcGeneration extends UpdatableObservation<SvcGenerationAttributes> {
  constructor(params: ObservationParams<SvcGenerationAttributes>) {
    super('generation', params)
  }
}

/** A call of an embedding model. */
export class SvcEmbedding extends UpdatableObservation<SvcGenerationAttributes> {
  constructor(params: ObservationParams<SvcGenerationAttributes>) {
    super('embedding', params)
  }
}

/** A step of an agent. */
export class SvcAgent extends UpdatableObservation<SvcSpanAttributes> {
  constructor(params: ObservationParams<SvcSpanAttributes>) {
    super('agent', params)
  }
}

/** A call of a tool. */
export class SvcTool extends UpdatableObservation<SvcSpanAttributes> {
  constructor(params: ObservationParams<SvcSpanAttributes>) {
    super('tool', params)
  }
}

/** A step between other steps. */
export class SvcChain extends UpdatableObservation<SvcSpanAttributes> {
  constructor(params: ObservationParams<SvcSpanAttributes>) {
    super('chain', params)
  }
}

/** A look-up of documents. */
export class SvcRetriever extends UpdatableObservation<SvcSpanAttributes> {
  constructor(params: ObservationParams<SvcSpanAttributes>) {
    super('retriever', params)
  }
}

/** An evaluation. */
export class SvcEvaluator extends UpdatableObservation<SvcSpanAttributes> {
  constructor(params: ObservationParams<SvcSpanAttributes>) {
    super('evaluator', params)
  }
}

/** A check of content. */
export class SvcGuardrail extends UpdatableObservation<SvcSpanAttributes> {
  constructor(params: ObservationParams<SvcSpanAttributes>) {
    super('guardrail', params)
  }
}

/** A point in time. An event ends when it is created, so it cannot be updated later. */
export class SvcEvent extends Observation<SvcEventAttributes> {
  constructor({ timestamp, ...params }: ObservationParams<SvcEventAttributes> & { readonly timestamp: Date }) {
    super('event', params)
    this.end(timestamp)
  }
}

export type SvcObservation =
  | SvcSpan
  | SvcGeneration
  | SvcEvent
  | SvcEmbedding
  | SvcAgent
  | SvcTool
  | SvcChain
  | SvcRetriever
  | SvcEvaluator
  | SvcGuardrail

/** The class for each observation type. */
export interface ObservationByType {
  span: SvcSpan
  generation: SvcGeneration
  embedding: SvcEmbedding
  agent: SvcAgent
  tool: SvcTool
  chain: SvcChain
  retriever: SvcRetriever
  evaluator: SvcEvaluator
  guardrail: SvcGuardrail
  event: SvcEvent
}

/** Creates the observation of a started span. */
export function createObservation<T extends SvcObservationType>(
  type: T,
  otelSpan: Span,
  attributes: AttributesByType[T] | undefined,
  timestamp: Date | undefined = undefined,
): ObservationByType[T] {
  return make(type, { otelSpan, attributes: attributes as SvcObservationAttributes }, timestamp) as ObservationByType[T]
}

function make(type: SvcObservationType, params: ObservationParams<SvcObservationAttributes>, timestamp: Date | undefined): SvcObservation {
  switch (type) {
    case 'generation':
      return new SvcGeneration(params)
    case 'event':
      return new SvcEvent({ ...params, timestamp: timestamp ?? new Date() })
    case 'embedding':
      return new SvcEmbedding(params)
    case 'agent':
      return new SvcAgent(params)
    case 'tool':
      return new SvcTool(params)
    case 'chain':
      return new SvcChain(params)
    case 'retriever':
      return new SvcRetriever(params)
    case 'evaluator':
      return new SvcEvaluator(params)
    case 'guardrail':
      return new SvcGuardrail(params)
    default:
      return new SvcSpan(params)
  }
}
