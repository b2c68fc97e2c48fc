// Adds the attributes of a trace to each of its spans. The context contains these attributes. If a span starts in the context, the span
// processor sets the attributes on the span.
import { type Attributes, type Baggage, type Context, context, propagation, trace } from '@opentelemetry/api'
import { SVC_SDK_EXPERIMENT_ENVIRONMENT } from '../constants.ts'
import { SvcOtelSpanAttributes } from '../span-attributes.ts'
import { getActiveContext } from './active.ts'
import { SvcOtelContextKeys } from './context-keys.ts'
import {
  baggageKeys,
  baggageMetadataPrefix,
  baggageTags,
  type ExperimentName,
  experimentNames,
  type ScalarName,
  spanKeys,
  textNames,
} from './keys.ts'
import { validEnvironment, validMetadata, validPrompt, validTags, validText } from './validate.ts'

/** A prompt to link to generations: a prompt client, or the name and version of a prompt. */
export interface PropagatedPromptInput {
  readonly name: string
  readonly version: number | string
  /** A fallback prompt is not linked to generations, because the server does not know this prompt. */
  readonly isFallback?: boolean | undefined
}

export interface PropagateAttributesParams {
  /** Id of the user. Like sessionId, version and traceName, it has at most 200 characters. */
  readonly userId?: string | undefined
  readonly sessionId?: string | undefined
  readonly version?: string | undefined
  readonly traceName?: string | undefined
  /** The environment consists of 1 to 40 lower-case letters, digits, hyphens and underscores. It must not begin with `svc`. */
  readonly environment?: string | undefined
  /** Tags of at most 200 characters each, added to the tags of outer scopes. */
  readonly tags?: readonly string[] | undefined
  /** Any JSON values. As JSON, a value must have at most 200 characters. A value replaces the value of the same key in outer scopes. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  readonly prompt?: PropagatedPromptInput | undefined
  /** If true, the headers of every outgoing request also contain the values, so every receiver can read them. */
  readonly asBaggage?: boolean | undefined
  /** @internal */
  readonly _internalExperiment?: Readonly<Partial<Record<ExperimentName, string>>> | undefined
}

/** Collects the values that a scope adds to the context, to the active span, and to the baggage. */
class Scope {
  readonly attributes: Attributes = {}
  private baggage: Baggage | undefined

  private context: Context

  constructor(context: Context, asBaggage: boolean) {
    this.context = context
    if (asBaggage) this.baggage = propagation.getBaggage(context) ?? propagation.createBaggage()
  }

  scalar(name: ScalarName, value: string | number): void {
    this.context = this.context.setValue(SvcOtelContextKeys[name], value)
    this.attributes[spanKeys[name]] = value
    this.entry(baggageKeys[name], String(value))
  }

  tags(added: readonly string[]): void {
    if (added.length === 0) return
    const outer = this.context.getValue(SvcOtelContextKeys.tags)
    const tags = [...new Set([...(Array.isArray(outer) ? (outer as string[]) : []), ...added])]
    this.context = this.context.setValue(SvcOtelContextKeys.tags, tags)
    this.attributes[SvcOtelSpanAttributes.TRACE_TAGS] = tags
    this.entry(baggageTags, tags.join(','))
  }

  metadata(added: Readonly<Record<string, string>>): void {
    if (Object.keys(added).length === 0) return
    const outer = this.context.getValue(SvcOtelContextKeys.metadata) as Readonly<Record<string, string>> | undefined
    const metadata = { ...outer, ...added }
    this.context = this.context.setValue(SvcOtelContextKeys.metadata, metadata)
    for (const [key, value] of Object.entries(metadata)) {
      this.attributes[`${SvcOtelSpanAttributes.TRACE_METADATA}.${key}`] = value
      this.entry(`${baggageMetadataPrefix}${key}`, value)
    }
  }

  result(): Context {
    return this.baggage ? propagation.setBaggage(this.context, this.baggage) : this.context
  }

  private entry(key: string, value: string): void {
    this.baggage = this.baggage?.setEntry(key, { value })
  }
}

function collect(scope: Scope, params: PropagateAttributesParams): void {
  for (const name of textNames) {
    const value = params[name] ? validText(name, params[name]) : undefined
    if (value !== undefined) scope.scalar(name, value)
  }
  if (params.environment !== undefined && params.environment !== null) {
    const environment = validEnvironment(params.environment)
    if (environment !== undefined) scope.scalar('environment', environment)
  }
  if (params.tags) scope.tags(validTags(params.tags))
  if (params.metadata) scope.metadata(validMetadata(params.metadata))
  const prompt = params.prompt ? validPrompt(params.prompt) : undefined
  if (prompt) {
    scope.scalar('promptName', prompt.name)
    scope.scalar('promptVersion', prompt.version)
  }
  for (const name of experimentNames) {
    const value = params._internalExperiment?.[name]
    if (value !== undefined) scope.scalar(name, value)
  }
  if (params._internalExperiment?.experimentItemRootObservationId !== undefined) {
    scope.attributes[SvcOtelSpanAttributes.ENVIRONMENT] = SVC_SDK_EXPERIMENT_ENVIRONMENT
  }
}

/** The span's own prompt wins. */
function withoutOwnPrompt(attributes: Attributes, span: { readonly attributes?: Attributes }): Attributes {
  if (span.attributes?.[SvcOtelSpanAttributes.OBSERVATION_PROMPT_NAME] === undefined) return attributes
  const { [spanKeys.promptName]: _name, [spanKeys.promptVersion]: _version, ...others } = attributes
  return others
}

/**
 * Calls `fn` in a scope in which the active span and all new spans get the attributes. Returns the result of `fn`. An invalid value is left
 * out with a warning. With `asBaggage`, the headers of every outgoing request contain the values.
 */
export function propagateAttributes<R>(params: PropagateAttributesParams, fn: () => R): R {
  const active = getActiveContext()
  const scope = new Scope(active, params.asBaggage === true)
  collect(scope, params)
  const span = trace.getSpan(active)
  if (span?.isRecording()) span.setAttributes(withoutOwnPrompt(scope.attributes, span as { readonly attributes?: Attributes }))
  return context.with(scope.result(), fn)
}
