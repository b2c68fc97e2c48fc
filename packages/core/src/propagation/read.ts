// Reads propagated attributes. A value that this process set in the context takes precedence over a baggage value.
import { type Attributes, type Baggage, type Context, propagation } from '@opentelemetry/api'
import { SVC_SDK_EXPERIMENT_ENVIRONMENT, SVC_TRACE_ID_BAGGAGE_KEY } from '../constants.ts'
import { SvcOtelSpanAttributes } from '../span-attributes.ts'
import { SvcOtelContextKeys } from './context-keys.ts'
import {
  baggageKeys,
  baggageMetadataPrefix,
  baggagePrefix,
  baggageTags,
  experimentNames,
  isEnvironment,
  type ScalarName,
  spanKeys,
  textNames,
} from './keys.ts'

let namesByBaggageKey: ReadonlyMap<string, ScalarName> | undefined

function nameOf(baggageKey: string): ScalarName | undefined {
  namesByBaggageKey ??= new Map(Object.entries(baggageKeys).map(([name, key]) => [key, name as ScalarName]))
  return namesByBaggageKey.get(baggageKey)
}

function readEntry(key: string, value: string, attributes: Attributes): void {
  if (key === baggageTags) {
    attributes[SvcOtelSpanAttributes.TRACE_TAGS] = value.split(',')
    return
  }
  if (key.startsWith(baggageMetadataPrefix)) {
    attributes[`${SvcOtelSpanAttributes.TRACE_METADATA}.${key.slice(baggageMetadataPrefix.length)}`] = value
    return
  }
  const name = nameOf(key)
  if (name === undefined || (name === 'environment' && !isEnvironment(value))) return
  if (name === 'promptVersion') {
    const version = Number(value)
    if (Number.isInteger(version)) attributes[spanKeys.promptVersion] = version
    return
  }
  attributes[spanKeys[name]] = value
}

function readBaggage(baggage: Baggage, attributes: Attributes): void {
  for (const [key, { value }] of baggage.getAllEntries()) {
    if (key !== SVC_TRACE_ID_BAGGAGE_KEY && key.startsWith(baggagePrefix)) readEntry(key, value, attributes)
  }
}

/** Returns the span attributes that the context propagates, or an empty object. */
export function getPropagatedAttributesFromContext(context: Context): Attributes {
  const attributes: Attributes = {}
  const baggage = propagation.getBaggage(context)
  if (baggage) readBaggage(baggage, attributes)

  for (const name of textNames) {
    const value = context.getValue(SvcOtelContextKeys[name])
    if (typeof value === 'string') attributes[spanKeys[name]] = value
  }
  const environment = context.getValue(SvcOtelContextKeys.environment)
  if (environment !== undefined && isEnvironment(environment)) attributes[spanKeys.environment] = environment
  const tags = context.getValue(SvcOtelContextKeys.tags)
  if (Array.isArray(tags)) attributes[SvcOtelSpanAttributes.TRACE_TAGS] = tags as string[]
  const metadata = context.getValue(SvcOtelContextKeys.metadata)
  if (typeof metadata === 'object' && metadata !== null) {
    for (const [key, value] of Object.entries(metadata)) attributes[`${SvcOtelSpanAttributes.TRACE_METADATA}.${key}`] = value as string
  }
  const promptName = context.getValue(SvcOtelContextKeys.promptName)
  if (typeof promptName === 'string') attributes[spanKeys.promptName] = promptName
  const promptVersion = context.getValue(SvcOtelContextKeys.promptVersion)
  if (typeof promptVersion === 'number') attributes[spanKeys.promptVersion] = promptVersion

  for (const name of experimentNames) {
    const value = context.getValue(SvcOtelContextKeys[name])
    if (typeof value === 'string') attributes[spanKeys[name]] = value
  }
  if (attributes[spanKeys.experimentItemRootObservationId] !== undefined) {
    attributes[spanKeys.environment] = SVC_SDK_EXPERIMENT_ENVIRONMENT
  }
  return attributes
}
